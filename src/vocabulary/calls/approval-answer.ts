import { RuntimeError } from "../../foundation/errors.ts";
import type { ApprovalId } from "../ids.ts";
import { parseApprovalId } from "../ids.ts";
import type { AskScope } from "./tool-definition.ts";
import { ASK_SCOPES } from "./tool-definition.ts";

/** A person's answer to a question about a call, as the resumed turn is given it. */
export interface ApprovalAnswer {
  readonly approval: ApprovalId;
  readonly answer: "allow" | "deny";
  readonly scope: AskScope;
  /** With a denial: what its person said to it, for the model. */
  readonly reason?: string;
}

/** Characters of a denial's reason. */
export const MAX_REASON_CHARACTERS = 500;

/** A reason as it is kept and shown: one line, well-formed, bounded; null when nothing is left of it. */
export function reasonIn(text: string): string | null {
  const words = text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  if (words === "") return null;
  return words.length > MAX_REASON_CHARACTERS ? `${words.slice(0, MAX_REASON_CHARACTERS - 1).toWellFormed()}…` : words;
}

const FORM = /^(allow|deny) ([a-z]+) (a-[0-9a-z]{4,32})(?:; ([\s\S]+))?$/;

/** An answer as the text that a question keeps of it: without anybody's words. */
export function answerText({ approval, answer, scope }: ApprovalAnswer): string {
  return `${answer} ${scope} ${approval}`;
}

/** The same as the turn is given it that goes on, with the reason of a denial. */
export function toldAnswer(text: string, reason: string | undefined): string {
  return reason === undefined ? text : `${text}; ${reason}`;
}

/** Read either again. @throws RuntimeError `invalid_argument`; whoever can't read an answer must take it for a denial. */
export function parseAnswer(text: string): ApprovalAnswer {
  const [, answer, word, id, words] = FORM.exec(text) ?? [];
  const scope = ASK_SCOPES.find((one) => one === word);
  if (answer === undefined || scope === undefined || id === undefined || (answer === "allow" && words !== undefined))
    throw new RuntimeError("invalid_argument", "Cannot read an answer: it is not of its form");
  const reason = words === undefined ? null : reasonIn(words);
  return {
    approval: parseApprovalId(id),
    answer: answer === "allow" ? "allow" : "deny",
    scope,
    ...(reason === null ? {} : { reason }),
  };
}
