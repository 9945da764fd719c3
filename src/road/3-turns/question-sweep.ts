import type { Clock } from "../../foundation/clock.ts";
import type { TaskGroup } from "../../foundation/task-group.ts";
import type { InboxRow } from "../../store/store.ts";
import type { Ended } from "./turns.ts";

/** Questions that nobody answered are looked for so often. */
const LAPSE_EVERY_MS = 60_000;

/** What the sweep works with. */
export interface QuestionSweepNeeds {
  readonly clock: Clock;
  readonly tasks: TaskGroup;
  readonly lapse: (nowMs: number) => Promise<{ readonly lapsed: readonly InboxRow[] }>;
  readonly ended: (ended: Ended) => void;
  /** Told each time, when whatever ran out has ended. */
  readonly swept: () => void;
}

/** Ends the turns whose question ran out, once a minute from `begin` on (SE-084); a restart does the same at once. */
export function createQuestionSweep({ clock, tasks, lapse, ended, swept }: QuestionSweepNeeds): Disposable & { begin(): void } {
  let timer: Disposable | null = null;
  const begin = (): void => {
    timer = clock.after(LAPSE_EVERY_MS, () => {
      begin();
      tasks.start(async () => {
        const nowMs = clock.nowMs();
        const { lapsed } = await lapse(nowMs);
        for (const row of lapsed) ended({ row, end: "expired", reason: "unanswered", words: false, endedAtMs: nowMs });
        swept();
      });
    });
  };
  return { begin, [Symbol.dispose]: () => timer?.[Symbol.dispose]() };
}
