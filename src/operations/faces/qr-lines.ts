import { encodeQR } from "qr";
import type { Line } from "../../foundation/line.ts";
import { line, toned } from "../../foundation/line.ts";
import { printable } from "../../foundation/printable.ts";

/** Light modules around the picture, which readers need to find it. */
const QUIET = 4;
/** Two modules, one above the other, in one character; the light ones are drawn, so that it also shows on a dark terminal without colours. */
const HALVES = { "11": "█", "10": "▀", "01": "▄", "00": " " } as const;

/**
 * Draw a text as a QR code of half-height blocks. Where the terminal is too narrow, or does not say how wide it is and the picture
 * would be over 80 columns, one line says so instead: a picture that wraps reads as nothing.
 */
export function qrLines(text: string, columns: number | undefined): readonly Line[] {
  const light = encodeQR(text, "raw", { border: QUIET, ecc: "low" }).map((row) => row.map((isDark) => !isDark));
  const width = light[0]?.length ?? 0;
  if (width > (columns ?? 80)) return [toned("faint", line`  (A window of ${width} columns would show the link as a picture for phones.)`)];
  const lines: Line[] = [];
  for (let at = 0; at < light.length; at += 2) lines.push({ tone: "paper", text: printable(rowOf(light[at] ?? [], light[at + 1])) });
  return [...lines, line``];
}

/** Below the last of an odd number of rows is light. */
function rowOf(upper: readonly boolean[], lower: readonly boolean[] | undefined): string {
  return upper.map((isLight, at) => HALVES[`${isLight ? "1" : "0"}${(lower?.[at] ?? true) ? "1" : "0"}`]).join("");
}
