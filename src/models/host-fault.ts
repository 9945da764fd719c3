import type { WindowExceeded } from "../vocabulary/model.ts";
import type { Fields } from "./json.ts";
import { countOf, fieldsOf, isFields, textOf } from "./json.ts";

/** Fields of a request that some hosts don't take. */
const KNOWN_PARAMETERS = [
  "response_format",
  "format",
  "output_config",
  "max_tokens",
  "reasoning_effort",
  "chat_template_kwargs",
  "think",
  "thinking",
] as const;
/** One of the request's fields that a host may not take. */
export type RefusedParameter = (typeof KNOWN_PARAMETERS)[number];

/** What a failure's body says, as far as something follows from it. Nothing of the server's words is kept. */
export interface HostFault {
  /** Set when the request was longer than the model's window. */
  readonly window: WindowExceeded | null;
  /** The field the host didn't take, where it names one. */
  readonly parameter: RefusedParameter | null;
  /** The status a host puts into an error that it sends inside a 200; null where there is none. */
  readonly status: number | null;
}

const NOTHING: HostFault = { window: null, parameter: null, status: null };
/** Hosts wrap errors of a server behind them as JSON text; deeper than this none is looked for. */
const MAX_DEPTH = 3;
/** Characters of a message that are looked at. */
const MAX_LOOKED_AT = 2_000;
/** How the servers in use say that a request doesn't fit, where they have no code for it. */
const TOO_LONG =
  /context (?:length|size|window)|maximum (?:model|context|sequence) len|prompt is too long|input (?:length|is too long)|too many (?:input )?tokens|longer than the context/i;
const TOO_LONG_CODES = new Set([
  "exceed_context_size_error",
  "context_length_exceeded",
  "context_window_exceeded",
  "model_context_window_exceeded",
  "request_too_large",
]);

/** Read the body of a failure: an object with an `error`, which is an object or text, at times JSON text in turn. Pure. */
export function readFault(body: string): HostFault {
  try {
    const value: unknown = JSON.parse(body);
    return isFields(value) ? faultIn(value["error"] ?? value, MAX_DEPTH) : NOTHING;
  } catch {
    // No JSON, so nothing follows from it; its text goes no further.
    return NOTHING;
  }
}

/** Read what stands under `error`. Pure. */
export function faultIn(error: unknown, depth: number = MAX_DEPTH): HostFault {
  const fields: Fields = isFields(error) ? error : { message: error };
  const message = textOf(fields["message"]).slice(0, MAX_LOOKED_AT);
  const inner = depth > 0 ? innerFault(message, depth) : null;
  if (inner !== null) return inner;
  return { window: windowIn(fields, message), parameter: parameterIn(fields, message), status: statusIn(fields) };
}

function innerFault(message: string, depth: number): HostFault | null {
  const start = message.indexOf("{");
  if (start < 0 || !message.trimEnd().endsWith("}")) return null;
  try {
    const value: unknown = JSON.parse(message.slice(start));
    return isFields(value) ? faultIn(value["error"] ?? value, depth - 1) : null;
  } catch {
    // The brace was part of a sentence.
    return null;
  }
}

function windowIn(fields: Fields, message: string): WindowExceeded | null {
  const coded = [fields["type"], fields["code"]].some((code) => TOO_LONG_CODES.has(textOf(code)));
  if (!coded && !TOO_LONG.test(message)) return null;
  const [first = null, second = null] = numbersIn(message);
  const promptTokens = countOf(fields["n_prompt_tokens"]);
  const windowTokens = countOf(fields["n_ctx"]);
  if (promptTokens !== null || windowTokens !== null) return { kind: "window", promptTokens, windowTokens };
  // Of two numbers in such a sentence the smaller is the room, whichever comes first.
  if (first === null || second === null || first === second) return { kind: "window", promptTokens: null, windowTokens: null };
  return { kind: "window", promptTokens: Math.max(first, second), windowTokens: Math.min(first, second) };
}

function numbersIn(message: string): readonly number[] {
  return [...message.matchAll(/(?<![\w.,-])\d{2,8}(?![\w.,-]*\d)/g)].map(([digits]) => Number(digits)).filter((number) => number >= 64);
}

function parameterIn(fields: Fields, message: string): RefusedParameter | null {
  const named = textOf(fields["param"]);
  const found = KNOWN_PARAMETERS.find((name) => named === name || named.startsWith(`${name}.`));
  if (found !== undefined) return found;
  return /max_completion_tokens/.test(message) ? "max_tokens" : null;
}

function statusIn(fields: Fields): number | null {
  const code = countOf(fields["code"]) ?? countOf(fieldsOf(fields["error"])["code"]);
  return code !== null && code >= 400 && code <= 599 ? code : null;
}
