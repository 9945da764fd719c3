import { clockTime } from "../../words/times.ts";

const WEEKDAY = new Intl.DateTimeFormat("en-GB", { weekday: "short" });
const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;

/** A moment as one says it now: `20:32`, `yesterday 22:10`, `Mon 22:10`, `2 Nov`. */
export function when(atMs: number, nowMs: number): string {
  const days = dayNumber(nowMs) - dayNumber(atMs);
  if (days === 0) return clockTime(atMs);
  if (days === 1) return `yesterday ${clockTime(atMs)}`;
  return days < WEEK_DAYS ? `${WEEKDAY.format(atMs)} ${clockTime(atMs)}` : DATE.format(atMs);
}

/** Days since 1970 by this machine's zone, so that midnight is where people have it. */
function dayNumber(atMs: number): number {
  const midnight = new Date(atMs).setHours(0, 0, 0, 0);
  return Math.round(midnight / DAY_MS);
}
