import { z } from "zod";
import type { Declared, Operation } from "../operation.ts";
import { declare } from "../operation.ts";
import type { OwnAnswer } from "./own-operation.ts";
import { ANYBODY, ownAnswer, renderOwn, saidIn } from "./own-operation.ts";
import { ownTexts } from "./own-texts.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** What `/privacy` tells of; read anew at each use. */
export interface PrivacyFacts {
  /** Who runs this, as the disclosure has it. */
  operator(): string;
  /** Who else reads what a model is sent; null when no model is configured. */
  modelHost(): string | null;
  /** How long things are kept, in milliseconds. */
  readonly keptMs: { readonly public: number; readonly direct: number; readonly decisions: number };
}

/** `/privacy`: what is stored, for how long, and that operator and model host can read it (TR-091). */
export const privacy: Declared<Record<string, never>, OwnAnswer> = declare<Record<string, never>, OwnAnswer>({
  name: "privacy",
  summary: "what is kept of what you say, for how long, and who can read it",
  arguments: z.strictObject({}),
  positional: [],
  who: ANYBODY,
  result: ownAnswer,
  render: renderOwn,
});

/** Bind it to what is so. */
export function bindPrivacy(facts: PrivacyFacts): Operation {
  return privacy.bind((_, context) => {
    const texts = ownTexts(saidIn(context).language);
    const { keptMs } = facts;
    return Promise.resolve({
      words: [
        texts.inPublic(Math.round(keptMs.public / MINUTE_MS)),
        texts.inPrivate(Math.round(keptMs.direct / DAY_MS)),
        texts.withoutWords(Math.round(keptMs.decisions / DAY_MS)),
        texts.readers(facts.operator()),
        texts.host(facts.modelHost()),
        texts.rights,
      ],
    });
  });
}
