/**
 * Messages a second through the whole road, each durable and answered, with 512 always under way: `node bench/closed-loop.ts SECONDS`.
 * 1,000 people in direct lines, a model that answers at once; from hearing to the settled row, with the packet built in between.
 */
import { statSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { BenchRoad } from "./open-road.ts";
import { benchPerson, openBenchRoad } from "./open-road.ts";
import { report } from "./statistics.ts";

const OUTSTANDING = 512;
const PEOPLE = Array.from({ length: 1_000 }, (_, number) => benchPerson(number));
const WARM_SHARE = 0.15;
const MEGABYTE = 1_048_576;

interface Loop {
  readonly answered: number;
  readonly perSecond: number;
  readonly walMb: number;
  readonly loopMs: number;
}

async function closedLoop({ idle, surface, database }: BenchRoad, seconds: number): Promise<Loop> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const fromMs = performance.now();
  const warmUntilMs = fromMs + seconds * 1_000 * WARM_SHARE;
  const untilMs = fromMs + seconds * 1_000;
  let [heard, answered, warm, countedFromMs, walBytes] = [0, 0, 0, 0, 0];
  const ended = Promise.withResolvers<void>();
  const next = (): void => {
    const person = PEOPLE[heard++ % PEOPLE.length];
    if (person === undefined) return;
    surface.whisper(person).catch(ended.reject);
  };
  surface.onPart = () => {
    answered += 1;
    const nowMs = performance.now();
    if (countedFromMs === 0 && nowMs >= warmUntilMs) {
      [warm, countedFromMs] = [answered, nowMs];
      delay.enable();
    }
    if (nowMs < untilMs) next();
    else if (answered === heard) ended.resolve();
  };
  const sampling = setInterval(() => (walBytes = Math.max(walBytes, statSync(`${database}-wal`).size)), 20);
  for (let number = 0; number < OUTSTANDING; number += 1) next();
  await ended.promise;
  await idle();
  const perSecond = ((answered - warm) * 1_000) / (performance.now() - countedFromMs);
  clearInterval(sampling);
  return { answered, perSecond, walMb: walBytes / MEGABYTE, loopMs: delay.percentile(99) / 1e6 };
}

await using road = await openBenchRoad({ thinkMs: 0 });
const emptyBytes = statSync(road.database).size;
const loop = await closedLoop(road, Number(process.argv[2] ?? "8"));
// Closing folds the journal into the database: only then its size means anything.
await road.close();
report({
  closed_loop_msgs_per_s: loop.perSecond,
  closed_loop_event_loop_ms_p99: loop.loopMs,
  wal_mb_max: loop.walMb,
  db_bytes_per_message: (statSync(road.database).size - emptyBytes) / loop.answered,
});
