/** The wait after a connection was lost for the first time. */
export const FIRST_WAIT_MS = 1_000;
/** The longest wait. */
export const LONGEST_WAIT_MS = 60_000;
/** By how much of itself a wait is shortened or prolonged, so that many do not come back in one moment. */
const SPREAD = 0.2;

/**
 * How long to wait before try number `failures` (from 1) after a connection was lost (TR-055): a second, doubling up to a minute,
 * a fifth more or less by `random` (0 to 1). Only for a loss: where a platform refused the account nothing tries again by itself.
 */
export function waitBeforeReconnect(failures: number, random: number): number {
  const full = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(Math.max(failures, 1) - 1, 16));
  return Math.min(LONGEST_WAIT_MS, Math.round(full * (1 - SPREAD + 2 * SPREAD * random)));
}
