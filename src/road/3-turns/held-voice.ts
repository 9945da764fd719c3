import { isRuntimeError } from "../../foundation/errors.ts";
import { parseAnswer } from "../../vocabulary/calls/approval-answer.ts";
import type { VoiceOutcome, VoiceRecord } from "../../vocabulary/reply.ts";
import type { Turn } from "../../vocabulary/turn.ts";
import { heldIn, replyOf } from "./held-reply.ts";
import type { Voice } from "./voice.ts";

/** The voice of a reply that waited for a yes: no model, the same words again, or none (SE-084). */
export const heldVoice: Voice = {
  run(turn): Promise<VoiceOutcome> {
    const held = heldIn(turn);
    const record: VoiceRecord = {
      voice: "responder",
      by: held?.by ?? "held",
      packet: null,
      usage: { promptTokens: 0, completionTokens: 0, costMicros: 0 },
      firstTokenMs: null,
      candidates: 0,
    };
    return Promise.resolve(
      held !== null && isAllowed(turn) ? { kind: "reply", reply: replyOf(held), record } : { kind: "silence", record },
    );
  },
};

/** What cannot be read is no yes. */
function isAllowed({ resumed }: Turn): boolean {
  try {
    return parseAnswer(resumed?.answer ?? "").answer === "allow";
  } catch (error) {
    if (!isRuntimeError(error, "invalid_argument")) throw error;
    return false;
  }
}
