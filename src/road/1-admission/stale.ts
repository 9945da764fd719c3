import type { InboundEvent } from "../../vocabulary/inbound.ts";

/** How old a line may be when it is heard. */
export const MAX_LINE_AGE_MS: number = 10 * 60_000;
/** Clocks of platforms and of this computer may differ by so much before an age counts. */
const CLOCK_SKEW_MS = 2 * 60_000;

/**
 * Tell whether a line was kept by its platform for too long to be answered now: messages that waited while nobody was there.
 * A time in the future is a clock's fault and counts as now; a line without a time of its own is heard at once.
 */
export function isStale(event: Pick<InboundEvent, "saidAtMs">, heardAtMs: number): boolean {
  return event.saidAtMs !== undefined && heardAtMs - event.saidAtMs > MAX_LINE_AGE_MS + CLOCK_SKEW_MS;
}
