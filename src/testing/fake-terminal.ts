import { PassThrough } from "node:stream";

/** A terminal without a terminal: what a person types goes in, what they see comes out. It works on every system. */
export class FakeTerminal {
  readonly input: PassThrough & { isTTY?: boolean; setRawMode?: (raw: boolean) => void } = new PassThrough();
  readonly output: PassThrough & { isTTY?: boolean; columns?: number } = new PassThrough();
  /** Whether the terminal is raw now, as the line editor left it. */
  raw = false;
  #shown = "";
  readonly #watchers = new Set<() => void>();

  constructor(isTerminal: boolean = true) {
    this.input.isTTY = isTerminal;
    this.input.setRawMode = (raw) => void (this.raw = raw);
    this.output.isTTY = isTerminal;
    this.output.columns = 80;
    this.output.on("data", (chunk: Buffer) => {
      this.#shown += chunk.toString();
      for (const look of this.#watchers) look();
    });
  }

  /** All that was ever shown, without what moves the cursor. */
  get shown(): string {
    // oxlint-disable-next-line no-control-regex -- escape sequences are exactly what is taken out
    return this.#shown.replace(/\u001b\[[0-9;]*[A-Za-z]/g, "").replaceAll("\r", "");
  }

  /** All that was ever shown, byte for byte. */
  get bytes(): string {
    return this.#shown;
  }

  /** Wait until these words were shown behind `after` characters, and give where they end. */
  until(words: string, after: number = 0): Promise<number> {
    return new Promise((resolve) => {
      const look = (): void => {
        const at = this.shown.indexOf(words, after);
        if (at < 0) return;
        this.#watchers.delete(look);
        resolve(at + words.length);
      };
      this.#watchers.add(look);
      look();
    });
  }

  type(text: string): void {
    this.input.write(text);
  }
}
