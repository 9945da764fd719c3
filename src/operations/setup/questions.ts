import { linkSignals } from "../../foundation/cancellation.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { Line } from "../../foundation/line.ts";
import { line, text, toned } from "../../foundation/line.ts";
import type { Printable } from "../../foundation/printable.ts";
import { printable } from "../../foundation/printable.ts";
import type { Prompter } from "./prompter.ts";

/** Wrong answers to one question before it is given up: a pasted file would go on for ever. */
const MAX_TRIES = 5;

/** What every question has. */
export interface Asked {
  /** The question, without its default and without a mark at the end. */
  readonly words: Printable;
  /** The option that answers it: `--name`. */
  readonly option: string;
}

/** A question for a line of text. */
export interface TextQuestion extends Asked {
  /** What the option said; undefined when it was not given. */
  readonly given: string | undefined;
  /** Taken when only Enter is pressed. */
  readonly fallback: string;
  /** How the default is shown, where it is too long to show as it is; "" shows none. */
  readonly shown?: Printable;
  /** The rule that an answer breaks, or null. It goes on the screen, so it holds nothing of the answer. */
  readonly check?: (answer: string) => string | null;
}

/** A question for one of several. */
export interface Choice extends Asked {
  readonly given: string | undefined;
  readonly options: readonly { readonly word: string; readonly says: Printable }[];
  /** The word of the default. */
  readonly fallback: string;
}

/**
 * Where a command's answers come from, in this order: its options, the person at the terminal, the defaults if `--yes` stands
 * there. A question that none of them answers is an error that names the option.
 */
export class Questions {
  readonly #prompter: Prompter | null;
  readonly #yes: boolean;

  constructor(from: { readonly prompter: Prompter | null; readonly yes: boolean }) {
    this.#prompter = from.yes ? null : from.prompter;
    this.#yes = from.yes;
  }

  /** Whether a person answers. */
  get interactive(): boolean {
    return this.#prompter !== null;
  }

  /** Show lines to the person, if there is one. */
  tell(...lines: readonly Line[]): void {
    this.#prompter?.tell(lines);
  }

  /** @throws RuntimeError `usage` when the option breaks the rule, or nobody answers; `aborted` */
  async text(question: TextQuestion, signal: AbortSignal): Promise<string> {
    const { given, fallback, check = () => null } = question;
    if (given !== undefined) return checked(given.trim(), question, check);
    if (this.#prompter === null) return this.#default(question, fallback);
    const shown = question.shown ?? (fallback === "" ? null : printable(fallback, 60));
    const words = shown === null || shown === "" ? text`${question.words}:` : text`${question.words} [${shown}]:`;
    const read: Reading<string> = (typed) => {
      const answer = typed.trim() === "" ? fallback : typed.trim();
      const rule = check(answer);
      return rule === null ? { kind: "answer", answer } : { kind: "again", rule };
    };
    return await until(this.#prompter, words, read, signal);
  }

  /** @throws RuntimeError `usage`, `aborted` */
  async yes(question: Asked & { readonly given: boolean | undefined; readonly fallback: boolean }, signal: AbortSignal): Promise<boolean> {
    const { given, fallback, words } = question;
    if (given !== undefined) return given;
    if (this.#prompter === null) return this.#default(question, fallback);
    const marks = printable(fallback ? "[Y/n]" : "[y/N]");
    const read: Reading<boolean> = (typed) => {
      const word = typed.trim().toLowerCase();
      if (word === "") return { kind: "answer", answer: fallback };
      if (["y", "yes"].includes(word)) return { kind: "answer", answer: true };
      if (["n", "no"].includes(word)) return { kind: "answer", answer: false };
      return { kind: "again", rule: "say y or n" };
    };
    return await until(this.#prompter, text`${words}? ${marks}`, read, signal);
  }

  /** Give the word of the chosen one. @throws RuntimeError `usage`, `aborted` */
  async choose(question: Choice, signal: AbortSignal): Promise<string> {
    const { given, options, fallback, words } = question;
    const known = (word: string): string | undefined => options.find((one) => one.word === word)?.word;
    const rule = `say one of ${options.map(({ word }) => printable(word, 60)).join(", ")}`;
    if (given !== undefined) return checked(given, question, (word) => (known(word) === undefined ? rule : null));
    if (this.#prompter === null) return this.#default(question, fallback);
    this.#prompter.tell(options.map(({ says }, at) => line`  ${at + 1}  ${says}`));
    const standard = options.findIndex(({ word }) => word === fallback) + 1;
    const read: Reading<string> = (typed) => {
      const answer = typed.trim() === "" ? fallback : (options[Number(typed.trim()) - 1]?.word ?? known(typed.trim()));
      return answer === undefined ? { kind: "again", rule: `say a number from 1 to ${options.length}` } : { kind: "answer", answer };
    };
    return await until(this.#prompter, text`${words} [${standard}]:`, read, signal);
  }

  /** Something that nobody may see, or null for only Enter. Only a person is asked. @throws RuntimeError `aborted` */
  async hidden<Value>(words: Printable, read: (typed: string) => Value, signal: AbortSignal): Promise<Value | null> {
    if (this.#prompter === null) return null;
    for (let tries = 1; ; tries += 1) {
      const typed = await this.#prompter.hidden(text`${words}:`, signal);
      if (typed.trim() === "") return null;
      try {
        return read(typed.trim());
      } catch (error) {
        if (!(error instanceof RuntimeError) || tries === MAX_TRIES) throw error;
        this.tell(toned("bad", line`  ${printable(error.message)}`));
      }
    }
  }

  /**
   * Wait for work while the person may press Enter to go on without it: null then, and at once where nobody is there to wait.
   * @throws RuntimeError `aborted`; whatever the work throws
   */
  async waitFor<Value>(words: Printable, work: (signal: AbortSignal) => Promise<Value>, signal: AbortSignal): Promise<Value | null> {
    if (this.#prompter === null) return null;
    using ends = linkSignals(signal);
    const pressed = this.#prompter.line(words, ends.signal).then(() => null);
    const worked = work(ends.signal);
    try {
      return await Promise.race([pressed, worked]);
    } finally {
      ends.abort(new RuntimeError("aborted", "Cannot go on waiting: it is decided"));
      // The terminal is free again only when the question is gone.
      await Promise.allSettled([pressed, worked]);
    }
  }

  #default<Answer>({ words, option }: Asked, fallback: Answer): Answer {
    if (this.#yes) return fallback;
    throw new RuntimeError(
      "usage",
      `Cannot ask "${words}": this is no terminal; answer with ${option}, or take every default that is left with --yes`,
    );
  }
}

/** What a typed line comes to. */
type Reading<Answer> = (
  typed: string,
) => { readonly kind: "answer"; readonly answer: Answer } | { readonly kind: "again"; readonly rule: string };

async function until<Answer>(prompter: Prompter, words: Printable, read: Reading<Answer>, signal: AbortSignal): Promise<Answer> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const reading = read(await prompter.line(words, signal));
    if (reading.kind === "answer") return reading.answer;
    prompter.tell([toned("bad", line`  ${printable(reading.rule)}`)]);
  }
  throw new RuntimeError("usage", `Cannot go on: ${MAX_TRIES} answers in a row could not be taken`);
}

function checked(given: string, { option }: Asked, check: (answer: string) => string | null): string {
  const rule = check(given);
  if (rule !== null) throw new RuntimeError("usage", `Cannot take ${option}: ${rule}`);
  return given;
}
