import type { Printable } from "./printable.ts";
import { printable } from "./printable.ts";

/** Longest line that {@link line} gives, in characters; foreign parts are already bounded by `printable`. */
const MAX_LINE_CHARACTERS = 4_000;

/** What a line is, for a face that can show it by colour or weight; its words must say the same without it. `paper` is white on black whatever the terminal's own colours: for pictures that are read by machines. */
export type Tone = "plain" | "strong" | "faint" | "good" | "bad" | "paper";

/** One line for people, ready for a terminal. */
export interface Line {
  readonly tone: Tone;
  readonly text: Printable;
}

/**
 * Write one line: the fixed parts are the code's own words, and whatever is put between them must be {@link Printable} or a
 * number, so that no foreign text gets to a terminal unchecked (SE-103).
 */
export function line(words: TemplateStringsArray, ...parts: readonly (Printable | number)[]): Line {
  return { tone: "plain", text: text(words, ...parts) };
}

/** The same as text alone, to be put into another line. */
export function text(words: TemplateStringsArray, ...parts: readonly (Printable | number)[]): Printable {
  return printable(String.raw({ raw: words }, ...parts), MAX_LINE_CHARACTERS);
}

/** The same line in another tone. */
export function toned(tone: Tone, of: Line): Line {
  return { tone, text: of.text };
}

/** Lay out rows of cells as lines whose columns begin at the same place; the last column is not padded. */
export function columns(rows: readonly (readonly Printable[])[], indent: number = 2): readonly Line[] {
  const widths = rows.reduce<readonly number[]>((sofar, row) => row.map((cell, at) => Math.max(sofar[at] ?? 0, widthOf(cell))), []);
  return rows.map((row) => {
    const cells = row.map((cell, at) => (at === row.length - 1 ? cell : cell + " ".repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell)))));
    return { tone: "plain", text: printable(`${" ".repeat(indent)}${cells.join("  ").trimEnd()}`, MAX_LINE_CHARACTERS) };
  });
}

function widthOf(cell: string): number {
  return Array.from(cell).length;
}
