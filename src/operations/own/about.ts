import { z } from "zod";
import type { Declared, Operation } from "../operation.ts";
import { declare } from "../operation.ts";
import type { OwnAnswer } from "./own-operation.ts";
import { ANYBODY, ownAnswer, renderOwn, saidIn } from "./own-operation.ts";
import { ownTexts } from "./own-texts.ts";

/** What `/about` tells of; read anew at each use. */
export interface AboutFacts {
  /** `AI character · run by NAME · …` (TR-091). */
  disclosure(): string;
  /** Whether a model speaks for the characters, or the stand-in. */
  voice(): "model" | "understudy";
}

/** `/about`: what this character is, who runs it, and what one can do about oneself (TR-091). */
export const about: Declared<Record<string, never>, OwnAnswer> = declare<Record<string, never>, OwnAnswer>({
  name: "about",
  summary: "what this character is, who runs it, and what you can do about yourself",
  arguments: z.strictObject({}),
  positional: [],
  who: ANYBODY,
  result: ownAnswer,
  render: renderOwn,
});

/** Bind it to what is so. */
export function bindAbout(facts: AboutFacts): Operation {
  return about.bind((_, context) => {
    const { characterName, language } = saidIn(context);
    const texts = ownTexts(language);
    return Promise.resolve({ words: [facts.disclosure(), texts.madeUp(characterName, facts.voice()), texts.commands] });
  });
}
