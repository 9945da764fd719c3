/** The wait after a connection was lost for the first time. */
export const FIRST_WAIT_MS = 1_000;
/** The longest wait. */
export const LONGEST_WAIT_MS = 60_000;
/** By how much of itself a wait is shortened or prolonged, so that many do not come back in one moment. */
const SPREAD = 0.2;

/** Why a connection is down: it was lost, or its platform refused who we are. */
export type Loss = "lost" | "refused";

/**
 * How long to wait before try number `failures` (from 1) after a connection was lost (TR-055): a second, doubling up to a minute,
 * a fifth more or less by `random` (0 to 1). Null where the platform refused the account: nothing tries again by itself then,
 * since each try can lock the account; an operator has to act.
 */
export function waitBeforeReconnect(loss: Loss, failures: number, random: number): number | null {
  if (loss === "refused") return null;
  const full = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(Math.max(failures, 1) - 1, 16));
  return Math.min(LONGEST_WAIT_MS, Math.round(full * (1 - SPREAD + 2 * SPREAD * random)));
}
