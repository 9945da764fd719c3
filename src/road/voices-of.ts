import { withoutAlias } from "./1-admission/addressed.ts";
import { answerIn } from "./1-admission/message-class.ts";
import { commandWords } from "./1-admission/own-words.ts";
import type { AnswerVoiceNeeds } from "./3-turns/answer-voice.ts";
import { createAnswerVoice } from "./3-turns/answer-voice.ts";
import { heldIn } from "./3-turns/held-reply.ts";
import { heldVoice } from "./3-turns/held-voice.ts";
import type { TurnNeeds } from "./3-turns/turns.ts";
import type { RoadNeeds } from "./road.ts";
import { parseTypedAnswer } from "../vocabulary/calls/typed-answer.ts";

/** The voices of the policy, and that of answers to open questions; such a line may call its character by name first. */
export function voicesOf({ ledger, policy, authority }: RoadNeeds, goOn: AnswerVoiceNeeds["resume"]): TurnNeeds["voices"] {
  const answers = createAnswerVoice({
    questions: (person, place) => ledger.openQuestions(person, place),
    answerOf: ({ place, character, trigger }) => {
      const aliases = policy.space({ surface: place.surface }).present.find(({ id }) => id === character)?.aliases ?? [];
      const words = withoutAlias(commandWords(trigger.text), aliases);
      return parseTypedAnswer(words) ?? answerIn(words);
    },
    judge: (answer, signal) => authority.proveAnswer(answer, signal),
    resume: goOn,
  });
  return {
    voiceOf: (turn) => (turn.class === "answer" ? answers : heldIn(turn) === null ? policy.voiceOf(turn) : heldVoice),
    deadlineMs: (turn) => policy.deadlineMs(turn),
  };
}
