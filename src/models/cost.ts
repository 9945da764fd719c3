import type { ModelAnswer, ModelRequest } from "../vocabulary/model.ts";
import type { ModelPrice } from "./models-config.ts";

/** Tokens a chat template adds around two messages, at most. */
const TEMPLATE_TOKENS = 64;
const MILLION = 1_000_000n;

/** What a call may use, set aside before it starts. */
export interface Reservation {
  readonly calls: number;
  readonly tokens: number;
  /** Millionths of the currency; null when the price is unknown, then `calls` count. */
  readonly micros: number | null;
}

/** The price of a finished call in millionths of the currency, rounded up; null when the host counted nothing or the price is unknown (TR-092). */
export function costMicros(usage: ModelAnswer["usage"], price: ModelPrice | null): number | null {
  return usage === null || price === null ? null : micros(usage.promptTokens, usage.completionTokens, price);
}

/**
 * The most that `calls` calls of this request may use: the bytes of its text (no tokenizer makes more tokens than bytes) and
 * its whole allowed output, for the first call and each allowed retry (SE-090).
 */
export function reservation(request: ModelRequest, calls: number, price: ModelPrice | null): Reservation {
  const promptTokens = (Buffer.byteLength(request.system) + Buffer.byteLength(request.prompt) + TEMPLATE_TOKENS) * calls;
  const completionTokens = request.maxOutputTokens * calls;
  return { calls, tokens: promptTokens + completionTokens, micros: price === null ? null : micros(promptTokens, completionTokens, price) };
}

/** Whole numbers of any size, so that no sum loses a unit on the way. */
function micros(promptTokens: number, completionTokens: number, price: ModelPrice): number {
  const parts = BigInt(promptTokens) * BigInt(price.promptMicros) + BigInt(completionTokens) * BigInt(price.completionMicros);
  return Number((parts + MILLION - 1n) / MILLION);
}
