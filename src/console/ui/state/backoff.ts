/** The first wait after a lost link. */
export const FIRST_WAIT_MS = 500;
/** The longest wait: a page that was left open finds a restarted process within this time. */
export const LONGEST_WAIT_MS = 15_000;

/**
 * How long to wait before try number `failures` (from 1): doubling up to {@link LONGEST_WAIT_MS}, and shortened by up to a half
 * by `random` (0 to 1), so that the pages of a full room do not come back in one moment.
 */
export function waitBeforeTry(failures: number, random: number): number {
  const full = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 16));
  return Math.round(full * (1 - random / 2));
}
