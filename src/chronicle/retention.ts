import type { Clock } from "../foundation/clock.ts";
import type { Log } from "../foundation/log.ts";
import { TaskGroup } from "../foundation/task-group.ts";
import type { Chronicle } from "./chronicle.ts";
import type { RetentionRow, Store } from "../store/store.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** How long things are kept (TR-003, TR-043). */
export const KEPT_MS: { readonly [Name in keyof RetentionRow]: number } = {
  decisionsBeforeMs: 30 * DAY_MS,
  publicBeforeMs: 30 * MINUTE_MS,
  directBeforeMs: DAY_MS,
  deliveriesBeforeMs: DAY_MS,
  membersBeforeMs: DAY_MS,
  // Who comes back after a season is told anew who speaks (TR-091).
  toldBeforeMs: 90 * DAY_MS,
  sessionsBeforeMs: 14 * DAY_MS,
};
/** Between two rounds. */
export const RETENTION_EVERY_MS: number = HOUR_MS;
/** So many bytes of new lines start a round before its hour, so that the bounds in bytes hold within that much (MC-070). */
export const ROUND_AFTER_BYTES: number = 4 * 1_048_576;
/** What a line weighs beside its words. */
const LINE_BYTES = 256;
/** Between two slices of one round, so that other verbs come first. */
const PAUSE_MS = 20;
const JOIN_MS = 5_000;

/** Keeps nothing longer than it may be kept, for as long as it is open. */
export interface Retention extends AsyncDisposable {
  /** Wait until no round is under way. */
  idle(): Promise<void>;
}

/**
 * Start at once, then every hour, and sooner when much was said: drop what is old or too much in slices of a few hundred rows, none
 * of which holds a write up for long.
 */
export function openRetention(needs: {
  readonly store: Pick<Store, "retain">;
  readonly chronicle: Pick<Chronicle, "subscribe">;
  readonly clock: Clock;
  readonly log: Log;
}): Retention {
  const { store, clock, log } = needs;
  const tasks = new TaskGroup({ clock, joinMs: JOIN_MS, onFailure: (error) => log.failure("retention_failed", error) });
  let next: Disposable | null = null;
  let running = false;
  let newBytes = 0;
  const round = async (signal: AbortSignal): Promise<void> => {
    const cut = cutAt(clock.nowMs());
    let total = 0;
    for (let dropped = 1; dropped > 0; total += dropped) {
      ({ dropped } = await store.retain(cut));
      if (dropped > 0) await clock.sleep(PAUSE_MS, signal);
    }
    if (total > 0) log.write("info", "retention", { dropped: total });
  };
  const start = (): void => {
    // One round at a time: what came meanwhile is in the next, which begins at once if it is much.
    if (running || tasks.signal.aborted) return;
    running = true;
    newBytes = 0;
    tasks.start(async (signal) => {
      try {
        await round(signal);
      } finally {
        running = false;
      }
      if (newBytes >= ROUND_AFTER_BYTES) start();
    });
  };
  const hourly = (): void => {
    if (tasks.signal.aborted) return;
    start();
    next = clock.after(RETENTION_EVERY_MS, hourly);
  };
  const watched = needs.chronicle.subscribe((change) => {
    if (change.kind !== "event" && change.kind !== "line") return;
    newBytes += Buffer.byteLength(change.event.text) + LINE_BYTES;
    if (newBytes >= ROUND_AFTER_BYTES) start();
  });
  hourly();
  return {
    idle: () => tasks.idle(),
    async [Symbol.asyncDispose]() {
      watched[Symbol.dispose]();
      next?.[Symbol.dispose]();
      await tasks.close();
    },
  };
}

function cutAt(nowMs: number): RetentionRow {
  const before = (name: keyof RetentionRow): number => nowMs - KEPT_MS[name];
  return {
    decisionsBeforeMs: before("decisionsBeforeMs"),
    publicBeforeMs: before("publicBeforeMs"),
    directBeforeMs: before("directBeforeMs"),
    deliveriesBeforeMs: before("deliveriesBeforeMs"),
    membersBeforeMs: before("membersBeforeMs"),
    toldBeforeMs: before("toldBeforeMs"),
    sessionsBeforeMs: before("sessionsBeforeMs"),
  };
}
