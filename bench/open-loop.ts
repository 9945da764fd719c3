/**
 * What the road adds to a model's time at an even load: `node bench/open-loop.ts SECONDS [DELAY_MS]`. 256 messages a second for a
 * model of 200 ms keep 51 of the 64 turns busy. The arrivals are paced: at random ones the 64 turns themselves would be a queue,
 * and its waiting would be measured instead of the road. A message counts from the moment it was due, so a loop that stands still
 * makes it late. With a delay every commit takes so many milliseconds longer.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { watchCommits } from "./commit-times.ts";
import { lineOf } from "./instant-surface.ts";
import type { BenchRoad } from "./open-road.ts";
import { benchPerson, openBenchRoad } from "./open-road.ts";
import { percentile, report } from "./statistics.ts";

const PER_SECOND = 256;
const THINK_MS = 200;
const WARM_SECONDS = 2;
const PATIENCE_MS = 10_000;
const PEOPLE = Array.from({ length: 1_000 }, (_, number) => benchPerson(number));

interface Loop {
  readonly added: readonly number[];
  readonly loopMs: number;
  readonly busyTurns: number;
}

/** Who waits for an answer since when, by place; at this load nobody has two lines under way, and if so they are answered in order. */
class Waiting {
  readonly #due = new Map<string, number[]>();

  add(place: string, dueMs: number): void {
    const known = this.#due.get(place);
    if (known === undefined) this.#due.set(place, [dueMs]);
    else known.push(dueMs);
  }

  take(place: string): number {
    const dueMs = this.#due.get(place)?.shift();
    if (dueMs === undefined) throw new Error("a part came that nobody waits for");
    return dueMs;
  }
}

async function openLoop({ idle, thinking, surface }: BenchRoad, seconds: number, onWarm: () => void): Promise<Loop> {
  const messages = PER_SECOND * (WARM_SECONDS + seconds);
  const waiting = new Waiting();
  const added: number[] = [];
  const busy: number[] = [];
  // Enabled from the start: that alone makes the loop stand still for a while.
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const ended = Promise.withResolvers<void>();
  const fromMs = performance.now() + 5;
  const dueMs = (number: number): number => fromMs + (number * 1_000) / PER_SECOND;
  let answered = 0;
  surface.onPart = (part) => {
    if (part.index > 0) return;
    const due = waiting.take(part.place.id);
    if (due >= dueMs(PER_SECOND * WARM_SECONDS)) added.push(performance.now() - due - THINK_MS);
    if (++answered === messages) ended.resolve();
  };
  let heard = 0;
  const tick = (): void => {
    for (; heard < messages && dueMs(heard) <= performance.now(); heard += 1) {
      if (heard === PER_SECOND * WARM_SECONDS) {
        delay.reset();
        onWarm();
      }
      const person = PEOPLE[heard % PEOPLE.length];
      if (person === undefined) return;
      waiting.add(lineOf(person).id, dueMs(heard));
      surface.whisper(person).catch(ended.reject);
    }
    if (heard < messages) setTimeout(tick, Math.max(0, dueMs(heard) - performance.now()));
    else setTimeout(() => ended.reject(new Error(`${messages - answered} lines were not answered`)), PATIENCE_MS).unref();
  };
  const sampling = setInterval(() => busy.push(thinking()), 25);
  tick();
  await ended.promise;
  clearInterval(sampling);
  delay.disable();
  await idle();
  return { added, loopMs: delay.percentile(99) / 1e6, busyTurns: percentile(busy, 0.5) };
}

const [seconds = 10, delayMs = 0] = process.argv.slice(2).map(Number);
const commits = watchCommits(delayMs);
await using road = await openBenchRoad({ thinkMs: THINK_MS, trusted: PEOPLE });
let warmCommits = 0;
const loop = await openLoop(road, seconds, () => (warmCommits = commits.count()));
const fsyncMs = percentile(commits.since(warmCommits), 0.99);
const p99 = percentile(loop.added, 0.99);
const prefix = delayMs > 0 ? "slow_sync_" : "";
report({
  [`${prefix}open_loop_added_ms_p50`]: percentile(loop.added, 0.5),
  [`${prefix}open_loop_added_ms_p99`]: p99,
  [`${prefix}open_loop_beyond_sync_ms`]: p99 - 3 * fsyncMs,
  [`${prefix}event_loop_ms_p99`]: loop.loopMs,
  [`${prefix}fsync_ms_p99`]: fsyncMs,
  [`${prefix}busy_turns`]: loop.busyTurns,
});
