import { RuntimeError } from "../foundation/errors.ts";
import type { ApprovalId } from "./ids.ts";
import { parseApprovalId } from "./ids.ts";
import type { AskScope } from "./tool-definition.ts";
import { ASK_SCOPES } from "./tool-definition.ts";

/** A person's answer to a question about a call, as the resumed turn is given it. */
export interface ApprovalAnswer {
  readonly approval: ApprovalId;
  readonly answer: "allow" | "deny";
  readonly scope: AskScope;
}

const FORM = /^(allow|deny) ([a-z]+) (a-[0-9a-z]{4,32})$/;

/** An answer as the text that an inbox row keeps. */
export function answerText({ approval, answer, scope }: ApprovalAnswer): string {
  return `${answer} ${scope} ${approval}`;
}

/** Read it again. @throws RuntimeError `invalid_argument`; whoever can't read an answer must take it for a denial. */
export function parseAnswer(text: string): ApprovalAnswer {
  const [, answer, word, id] = FORM.exec(text) ?? [];
  const scope = ASK_SCOPES.find((one) => one === word);
  if (answer === undefined || scope === undefined || id === undefined)
    throw new RuntimeError("invalid_argument", "Cannot read an answer: it is not of its form");
  return { approval: parseApprovalId(id), answer: answer === "allow" ? "allow" : "deny", scope };
}
