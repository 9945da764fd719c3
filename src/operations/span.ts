import { RuntimeError } from "../foundation/errors.ts";

const UNITS: ReadonlyMap<string, number> = new Map([
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);
/** Longest time that can be named, in milliseconds: a year. */
export const MAX_SPAN_MS: number = 366 * 86_400_000;

/** What people type for a time: `30m`, `4h`, `2d`. For descriptions and errors. */
export const SPAN_FORM = "30m, 4h or 2d";

/** Read a time as people type it, in milliseconds: at least a minute, at most a year. @throws RuntimeError `usage` */
export function parseSpan(text: string): number {
  const [, number = "", unit = ""] = /^(\d{1,6})([mhd])$/.exec(text.trim()) ?? [];
  const spanMs = Number(number) * (UNITS.get(unit) ?? 0);
  if (spanMs <= 0 || spanMs > MAX_SPAN_MS)
    throw new RuntimeError("usage", `Cannot read the time: write it as ${SPAN_FORM}, at least a minute and at most a year`);
  return spanMs;
}
