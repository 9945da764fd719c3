import type { InboundEvent } from "../../vocabulary/inbound.ts";
import { startsWithWord } from "./greeting.ts";

/** Names of present people that are looked at, at most. */
const MAX_PEOPLE = 256;
/** Characters at the front of a line in which an `@name` is looked for. */
const MAX_FRONT = 256;
const EVERYONE = /(?<![\p{L}\p{N}_])@(?:everyone|here|all)(?![\p{L}\p{N}_])/iu;

/** Whether a line speaks to everybody at once, by markup or by word (cases A7). */
export function speaksToEveryone(words: string, event: Pick<InboundEvent, "mentions">): boolean {
  return event.mentions?.everyone === true || EVERYONE.test(words);
}

/**
 * Tell whether a line that names no character speaks to somebody else (cases A9): by the platform's mention or reply, by an
 * `@name` at its front, or by the name of somebody present where one calls people by name. A line that only tells of somebody
 * ("Bob is late") speaks to nobody else.
 */
export function speaksToAnother(
  words: string,
  event: Pick<InboundEvent, "mentions" | "replyTo" | "sender">,
  people: () => readonly string[],
): boolean {
  if (event.mentions?.others === true) return true;
  if (event.replyTo !== undefined && event.replyTo !== event.sender.principal) return true;
  const text = words.trim().toLowerCase();
  if (/^(?:\S+[\s,]+)?@[\p{L}\p{N}_]/u.test(text.slice(0, MAX_FRONT))) return true;
  const own = fold(event.sender.displayName);
  return people()
    .slice(0, MAX_PEOPLE)
    .some((person) => fold(person) !== own && callsOn(text, fold(person)));
}

function callsOn(text: string, name: string): boolean {
  const [first = ""] = name.split(" ", 1);
  return calls(text, name) || (first !== name && first.length > 1 && calls(text, first));
}

/** `@bob …`, `bob: …`, `bob can you …?`, `hi bob`, `…, bob`. */
function calls(text: string, name: string): boolean {
  if (name === "" || !text.includes(name)) return false;
  if (startsWithWord(text.slice(text.indexOf(`@${name}`)), `@${name}`)) return true;
  // No two neighbours in these patterns match the same character: a long line must not make them try all ways to share it.
  const asked = text.replace(/^[\p{L}]+[\s,]+(?=[^\s,]\S*$)/u, "");
  if (startsWithWord(text, name) || startsWithWord(asked, name)) {
    const rest = (startsWithWord(text, name) ? text : asked).slice(name.length).trim();
    return rest === "" || /^[,:;!?.\u2013\u2014-]/u.test(rest) || rest.endsWith("?");
  }
  return text.replace(/(?<![\s.!?])[\s.!?]+$/u, "").endsWith(`, ${name}`);
}

function fold(name: string): string {
  return name.normalize("NFKC").toLowerCase().trim();
}
