import { RuntimeError } from "../foundation/errors.ts";

/** A JSON object whose fields are not yet looked at. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as an object; an empty one for anything else. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The objects of a list; none for anything else. */
export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** The value as text; "" for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A count that can be trusted: a whole number of at least 0; null for anything else. */
export function countOf(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Parse a server's JSON object. @throws RuntimeError `model_malformed`, without a word of the server. */
export function parseFields(json: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // The parser's message quotes the server's text, so it goes no further.
    throw malformed();
  }
  if (!isFields(value)) throw malformed();
  return value;
}

/** Say that an answer is not what was agreed. */
export function malformed(): RuntimeError {
  return new RuntimeError("model_malformed", "Cannot use the model's answer: it is not of the agreed shape");
}
