import type { AskScope } from "./tool-definition.ts";
import { ASK_SCOPES } from "./tool-definition.ts";

/** An answer as somebody typed it: which question, and what. */
export interface TypedAnswer {
  readonly number: number;
  readonly answer: "allow" | "deny";
  readonly scope: AskScope;
}

const MAX_CHARACTERS = 60;
const FORM = /^(allow|deny)\s+#?([1-9]\d{0,8})(?:\s+([a-z]+))?[.!]?$/;

/** Read `allow 7`, `allow 7 session` or `deny 7` off a whole line; null for anything else. A number is always needed. */
export function parseTypedAnswer(text: string): TypedAnswer | null {
  if (text.length > MAX_CHARACTERS) return null;
  const [, verb, number, word] = FORM.exec(text.trim().normalize("NFKC").toLowerCase()) ?? [];
  if (verb === undefined || number === undefined) return null;
  const scope = word === undefined ? "once" : ASK_SCOPES.find((one) => one === word);
  if (scope === undefined || (verb === "deny" && word !== undefined)) return null;
  return { number: Number(number), answer: verb === "allow" ? "allow" : "deny", scope };
}
