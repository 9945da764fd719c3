import { z } from "zod";
import { RuntimeError } from "../../foundation/errors.ts";
import type { Line } from "../../foundation/line.ts";
import { printable } from "../../foundation/printable.ts";
import { assuranceReaches } from "../../vocabulary/principal.ts";
import type { OperationContext, SaidLine, Who } from "../operation.ts";

/** Anybody, on any line: these tell and change only what concerns whoever asks (TR-082, TR-091). */
export const ANYBODY: Who = { role: "guest", assurance: "anonymous", where: "anywhere" };

/** Longest line of an answer, in characters. */
const MAX_ANSWER_CHARACTERS = 1_000;

/** The result of every command about oneself: what to say, line by line, in the language of whom it was said to. */
export interface OwnAnswer {
  readonly words: readonly string[];
}

/** Checks an {@link OwnAnswer}. */
export const ownAnswer: z.ZodType<OwnAnswer> = z.object({ words: z.array(z.string()) });

/** An answer as lines. */
export function renderOwn({ words }: OwnAnswer): readonly Line[] {
  return words.map((text) => ({ tone: "plain", text: printable(text, MAX_ANSWER_CHARACTERS) }));
}

/** The line a command stands on. @throws RuntimeError `forbidden` where there is none: such a command is said, never called. */
export function saidIn({ said }: OperationContext): SaidLine {
  if (said === undefined)
    throw new RuntimeError("forbidden", "Cannot run that: it is said in a conversation, and concerns whoever says it");
  return said;
}

/** Whether it is sure enough that it is this person who asks: the platform vouches, or, in a room, the membership's secret does (SE-081). */
export function isVouchedFor({ actor }: OperationContext): boolean {
  return actor.principal.startsWith("room:") || assuranceReaches(actor.assurance, "platform");
}
