import { throwIfAborted } from "../../foundation/cancellation.ts";
import type { Clock } from "../../foundation/clock.ts";
import type { Store } from "../../store/store.ts";
import type { ApprovalId } from "../../vocabulary/ids.ts";
import type { OriginFacts } from "../../vocabulary/origin.ts";
import { Origin } from "../../vocabulary/origin.ts";
import type { PrincipalId, Role } from "../../vocabulary/principal.ts";
import type { AskScope } from "../../vocabulary/calls/tool-definition.ts";
import type { CodeBinding } from "./one-time-code.ts";
import { isCode, issueCode } from "./one-time-code.ts";
import type { AskRecord, TakenAnswer } from "./take-answer.ts";
import { isAsked, takeAnswer } from "./take-answer.ts";

/** An answer to a question that is named by its id or by its number, on the line of its origin. */
export interface GivenAnswer {
  readonly question: ApprovalId | number;
  readonly answer: "allow" | "deny";
  readonly scope: AskScope;
  readonly by: Origin;
  /** What was typed as the question's code. */
  readonly code?: string | undefined;
  /** With a denial: why, in its person's words. */
  readonly reason?: string;
}

/** Who may answer what (SE-084). */
export interface AnswerDesk {
  /** Whether an answer to a question counts. */
  judgeAnswer(answer: GivenAnswer): TakenAnswer;
  /** The same for an answer that may come with a code: trying one is kept before it is looked at, and at most three are (SE-081). */
  proveAnswer(answer: GivenAnswer, signal: AbortSignal): Promise<TakenAnswer>;
  /** The same for a command: its face vouches for who calls. */
  judgeFrom(answer: Omit<GivenAnswer, "by" | "code">, by: OriginFacts): TakenAnswer;
  /** A code for a question that is asked on a line whose writer nobody vouches for; null on every other line. */
  codeFor(question: Omit<CodeBinding, "generation" | "person">, asked: Origin): ReturnType<typeof issueCode> | null;
  /** Whether a question of this person is for whoever calls. */
  isAsked(person: PrincipalId, by: OriginFacts): boolean;
}

/** What it stands on. */
export interface AnswerDeskNeeds {
  readonly store: Store;
  readonly clock: Pick<Clock, "nowMs">;
  readonly ownAccounts: () => ReadonlySet<PrincipalId>;
  readonly roleOf: (person: PrincipalId) => Role;
  readonly hides: (text: string) => boolean;
}

/** Make the desk. */
export function createAnswerDesk({ store, clock, ownAccounts, roleOf, hides }: AnswerDeskNeeds): AnswerDesk {
  const recordOf = (question: ApprovalId | number): AskRecord | null =>
    typeof question === "number" ? store.read.calls.askNumbered(question) : store.read.calls.ask(question);
  const judge = ({ question, ...given }: Omit<GivenAnswer, "by" | "code">, by: OriginFacts, proved = false): TakenAnswer => {
    const about = { record: recordOf(question), by, proved, ownAccounts: ownAccounts(), roleNow: roleOf(by.principal), hides };
    return takeAnswer({ ...given, ...about, nowMs: clock.nowMs() });
  };
  const trial = async (
    question: ApprovalId | number,
    code: string,
    { principal }: OriginFacts,
  ): Promise<"right" | "wrong_code" | "code_over"> => {
    const record = recordOf(question);
    const { tried } = record === null ? { tried: null } : await store.calls.tryCode({ approval: record.approval, atMs: clock.nowMs() });
    if (record === null || tried === null) return "code_over";
    const { approval, digest } = record;
    return isCode(code, tried, { approval, digest, person: principal, generation: store.generation }) ? "right" : "wrong_code";
  };
  return {
    judgeAnswer: ({ by, ...given }) => judge(given, Origin.factsOf(by)),
    judgeFrom: (given, by) => judge(given, by),
    async proveAnswer({ by, code, ...given }, signal) {
      throwIfAborted(signal);
      const facts = Origin.factsOf(by);
      const judged = judge(given, facts);
      if (judged.kind === "taken") return code === undefined ? judged : { kind: "refused", why: "scope" };
      // Nothing is tried for an answer that would not count with the right one either.
      if (judged.why !== "code" || code === undefined) return judged;
      const found = await trial(given.question, code, facts);
      return found === "right" ? judge(given, facts, true) : { kind: "refused", why: found };
    },
    codeFor(question, asked) {
      const { assurance, principal } = Origin.factsOf(asked);
      if (assurance !== "relayed") return null;
      return issueCode({ ...question, person: principal, generation: store.generation }, clock.nowMs());
    },
    isAsked: (person, by) => isAsked(person, by, ownAccounts()),
  };
}
