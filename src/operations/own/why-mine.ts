import { z } from "zod";
import type { PersonOutcome } from "../../vocabulary/outcome.ts";
import type { PlaceId } from "../../vocabulary/place.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { Declared, Operation } from "../operation.ts";
import { declare } from "../operation.ts";
import type { OwnAnswer } from "./own-operation.ts";
import { ANYBODY, ownAnswer, renderOwn, saidIn } from "./own-operation.ts";
import { ownTexts } from "./own-texts.ts";

/** What became of somebody's last line in a place; null where nothing is known of one. */
export type LastOutcome = (person: PrincipalId, place: PlaceId) => Exclude<PersonOutcome, "waiting"> | null;

/** `/why`: what became of the last own line here, in one of five words, and nothing of gates, rules, roles or budgets (SE-094). */
export const whyMine: Declared<Record<string, never>, OwnAnswer> = declare<Record<string, never>, OwnAnswer>({
  name: "why",
  summary: "what became of the last thing you said here",
  arguments: z.strictObject({}),
  positional: [],
  who: ANYBODY,
  result: ownAnswer,
  render: renderOwn,
});

/** Bind it. */
export function bindWhyMine(last: LastOutcome): Operation {
  return whyMine.bind((_, context) => {
    const { place, language } = saidIn(context);
    const texts = ownTexts(language);
    const outcome = last(context.actor.principal, place.id);
    return Promise.resolve({ words: [outcome === null ? texts.nothingSaid : texts.outcomes[outcome]] });
  });
}
