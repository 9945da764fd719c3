/**
 * Messages a second through the whole road, each durable and answered, with 512 always under way: `node bench/closed-loop.ts MESSAGES SECONDS`.
 * 1,000 people in direct lines, a model that answers at once; from hearing to the settled row, with the packet built in between. The number
 * is fixed, so that conversations are as long in every run; a machine too slow for it is stopped after the seconds.
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
  /** Microseconds of processor time for each message: of the whole process, and of the thread that thinks. */
  readonly processUs: number;
  readonly mainUs: number;
}

async function closedLoop({ idle, surface, database }: BenchRoad, messages: number, seconds: number): Promise<Loop> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const untilMs = performance.now() + seconds * 1_000;
  let [heard, answered, warm, countedFromMs, walBytes] = [0, 0, 0, 0, 0];
  let used = cpuUs();
  const ended = Promise.withResolvers<void>();
  const next = (): void => {
    const person = PEOPLE[heard++ % PEOPLE.length];
    if (person === undefined) return;
    surface.whisper(person).catch(ended.reject);
  };
  surface.onPart = (part) => {
    if (part.index + 1 < part.count) return;
    answered += 1;
    const nowMs = performance.now();
    if (answered === Math.floor(messages * WARM_SHARE)) {
      [warm, countedFromMs, used] = [answered, nowMs, cpuUs()];
      delay.enable();
    }
    if (heard < messages && nowMs < untilMs) next();
    else if (answered === heard) ended.resolve();
  };
  const sampling = setInterval(() => (walBytes = Math.max(walBytes, statSync(`${database}-wal`).size)), 20);
  for (let number = 0; number < OUTSTANDING; number += 1) next();
  await ended.promise;
  await idle();
  if (warm === 0) throw new Error("this machine is too slow: the loop did not get beyond its warming");
  const counted = answered - warm;
  const perSecond = (counted * 1_000) / (performance.now() - countedFromMs);
  const [processUs, mainUs] = cpuUs().map((us, index) => (us - (used[index] ?? 0)) / counted);
  clearInterval(sampling);
  return {
    answered,
    perSecond,
    walMb: walBytes / MEGABYTE,
    loopMs: delay.percentile(99) / 1e6,
    processUs: processUs ?? 0,
    mainUs: mainUs ?? 0,
  };
}

/** Processor time so far, of the process and of this thread. */
function cpuUs(): readonly number[] {
  return [process.cpuUsage(), process.threadCpuUsage()].map(({ user, system }) => user + system);
}

await using road = await openBenchRoad({ thinkMs: 0 });
const emptyBytes = statSync(road.database).size;
const [messages = 20_000, seconds = 15] = process.argv.slice(2).map(Number);
const loop = await closedLoop(road, messages, seconds);
// Closing folds the journal into the database: only then its size means anything.
await road.close();
report({
  closed_loop_msgs_per_s: loop.perSecond,
  closed_loop_messages: loop.answered,
  closed_loop_event_loop_ms_p99: loop.loopMs,
  closed_loop_cpu_us: loop.processUs,
  closed_loop_main_cpu_us: loop.mainUs,
  wal_mb_max: loop.walMb,
  db_bytes_per_message: (statSync(road.database).size - emptyBytes) / loop.answered,
});
