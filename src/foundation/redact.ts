import type { Secret } from "./secret.ts";

const MARK = "[redacted]";
const MIN_MATCH = 8;

/**
 * Removes configured secrets from text by value, whole or as base64, base64url, hex or percent code (TR-072). Values of fewer
 * than 20 characters never get here (`Secret.parse`), so a hit never tells a guesser anything about a short word.
 */
export interface Redactor {
  /** The text with every form of every secret replaced by `[redacted]`. */
  clean(text: string): string;
  /** Whether any form of any secret stands in the text. */
  finds(text: string): boolean;
}

/** Make a redactor for these secrets; their values are read once, now. */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  const forms = [...new Set(secrets.flatMap((secret) => formsOf(secret.reveal())))].filter((form) => form.length >= MIN_MATCH);
  // Longest first, so that a form that contains another is removed whole.
  forms.sort((a, b) => b.length - a.length);
  const patterns = forms.map((form) => new RegExp(escape(form), /^(?:[0-9a-f]+|(?:%[0-9a-f]{2})+)$/i.test(form) ? "gi" : "g"));
  return {
    clean: (text) => patterns.reduce((rest, pattern) => rest.replace(pattern, MARK), text),
    finds: (text) => patterns.some((pattern) => text.search(pattern) >= 0),
  };
}

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const percent = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  const base64 = [0, 1, 2].flatMap((shift) => innerBase64(bytes, shift));
  return [value, encodeURIComponent(value), percent, bytes.toString("hex"), JSON.stringify(value).slice(1, -1), ...base64];
}

/** The characters of base64 that depend on `bytes` alone when they stand at an offset of `shift` modulo 3 in a longer text. */
function innerBase64(bytes: Buffer, shift: number): string[] {
  const padded = Buffer.concat([Buffer.alloc(shift), bytes]);
  const text = padded.toString("base64").replace(/=+$/, "");
  const from = Math.ceil((shift * 8) / 6);
  const to = Math.floor((padded.length * 8) / 6);
  const inner = text.slice(from, to);
  return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}
