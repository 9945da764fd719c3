import type { Model } from "./model.ts";

const MILLION = 1_000_000n;

/** The price of tokens in millionths of the currency, rounded up; null when the price is unknown (TR-092). Whole numbers of any size, so that no unit is lost. */
export function costMicros(promptTokens: number, completionTokens: number, price: Model["price"]): number | null {
  if (price === null) return null;
  const parts = BigInt(promptTokens) * BigInt(price.promptMicros) + BigInt(completionTokens) * BigInt(price.completionMicros);
  return Number((parts + MILLION - 1n) / MILLION);
}
