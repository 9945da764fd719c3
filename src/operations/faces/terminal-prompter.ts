import type { Interface } from "node:readline";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Writable } from "node:stream";
import { orAbort } from "../../foundation/cancellation.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { Line } from "../../foundation/line.ts";
import type { Printable } from "../../foundation/printable.ts";
import type { Prompter } from "../setup/prompter.ts";
import { styled } from "./screen.ts";

/** What a prompter works with. */
export interface TerminalPrompterNeeds {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly color: boolean;
  /** The person pressed Ctrl-C. */
  interrupt(): void;
}

/** Longest answer that is taken, in characters: more than any secret may have. */
const MAX_ANSWER_CHARACTERS = 32_768;

/**
 * Ask a person at a terminal, or null where input or output is none: then nobody is there to ask. The terminal is in raw mode
 * from now until disposal, so the system itself echoes nothing; while no question stands there, or a hidden one does, nothing
 * else does.
 */
export function openPrompter(needs: TerminalPrompterNeeds): Prompter | null {
  return needs.input.isTTY === true && needs.output.isTTY === true ? new TerminalPrompter(needs) : null;
}

class TerminalPrompter implements Prompter {
  readonly #needs: TerminalPrompterNeeds;
  readonly #echo: Echo;
  readonly #reader: Interface;
  #taking: ((typed: string | null) => void) | null = null;
  #ended = false;

  constructor(needs: TerminalPrompterNeeds) {
    this.#needs = needs;
    this.#echo = new Echo(needs.output);
    // No history: an answer is not offered again, and a key is nobody's to scroll back to.
    this.#reader = createInterface({ input: needs.input, output: this.#echo, terminal: true, historySize: 0, prompt: "" });
    this.#reader.on("line", (typed) => this.#take(typed));
    this.#reader.on("close", () => this.#take(null));
    this.#reader.on("SIGINT", () => needs.interrupt());
  }

  line(question: Printable, signal: AbortSignal): Promise<string> {
    return this.#ask(question, true, signal);
  }

  hidden(question: Printable, signal: AbortSignal): Promise<string> {
    return this.#ask(question, false, signal);
  }

  tell(lines: readonly Line[]): void {
    if (lines.length > 0 && this.#needs.output.writable)
      this.#needs.output.write(lines.map((one) => `${styled(one, this.#needs.color)}\n`).join(""));
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    this.#taking = null;
    this.#reader.close();
  }

  async #ask(question: Printable, shown: boolean, signal: AbortSignal): Promise<string> {
    if (this.#ended) throw new RuntimeError("aborted", "Cannot ask: the input ended");
    // Half a line that was typed while nothing was asked is no part of the answer.
    this.#reader.write(null, { ctrl: true, name: "e" });
    this.#reader.write(null, { ctrl: true, name: "u" });
    const answered = new Promise<string | null>((resolve) => (this.#taking = resolve));
    this.#echo.open = true;
    this.#reader.setPrompt(`${question} `);
    this.#reader.prompt();
    this.#echo.open = shown;
    try {
      const typed = await orAbort(answered, signal);
      if (typed === null) throw new RuntimeError("aborted", "Cannot ask: the input ended");
      if (typed.length > MAX_ANSWER_CHARACTERS)
        throw new RuntimeError("usage", `Cannot take that answer: it is over ${MAX_ANSWER_CHARACTERS} characters`);
      return typed;
    } finally {
      // The cursor goes to a new line by the Enter that was shown; after anything else it has to be put there.
      if (!shown || signal.aborted || this.#ended) this.#needs.output.write("\n");
      this.#taking = null;
      this.#echo.open = false;
      this.#reader.setPrompt("");
    }
  }

  #take(typed: string | null): void {
    if (typed === null) this.#ended = true;
    this.#taking?.(typed);
  }
}

/** The terminal as the line editor sees it: what it writes is let through only while `open`. */
class Echo extends Writable {
  readonly #terminal: TerminalPrompterNeeds["output"];
  readonly isTTY = true;
  open = false;

  constructor(terminal: TerminalPrompterNeeds["output"]) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
  }

  get columns(): number {
    return this.#terminal.columns || 80;
  }

  override _write(chunk: unknown, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.open && typeof chunk === "string" && this.#terminal.writable) this.#terminal.write(chunk);
    done();
  }
}
