import type { ResumeRow, StoreReader } from "../../store/store.ts";
import type { VoiceOutcome, VoiceRecord } from "../../vocabulary/reply.ts";
import type { Turn } from "../../vocabulary/turn.ts";
import type { Voice } from "./voice.ts";

/** What takes an answer. */
export interface AnswerVoiceNeeds {
  readonly questions: StoreReader["openQuestions"];
  /** The answer in a line's words; null when they hold none. */
  readonly answerOf: (turn: Turn) => "yes" | "no" | null;
  /** Let the turn go on that asked; false when nothing waits for exactly that answer any more. */
  readonly resume: (answer: Pick<ResumeRow, "approval" | "digest" | "person" | "answer">) => Promise<boolean>;
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
 * The voice of answers to open questions (TR-007, SE-084): no model, and no words of its own, since the turn that asked goes on and
 * speaks. It looks again at what is open: with none or with several left, nobody can tell what was answered, and it is refused.
 */
export function createAnswerVoice({ questions, answerOf, resume }: AnswerVoiceNeeds): Voice {
  return {
    async run(turn): Promise<VoiceOutcome> {
      const [question, ...others] = questions(turn.person, turn.place.id);
      const answer = answerOf(turn);
      if (question === undefined || others.length > 0 || answer === null) return { kind: "refused", reason: "not_found", record: RECORD };
      const { approval, digest } = question;
      const resumed = await resume({ approval, digest, person: turn.person, answer });
      return resumed ? { kind: "silence", record: RECORD } : { kind: "refused", reason: "not_found", record: RECORD };
    },
  };
}
