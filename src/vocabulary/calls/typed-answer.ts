import { codeIn } from "./answer-code.ts";
import { reasonIn } from "./approval-answer.ts";
import type { AskScope } from "./tool-definition.ts";
import { ASK_SCOPES } from "./tool-definition.ts";

/** An answer as somebody typed it: which question, and what. */
export interface TypedAnswer {
  readonly number: number;
  readonly answer: "allow" | "deny";
  readonly scope: AskScope;
  /** With an allow on a line whose writer nobody vouches for: the code that was sent with the question (SE-081). */
  readonly code?: string;
  /** With a denial: why, in its person's words. */
  readonly reason?: string;
}

const MAX_CHARACTERS = 60;
const FORM = /^(allow|deny)\s+#?([1-9]\d{0,8})(?:\s+([a-z0-9-]+))?[.!]?$/;

/** Read `allow 7`, `allow 7 session`, `allow 7 K7QM2XHP`, `deny 7` or `deny 7; not that one` off a whole line; null for anything else. A number is always needed. */
export function parseTypedAnswer(text: string): TypedAnswer | null {
  const { head, reason } = splitReason(text);
  if (head.length > MAX_CHARACTERS) return null;
  const [, verb, number, word] = FORM.exec(head.trim().normalize("NFKC").toLowerCase()) ?? [];
  if (number === undefined) return null;
  if (verb === "deny") return word === undefined ? { number: Number(number), answer: "deny", scope: "once", ...because(reason) } : null;
  // Words behind an allow could be a condition, which no call knows of: then it is no answer.
  const how = reason === undefined ? allowIn(word) : null;
  return how === null ? null : { number: Number(number), answer: "allow", ...how };
}

/** How far an allow goes, or the code it comes with; null for a word that is neither. */
function allowIn(word: string | undefined): Pick<TypedAnswer, "scope" | "code"> | null {
  const scope = word === undefined ? "once" : ASK_SCOPES.find((one) => one === word);
  if (scope !== undefined) return { scope };
  const code = codeIn(word ?? "");
  return code === null ? null : { scope: "once", code };
}

function because(reason: string | undefined): Pick<TypedAnswer, "reason"> {
  return reason === undefined ? {} : { reason };
}

/** What stands before the first `;`, and the reason behind it. */
export function splitReason(text: string): { readonly head: string; readonly reason?: string } {
  const at = text.indexOf(";");
  const reason = at < 0 ? null : reasonIn(text.slice(at + 1));
  return reason === null ? { head: at < 0 ? text : text.slice(0, at) } : { head: text.slice(0, at), reason };
}
