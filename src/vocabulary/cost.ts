import type { ModelUsage } from "./model.ts";

/** What a million tokens cost, in millionths of the currency. */
export interface ModelPrice {
  readonly promptMicros: number;
  readonly completionMicros: number;
  /** For tokens that the host had in its cache, and for those it put there. */
  readonly cacheReadMicros: number;
  readonly cacheWriteMicros: number;
}

const MILLION = 1_000_000n;

/** The cost of tokens in millionths of the currency, rounded up; null when the price is unknown (TR-092). Whole numbers of any size, so that no unit is lost. */
export function costMicros(usage: Omit<ModelUsage, "estimated">, price: ModelPrice | null): number | null {
  if (price === null) return null;
  const read = Math.min(usage.cacheReadTokens, usage.promptTokens);
  const written = Math.min(usage.cacheWriteTokens, usage.promptTokens - read);
  const parts =
    BigInt(usage.promptTokens - read - written) * BigInt(price.promptMicros) +
    BigInt(read) * BigInt(price.cacheReadMicros) +
    BigInt(written) * BigInt(price.cacheWriteMicros) +
    BigInt(usage.completionTokens) * BigInt(price.completionMicros);
  return Number((parts + MILLION - 1n) / MILLION);
}
