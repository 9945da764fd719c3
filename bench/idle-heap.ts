/**
 * What people cost who were here and fell silent: `node --expose-gc bench/idle-heap.ts [PEOPLE]`. So many people have one exchange each and an
 * hour goes by on the runtime's clock; this fills whatever is bounded. Then as many others do the same: what the heap grew by is
 * what an idle person costs, conversation and lane together, each under a key of 70 characters.
 */
import type { Clock } from "../src/foundation/clock.ts";
import { systemClock } from "../src/foundation/clock.ts";
import type { BenchRoad } from "./open-road.ts";
import { benchPerson, openBenchRoad } from "./open-road.ts";
import { report } from "./statistics.ts";

const AT_ONCE = 256;
const HOUR_MS = 3_600_000;
const MEGABYTE = 1_048_576;

/** The system's clock, which can be put forward. Timers that run keep their time. */
class AheadClock implements Clock {
  #aheadMs = 0;

  advance(ms: number): void {
    this.#aheadMs += ms;
  }

  nowMs(): number {
    return systemClock.nowMs() + this.#aheadMs;
  }

  monotonicMs(): number {
    return systemClock.monotonicMs() + this.#aheadMs;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal);
  }

  after(ms: number, action: () => void): Disposable {
    return systemClock.after(ms, action);
  }
}

/** Everybody from `first` on has one exchange, then they are idle for an hour; a few others speak, so that what is swept is swept. */
async function comeAndGo({ idle, surface }: BenchRoad, clock: AheadClock, people: { first: number; count: number }): Promise<void> {
  const ask = async (numbers: readonly number[]): Promise<void> => {
    await Promise.all(numbers.map((number) => surface.whisper(benchPerson(number))));
    await idle();
  };
  for (let at = 0; at < people.count; at += AT_ONCE) {
    const length = Math.min(AT_ONCE, people.count - at);
    await ask(Array.from({ length }, (_, index) => people.first + at + index));
  }
  clock.advance(HOUR_MS);
  const regulars = Array.from({ length: 16 }, (_, number) => 90_000_000 + number);
  for (let round = 0; round < 8; round += 1) await ask(regulars);
}

async function heapBytes(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error("start it with --expose-gc");
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return process.memoryUsage().heapUsed;
}

const count = Number(process.argv[2] ?? "10000");
const clock = new AheadClock();
await using road = await openBenchRoad({ thinkMs: 0, clock });
await comeAndGo(road, clock, { first: 0, count });
const beforeBytes = await heapBytes();
await comeAndGo(road, clock, { first: count, count });
const afterBytes = await heapBytes();
report({
  heap_mb_10k_idle_people: afterBytes / MEGABYTE,
  heap_mb_before: beforeBytes / MEGABYTE,
  bytes_per_idle_person: (afterBytes - beforeBytes) / count,
});
