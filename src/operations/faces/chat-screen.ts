import type { Interface } from "node:readline";
import { clearLine, createInterface, cursorTo } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { Line } from "../../foundation/line.ts";
import { line, text, toned } from "../../foundation/line.ts";
import type { Printable } from "../../foundation/printable.ts";
import type { TerminalOutput, TerminalSession } from "../../vocabulary/terminal-session.ts";
import { CHAT_HELP, renderOutput } from "./chat-lines.ts";
import { styled } from "./screen.ts";

/** What a chat's screen works with. */
export interface ChatScreenNeeds {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean };
  readonly color: boolean;
  /** Tell why of an own message; whatever fails is told in lines too. */
  why(message: string): Promise<readonly Line[]>;
  /** The person pressed Ctrl-C. */
  interrupt(): void;
  /** The person asked to leave. */
  leave(): void;
}

/**
 * A person's terminal as a session: a prompt, a sign of life in it, what characters say above it. On a pipe there is no prompt
 * and no sign of life. Disposing it gives the terminal back.
 */
export class ChatScreen implements TerminalSession, Disposable {
  readonly character: string | null;
  readonly lines: AsyncIterable<string>;
  readonly #needs: ChatScreenNeeds;
  readonly #reader: Interface;
  readonly #live: boolean;
  #lastHeard: Printable | null = null;

  constructor(needs: ChatScreenNeeds, character: string | null) {
    this.#needs = needs;
    this.character = character;
    this.#live = needs.input.isTTY === true && needs.output.isTTY === true;
    this.#reader = createInterface({
      input: needs.input,
      output: this.#live ? needs.output : undefined,
      terminal: this.#live,
      prompt: "> ",
    });
    this.#reader.on("SIGINT", () => needs.interrupt());
    // Followed from here on: what is typed, and that nothing more is, may come before anybody asks for the first line.
    this.lines = this.#typed(this.#reader[Symbol.asyncIterator]());
    if (this.#live) this.#print([CHAT_HELP]).catch(() => false);
  }

  async show(output: TerminalOutput): Promise<boolean> {
    if (output.kind === "heard") this.#lastHeard = output.id;
    if (output.kind === "typing") this.#signOfLife(output.on ? output.name : null);
    return this.#print(renderOutput(output));
  }

  [Symbol.dispose](): void {
    if (this.#live) this.#clear();
    this.#reader.close();
  }

  async *#typed(reading: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
    for await (const typed of reading) {
      const command = typed.trim();
      if (command === "/quit") {
        this.#needs.leave();
        return;
      }
      if (command === "/why") await this.#why();
      else yield typed;
      if (this.#live) this.#reader.prompt();
    }
  }

  async #why(): Promise<void> {
    if (this.#lastHeard === null) await this.#print([toned("faint", line`· Nothing was said yet.`)]);
    else await this.#print(await this.#needs.why(this.#lastHeard));
  }

  #signOfLife(name: Printable | null): void {
    if (!this.#live) return;
    this.#reader.setPrompt(name === null ? "> " : text`(${name} is thinking …) > `);
    this.#reader.prompt(true);
  }

  #print(lines: readonly Line[]): Promise<boolean> {
    if (lines.length === 0) return Promise.resolve(true);
    if (this.#live) this.#clear();
    const shown = lines.map((one) => `${styled(one, this.#needs.color)}\n`).join("");
    return new Promise<boolean>((resolve) => {
      if (!this.#needs.output.writable) return resolve(false);
      this.#needs.output.write(shown, (error) => resolve(error === null || error === undefined));
      if (this.#live) this.#reader.prompt(true);
    });
  }

  #clear(): void {
    cursorTo(this.#needs.output, 0);
    clearLine(this.#needs.output, 0);
  }
}
