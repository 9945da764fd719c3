import type { Role } from "../../vocabulary/principal.ts";
import type { MessageClass } from "../../vocabulary/turn.ts";

const MAX_ANSWER_CHARACTERS = 32;

/** A question that waits for one person on one line. */
export interface OpenQuestion {
  /** Words that answer it, folded. */
  readonly words: readonly string[];
  readonly askedAtMs: number;
}

/** What tells the classes apart beside the text. */
export interface ClassFacts {
  readonly role: Role;
  readonly atMs: number;
  /** Whether the text is a registered command. */
  readonly isCommand: (text: string) => boolean;
  /** Questions that are open for this very person on this very line. */
  readonly questions: readonly OpenQuestion[];
  /** Words that stop, pause or steer; an operator's alone. */
  readonly controlWords: readonly string[];
}

/**
 * Sort an admitted line (TR-007). `text` is its writer's own words without the character's name. A bare word is an answer only
 * when exactly one question is open and the word came after it (SE-084): with two open nobody can tell which one is meant. A word
 * of control is an operator's; from anybody else it is talk.
 */
export function classOf(text: string, facts: ClassFacts): MessageClass {
  const word = bareWord(text);
  if (word !== null && facts.role === "operator" && facts.controlWords.includes(word)) return "control";
  if (facts.isCommand(text)) return "command";
  const [question, ...others] = facts.questions;
  if (word === null || question === undefined || others.length > 0) return "talk";
  return question.words.includes(word) && question.askedAtMs <= facts.atMs ? "answer" : "talk";
}

/** One word without punctuation after it, folded; null for anything longer. */
function bareWord(text: string): string | null {
  const word = text.trim().replace(/(?<![.!])[.!]+$/u, "");
  return word === "" || word.length > MAX_ANSWER_CHARACTERS || /\s/u.test(word) ? null : word.normalize("NFKC").toLowerCase();
}
