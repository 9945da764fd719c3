import type { Role } from "../../vocabulary/principal.ts";
import { parseTypedAnswer, splitReason } from "../../vocabulary/calls/typed-answer.ts";
import type { MessageClass } from "../../vocabulary/turn.ts";

const MAX_ANSWER_CHARACTERS = 32;

/** The words that answer a question, folded, by what they answer. Everybody's own language may be used. */
const ANSWERS: Readonly<Record<"yes" | "no", readonly string[]>> = {
  yes: ["yes", "y", "ja", "oui", "sí", "si", "sì", "sim", "tak", "はい"],
  no: ["no", "n", "nein", "nee", "non", "não", "nie", "nej", "いいえ"],
};

/** A bare word as an answer, and why where it was a no with a reason. */
export interface BareAnswer {
  readonly answer: "yes" | "no";
  readonly reason?: string;
}

/** What a line answers that holds one bare word, or `no; reason`; null for any other line. */
export function answerIn(text: string): BareAnswer | null {
  const { head, reason } = splitReason(text);
  const word = bareWord(head) ?? "";
  if (ANSWERS.no.includes(word)) return { answer: "no", ...(reason === undefined ? {} : { reason }) };
  // A yes with words behind it may be a yes to something else.
  return ANSWERS.yes.includes(word) && reason === undefined ? { answer: "yes" } : null;
}

/** What tells the classes apart beside the text. */
export interface ClassFacts {
  readonly role: Role;
  /** Whether nobody else reads the line. */
  readonly direct: boolean;
  readonly atMs: number;
  /** Whether the text is a registered command. */
  readonly isCommand: (text: string) => boolean;
  /** Questions that are open for this very person on this very line; asked only of a line that could answer one. */
  readonly questions: () => readonly { readonly askedAtMs: number }[];
  /** Whether it stops or steers the turn that runs on this line; asked only for operators. */
  readonly isControl: (text: string) => boolean;
}

/**
 * Sort an admitted line (TR-007). `text` is its writer's own words without the character's name. A bare word is an answer only
 * when exactly one question is open and the word came after it (SE-084): with two open nobody can tell which one is meant. A word
 * of control is an operator's; from anybody else it is talk.
 */
export function classOf(text: string, facts: ClassFacts): MessageClass {
  if (facts.role === "operator" && facts.isControl(text)) return "control";
  if (facts.isCommand(text)) return "command";
  // With its number an answer says which question it means, whenever it was typed; whether it counts is judged where it is taken.
  if (facts.role === "operator" && facts.direct && parseTypedAnswer(text) !== null) return "answer";
  if (answerIn(text) === null) return "talk";
  const [question, ...others] = facts.questions();
  if (question === undefined || others.length > 0) return "talk";
  return question.askedAtMs <= facts.atMs ? "answer" : "talk";
}

/** One word without punctuation after it, folded; null for anything longer. */
function bareWord(text: string): string | null {
  const word = text.trim().replace(/(?<![.!])[.!]+$/u, "");
  return word === "" || word.length > MAX_ANSWER_CHARACTERS || /\s/u.test(word) ? null : word.normalize("NFKC").toLowerCase();
}
