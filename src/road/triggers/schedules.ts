import type { Clock } from "../../foundation/clock.ts";
import type { Log } from "../../foundation/log.ts";
import { printable } from "../../foundation/printable.ts";
import { TaskGroup } from "../../foundation/task-group.ts";
import type { Store, StoreReader } from "../../store/store.ts";
import type { MessageId } from "../../vocabulary/ids.ts";
import type { Schedule } from "../../vocabulary/calls/schedule.ts";

/** A time that passed so long ago was missed: nobody was there. */
const LATE_MS = 60_000;
/** Longest sleep of the timer; a clock that is set, or a computer that slept, is noticed by then. */
const LOOK_EVERY_MS = 60_000;

/** What schedules run on. */
export interface SchedulesNeeds {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: StoreReader["schedules"] & Pick<Store["schedules"], "fire">;
  /** The next time of a schedule behind a moment; null when none comes. */
  readonly nextOf: (schedule: Schedule, afterMs: number) => number | null;
  /** The row for a turn, with the authority that its person has now; null when that is none any more. */
  readonly rowOf: (schedule: Schedule) => Omit<NonNullable<Parameters<Store["schedules"]["fire"]>[0]["inbox"]>, "late"> | null;
  /** Let a row run that is kept. */
  readonly takeUp: (id: MessageId) => void;
}

/** Makes turns run by the clock, until it is disposed. */
export interface Schedules extends AsyncDisposable {
  /** Look again: a schedule came or went. */
  changed(): void;
}

/**
 * Watch the clock for schedules (TR-042). Each time that comes is one commit, the next time and the row of its turn together, so a
 * kill before it does nothing and one behind it leaves a row that the next start runs. A time that passed while nobody was there
 * goes by what its schedule says of missed ones; however many passed, they are one.
 */
export function openSchedules(needs: SchedulesNeeds): Schedules {
  const { clock, log, store } = needs;
  const tasks = new TaskGroup({ clock, joinMs: 5_000, onFailure: (error) => log.failure("schedule_failed", error) });
  let timer: Disposable | null = null;
  let looking = false;
  const look = async (): Promise<void> => {
    for (const schedule of store.list()) {
      if (schedule.nextAtMs === null || schedule.nextAtMs > clock.nowMs()) break;
      await fire(needs, schedule, schedule.nextAtMs);
    }
  };
  const arm = (): void => {
    timer?.[Symbol.dispose]();
    timer = null;
    if (tasks.signal.aborted) return;
    const next = store.list()[0]?.nextAtMs ?? null;
    const inMs = next === null ? LOOK_EVERY_MS : Math.min(LOOK_EVERY_MS, Math.max(0, next - clock.nowMs()));
    timer = clock.after(inMs, start);
  };
  const start = (): void => {
    if (looking || tasks.signal.aborted) return;
    looking = true;
    tasks.start(async () => {
      try {
        await look();
      } finally {
        looking = false;
        arm();
      }
    });
  };
  start();
  return {
    changed: start,
    async [Symbol.asyncDispose]() {
      timer?.[Symbol.dispose]();
      await tasks.close();
    },
  };
}

async function fire(needs: SchedulesNeeds, schedule: Schedule, dueAtMs: number): Promise<void> {
  const atMs = needs.clock.nowMs();
  const late = atMs - dueAtMs > LATE_MS;
  const row = late && schedule.missed === "skip" ? null : needs.rowOf(schedule);
  const asks = late && schedule.missed === "ask";
  const inbox = row === null ? null : { ...row, late: asks };
  const { fired } = await needs.store.fire({ id: schedule.id, dueAtMs, nextAtMs: needs.nextOf(schedule, atMs), atMs, inbox });
  if (fired && inbox !== null) needs.takeUp(inbox.id);
  if (row === null) needs.log.write("info", "schedule_left_out", { schedule: printable(schedule.id) });
}
