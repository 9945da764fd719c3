import type { ModelPrice } from "./cost.ts";
import type { ModelUsage } from "./model.ts";

/** One call to one host, before it is made: the most it may come to. */
export interface CallEstimate {
  /** `host/model`. */
  readonly by: string;
  /** Null when unknown. */
  readonly price: ModelPrice | null;
  /** 0 where the price is unknown. */
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** What was set aside for a call. */
export interface CallReservation {
  /**
   * Put what it came to in place of what was set aside; null when the call surely cost nothing. Without this, what was set aside
   * stays spent: nobody knows what the host did before it failed.
   */
  settle(came: { readonly usage: ModelUsage; readonly costMicros: number | null } | null): void;
}

/** Stands before each call to a host, so that none is made that nobody may pay (TR-092, SE-090). */
export interface CallMeter {
  /** Resolves once the reservation would outlive a kill. @throws RuntimeError `budget_spent` when it doesn't fit; the store's failures; the signal's reason on abort. */
  reserve(call: CallEstimate, signal: AbortSignal): Promise<CallReservation>;
}
