import { RuntimeError } from "./errors.ts";
import { sha256Hex } from "./ids.ts";

/** Deepest nesting that is written. */
const MAX_DEPTH = 64;
// The code points that `printable` shows by number, so that what is shown is what was hashed; and the mark that ends a fence in chat.
const HOSTILE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}`]/gu;

/**
 * Write a JSON value the one way: keys in order of their code units, no space, and every control, format, bidi, separator, private
 * or unassigned code point as `\uXXXX`. Equal values give equal text, and the text is fit for a card (SE-084).
 * @throws RuntimeError `invalid_argument` for what is no plain JSON, or nested too deeply.
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

/** SHA-256 of {@link canonicalJson}, as lower-case hex. */
export function canonicalDigest(value: unknown): string {
  return sha256Hex(canonicalJson(value));
}

function write(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) throw refused("it is nested too deeply");
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number" && Number.isFinite(value)) return Object.is(value, -0) ? "0" : String(value);
  if (Array.isArray(value)) return `[${Array.from(value, (one: unknown) => write(one, depth + 1)).join(",")}]`;
  if (typeof value === "object" && isPlain(value)) return `{${fields(value, depth).join(",")}}`;
  throw refused("it holds something that JSON has no form for");
}

function fields(value: object, depth: number): readonly string[] {
  const own = Object.entries(value).filter(([, field]) => field !== undefined);
  const ordered = own.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return ordered.map(([key, field]: [string, unknown]) => `${quoted(key)}:${write(field, depth + 1)}`);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(HOSTILE, (found) =>
    Array.from({ length: found.length }, (_, at) => escaped(found.charCodeAt(at))).join(""),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}

function refused(why: string): RuntimeError {
  return new RuntimeError("invalid_argument", `Cannot write as JSON: ${why}`);
}
