import type { CallEstimate, CallMeter } from "../vocabulary/call-meter.ts";
import type { ModelUsage } from "../vocabulary/model.ts";

/** What became of one reservation: open until it is settled, `nothing` when the call surely cost nothing. */
export interface MeteredCall extends CallEstimate {
  settled: "open" | "nothing" | { readonly usage: ModelUsage; readonly costMicros: number | null };
}

/** A meter that keeps every reservation, for tests of whoever reserves. */
export function countingMeter(): CallMeter & { readonly calls: readonly MeteredCall[] } {
  const calls: MeteredCall[] = [];
  return {
    calls,
    reserve(call) {
      const metered: MeteredCall = { ...call, settled: "open" };
      calls.push(metered);
      return Promise.resolve({ settle: (came) => void (metered.settled = came === null ? "nothing" : came) });
    },
  };
}
