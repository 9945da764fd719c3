/**
 * Ambient lines a second that are judged and noted durably, 512 under way: `node bench/suppressed.ts SECONDS`. 1,000 people talk in a public
 * place, to nobody, on a surface that keeps no ambient talk.
 */
import { benchPerson, openBenchRoad } from "./open-road.ts";
import { report } from "./statistics.ts";

const OUTSTANDING = 512;
const PEOPLE = Array.from({ length: 1_000 }, (_, number) => benchPerson(number));

const seconds = Number(process.argv[2] ?? "3");
await using road = await openBenchRoad({ thinkMs: 0 });
let noted = 0;

async function talk(lane: number, untilMs: number): Promise<void> {
  for (let line = lane; performance.now() < untilMs; line += OUTSTANDING) {
    const person = PEOPLE[line % PEOPLE.length];
    if (person === undefined) return;
    const heard = await road.surface.overhear(person);
    if (heard.kind !== "suppressed") throw new Error("an ambient line was let in");
    noted += 1;
  }
}

async function round(forSeconds: number): Promise<number> {
  noted = 0;
  const fromMs = performance.now();
  await Promise.all(Array.from({ length: OUTSTANDING }, (_, lane) => talk(lane, fromMs + forSeconds * 1_000)));
  return (noted * 1_000) / (performance.now() - fromMs);
}

await round(seconds / 4);
report({ suppressed_per_s: await round(seconds) });
