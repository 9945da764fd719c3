import { z } from "zod";
import type { Clock } from "../../foundation/clock.ts";
import type { CharacterId } from "../../vocabulary/ids.ts";
import type { Place } from "../../vocabulary/place.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { Declared, Operation } from "../operation.ts";
import { declare } from "../operation.ts";
import type { OwnAnswer } from "./own-operation.ts";
import { ANYBODY, isVouchedFor, ownAnswer, renderOwn, saidIn } from "./own-operation.ts";
import { ownTexts } from "./own-texts.ts";

/** Where a conversation can begin anew. */
export interface OwnConversation {
  reset(row: { readonly person: PrincipalId; readonly character: CharacterId; readonly place: Place; readonly atMs: number }): Promise<{
    readonly lines: number;
    readonly answers: number;
  }>;
}

/** `/reset`: what this person and this character said to each other here is out of its mind (TR-082). */
export const reset: Declared<Record<string, never>, OwnAnswer> = declare<Record<string, never>, OwnAnswer>({
  name: "reset",
  summary: "begin anew: what you and this character said here is out of its mind",
  arguments: z.strictObject({}),
  positional: [],
  who: ANYBODY,
  result: ownAnswer,
  render: renderOwn,
});

/** Bind it to where conversations are kept. Only of whoever says it, and only where it is sure enough who that is (SE-081). */
export function bindReset(conversation: OwnConversation, clock: Pick<Clock, "nowMs">): Operation {
  return reset.bind(async (_, context) => {
    const { place, character, characterName, language } = saidIn(context);
    const texts = ownTexts(language);
    if (!isVouchedFor(context)) return { words: [texts.notVouched] };
    const { lines, answers } = await conversation.reset({ person: context.actor.principal, character, place, atMs: clock.nowMs() });
    return { words: [texts.reset(characterName, lines, answers)] };
  });
}
