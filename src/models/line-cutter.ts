import { RuntimeError } from "../foundation/errors.ts";

/** Cuts text that comes in pieces into lines, and keeps at most one line. */
export class LineCutter {
  readonly #max: number;
  /** Pieces of the line that is not ended yet: joined once, so that many small pieces cost no more than their length. */
  #open: string[] = [];
  #characters = 0;

  constructor(maxCharacters: number) {
    this.#max = maxCharacters;
  }

  /** The lines that end in this piece, without their ends (`\n` or `\r\n`). @throws RuntimeError `model_too_large` for a line over the bound. */
  *cut(piece: string): Generator<string> {
    let from = 0;
    for (let at = piece.indexOf("\n"); at >= 0; at = piece.indexOf("\n", from)) {
      this.#keep(piece.slice(from, at));
      from = at + 1;
      yield this.rest();
    }
    this.#keep(piece.slice(from));
  }

  /** What stands behind the last end of a line; the next line begins anew. */
  rest(): string {
    const line = this.#open.join("");
    this.#open = [];
    this.#characters = 0;
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }

  #keep(text: string): void {
    this.#characters += text.length;
    if (this.#characters > this.#max)
      throw new RuntimeError("model_too_large", `Cannot read the model's answer: a line is over ${this.#max} characters`);
    if (text !== "") this.#open.push(text);
  }
}
