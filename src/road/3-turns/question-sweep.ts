import type { Clock } from "../../foundation/clock.ts";
import type { TaskGroup } from "../../foundation/task-group.ts";
import type { InboxRow, Store } from "../../store/store.ts";
import type { Role } from "../../vocabulary/principal.ts";
import type { Ended } from "./turns.ts";

/** Questions that nobody answers any more are looked for so often. */
const SWEEP_EVERY_MS = 60_000;

/** What the sweep works with. */
export interface QuestionSweepNeeds {
  readonly environment: { readonly clock: Clock };
  readonly ledger: {
    lapse: Store["lapse"];
    /** Operators, as they were when they were asked, whose questions wait. */
    asked: Store["read"]["calls"]["asked"];
    void: Store["calls"]["void"];
  };
  readonly authority: { roleOf(person: InboxRow["person"]): Exclude<Role, "bot"> };
  readonly observer: { ended(ended: Ended): void };
}

/** Where it works, and who is told each time, when whatever may be answered no more has ended. */
export interface SweepWork {
  readonly tasks: TaskGroup;
  readonly swept: () => void;
}

/**
 * Ends the turns whose question ran out (SE-084), and those whose question is to somebody who is no operator any more and so could
 * not answer it (TR-014, TR-015): the latter at once when it begins, both once a minute from then on. A restart ends the former itself.
 */
export function createQuestionSweep(
  { environment, ledger, authority, observer }: QuestionSweepNeeds,
  { tasks, swept }: SweepWork,
): Disposable & { begin(): void } {
  const { clock } = environment;
  let timer: Disposable | null = null;
  const endVoid = async (nowMs: number): Promise<number> => {
    const gone = ledger.asked(nowMs).filter((person) => authority.roleOf(person) !== "operator");
    for (const person of gone) {
      const { ended } = await ledger.void({ person, atMs: nowMs });
      for (const row of ended) observer.ended({ row, end: "cancelled", reason: "not_operator", words: false, endedAtMs: nowMs });
    }
    return gone.length;
  };
  const sweep = async (): Promise<void> => {
    const nowMs = clock.nowMs();
    const { lapsed } = await ledger.lapse(nowMs);
    for (const row of lapsed) observer.ended({ row, end: "expired", reason: "unanswered", words: false, endedAtMs: nowMs });
    await endVoid(nowMs);
    swept();
  };
  const wait = (): void => {
    timer = clock.after(SWEEP_EVERY_MS, () => {
      wait();
      tasks.start(sweep);
    });
  };
  return {
    begin() {
      wait();
      tasks.start(async () => {
        if ((await endVoid(clock.nowMs())) > 0) swept();
      });
    },
    [Symbol.dispose]: () => timer?.[Symbol.dispose](),
  };
}
