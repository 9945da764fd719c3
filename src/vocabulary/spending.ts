/** By what calls of models are summed. */
export const SPEND_KEYS = ["person", "space", "character", "model", "day"] as const;
/** One of {@link SPEND_KEYS}. */
export type SpendKey = (typeof SPEND_KEYS)[number];

/** Whole numbers of calls: money in millionths of the currency. */
export interface SpendAmounts {
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** What calls came to, as their hosts counted. */
  readonly costMicros: number;
  /** What is set aside for calls under way, and for those of which nobody knows what they came to. */
  readonly reservedMicros: number;
  /** Calls whose price is unknown. */
  readonly unpricedCalls: number;
}

/** Sums of some days by one key. */
export interface SpendSum extends SpendAmounts {
  /** A person's id, a space, a character, `host/model`, or the day's start in milliseconds. */
  readonly key: string;
  /** Of the day that was asked for. */
  readonly today: Pick<SpendAmounts, "calls" | "costMicros" | "reservedMicros">;
}
