import { RuntimeError } from "../../../foundation/errors.ts";

/** Characters that one line of the stream may have: a snapshot of several private lines stays far below. */
export const MAX_LINE_CHARACTERS = 8_388_608;

/** Cuts a stream of text into lines of JSON. Pieces may end anywhere, also within a line. */
export class JsonLines {
  #rest = "";

  /**
   * Give the values that are whole with this piece; empty lines are skipped.
   * @throws RuntimeError `capacity` past {@link MAX_LINE_CHARACTERS}, SyntaxError where a line is no JSON.
   */
  push(piece: string): readonly unknown[] {
    const lines = (this.#rest + piece).split("\n");
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > MAX_LINE_CHARACTERS) throw new RuntimeError("capacity", "Cannot read the stream: one line is too long");
    return lines.filter((line) => line.trim() !== "").map((line): unknown => JSON.parse(line));
  }
}
