import type { Clock } from "../foundation/clock.ts";
import type { Log } from "../foundation/log.ts";
import { TaskGroup } from "../foundation/task-group.ts";
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
};
/** Between two rounds. */
export const RETENTION_EVERY_MS: number = HOUR_MS;
/** Between two slices of one round, so that other verbs come first. */
const PAUSE_MS = 20;
const JOIN_MS = 5_000;

/** Keeps nothing longer than it may be kept, for as long as it is open. */
export interface Retention extends AsyncDisposable {
  /** Wait until no round is under way. */
  idle(): Promise<void>;
}

/** Start at once, then every hour: drop what is old in slices of a few hundred rows, none of which holds a write up for long. */
export function openRetention(needs: { readonly store: Pick<Store, "retain">; readonly clock: Clock; readonly log: Log }): Retention {
  const { store, clock, log } = needs;
  const tasks = new TaskGroup({ clock, joinMs: JOIN_MS, onFailure: (error) => log.failure("retention_failed", error) });
  let next: Disposable | null = null;
  const round = async (signal: AbortSignal): Promise<void> => {
    const cut = cutAt(clock.nowMs());
    let total = 0;
    for (let dropped = 1; dropped > 0; total += dropped) {
      ({ dropped } = await store.retain(cut));
      if (dropped > 0) await clock.sleep(PAUSE_MS, signal);
    }
    if (total > 0) log.write("info", "retention", { dropped: total });
  };
  const begin = (): void => {
    if (tasks.signal.aborted) return;
    tasks.start(round);
    next = clock.after(RETENTION_EVERY_MS, begin);
  };
  begin();
  return {
    idle: () => tasks.idle(),
    async [Symbol.asyncDispose]() {
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
  };
}
