import type { ResumeRow, StoreReader } from "../../store/store.ts";
import type { AnswerRefusal } from "../../vocabulary/calls/answer-refusal.ts";
import { REFUSED_ANSWERS } from "../../vocabulary/calls/answer-refusal.ts";
import type { ApprovalId } from "../../vocabulary/ids.ts";
import type { Origin } from "../../vocabulary/origin.ts";
import type { VoiceOutcome, VoiceRecord } from "../../vocabulary/reply.ts";
import type { Turn } from "../../vocabulary/turn.ts";
import type { TypedAnswer } from "../../vocabulary/calls/typed-answer.ts";
import type { BareAnswer } from "../1-admission/message-class.ts";
import type { Voice } from "./voice.ts";

/** An answer as it is put to whoever judges it; a question is named by its id or by its number. */
export interface GivenAnswer extends Pick<TypedAnswer, "answer" | "scope" | "reason" | "code"> {
  readonly question: ApprovalId | number;
  readonly by: Origin;
}

/** What that one says: what the store may take, or why not. */
export type JudgedAnswer =
  | { readonly kind: "taken"; readonly row: Omit<ResumeRow, "inbox" | "atMs"> }
  | { readonly kind: "refused"; readonly why: AnswerRefusal };

/** What takes an answer. */
export interface AnswerVoiceNeeds {
  readonly questions: StoreReader["openQuestions"];
  /** The answer in a line's words: to one question by its number, or a bare yes or no; null when they hold none. */
  readonly answerOf: (turn: Turn) => BareAnswer | TypedAnswer | null;
  readonly judge: (answer: GivenAnswer, signal: AbortSignal) => Promise<JudgedAnswer>;
  /** Let the turn go on that asked; false when nothing waits for exactly that answer any more. */
  readonly resume: (answer: Omit<ResumeRow, "inbox" | "atMs">) => Promise<boolean>;
}

const RECORD: VoiceRecord = {
  voice: "operation",
  by: "answer",
  packet: null,
  usage: { promptTokens: 0, completionTokens: 0, costMicros: 0 },
  firstTokenMs: null,
  candidates: 0,
};

/**
 * The voice of answers to open questions (TR-007, SE-084): no model, and few words of its own, since the turn that asked goes on and
 * speaks. A bare word counts when exactly one question is open here: it looks again, and with none or with several left it is
 * refused. An answer with a number says which, and is told why when it does not count.
 */
export function createAnswerVoice(needs: AnswerVoiceNeeds): Voice {
  const conclude = async (given: GivenAnswer, signal: AbortSignal): Promise<JudgedAnswer> => {
    const judged = await needs.judge(given, signal);
    if (judged.kind === "refused") return judged;
    return (await needs.resume(judged.row)) ? judged : { kind: "refused", why: "not_waiting" };
  };
  return {
    async run(turn, signal): Promise<VoiceOutcome> {
      const answer = needs.answerOf(turn);
      if (answer === null) return { kind: "refused", reason: "not_found", record: RECORD };
      if ("number" in answer) {
        const { number, ...rest } = answer;
        const taken = await conclude({ ...rest, question: number, by: turn.origin }, signal);
        // A start that was cut off may have given it: then it is the answer that the question has, and there is nothing to tell.
        const isGiven = taken.kind === "taken" || (taken.why === "not_waiting" && turn.attempt > 1);
        return isGiven ? { kind: "silence", record: RECORD } : told(turn, REFUSED_ANSWERS[taken.why]);
      }
      const [question, ...others] = needs.questions(turn.person, turn.place.id);
      if (question === undefined || others.length > 0) return { kind: "refused", reason: "not_found", record: RECORD };
      const said = answer.answer === "yes" ? "allow" : "deny";
      const taken = await conclude({ question: question.approval, ...answer, answer: said, scope: "once", by: turn.origin }, signal);
      if (taken.kind === "taken") return { kind: "silence", record: RECORD };
      return taken.why === "not_waiting" || taken.why === "not_found"
        ? { kind: "refused", reason: "not_found", record: RECORD }
        : told(turn, REFUSED_ANSWERS[taken.why]);
    },
  };
}

function told({ person }: Turn, speech: string): VoiceOutcome {
  const reply = { label: "speak", action: "", speech, influence: [person], scaffold: [], canaries: [], visibleText: "" } as const;
  return { kind: "reply", reply, record: RECORD };
}
