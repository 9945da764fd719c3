import { RuntimeError } from "../../foundation/errors.ts";

/** A date and a time as a wall clock shows them. Months from 1. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

const DAY_MS = 86_400_000;
const MAX_ZONES = 64;
const formatters = new Map<string, Intl.DateTimeFormat>();

/** A zone by the name that the IANA database has for it. @throws RuntimeError `usage` for any other. */
export function parseZone(text: string): string {
  try {
    if (text.length <= 64 && /^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(text)) {
      formatterOf(text);
      return text;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new RuntimeError("usage", "Cannot use that time zone: write one such as Europe/Zurich, America/New_York or UTC");
}

/** What a wall clock of a zone shows at a moment. */
export function wallTimeOf(atMs: number, zone: string): WallTime {
  const parts = new Map(
    formatterOf(zone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return { year: part("year"), month: part("month"), day: part("day"), hour: part("hour"), minute: part("minute") };
}

/**
 * The moment at which a wall clock of a zone shows a time. Of a time that comes twice, when clocks go back, the first; a time that is
 * skipped, when they go forward, comes as much later as was skipped.
 */
export function momentOf(wall: WallTime, zone: string): number {
  const asUtc = utcOf(wall);
  // Before and after whatever changes near that time.
  const before = offsetAt(asUtc - DAY_MS, zone);
  const moments = [before, offsetAt(asUtc + DAY_MS, zone)].map((offset) => asUtc - offset).toSorted((a, b) => a - b);
  const shown = moments.find((moment) => utcOf(wallTimeOf(moment, zone)) === asUtc);
  return shown ?? asUtc - before;
}

/** 0 for Sunday to 6 for Saturday. */
export function weekdayOf({ year, month, day }: Pick<WallTime, "year" | "month" | "day">): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay();
}

/** The day so many days later, as calendars have it. */
export function dayAfter(
  { year, month, day }: Pick<WallTime, "year" | "month" | "day">,
  days: number,
): Pick<WallTime, "year" | "month" | "day"> {
  const moved = new Date(Date.UTC(year, month - 1, day + days));
  return { year: moved.getUTCFullYear(), month: moved.getUTCMonth() + 1, day: moved.getUTCDate() };
}

/** The time as people write it, with the weekday: `Mon 2026-12-07 08:00`. */
export function wallText(atMs: number, zone: string): string {
  const wall = wallTimeOf(atMs, zone);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][weekdayOf(wall)] ?? "";
  return `${day} ${String(wall.year).padStart(4, "0")}-${two(wall.month)}-${two(wall.day)} ${two(wall.hour)}:${two(wall.minute)}`;
}

function utcOf({ year, month, day, hour, minute }: WallTime): number {
  return Date.UTC(year, month - 1, day, hour, minute);
}

/** How far the wall clock of a zone is before UTC, in whole minutes. */
function offsetAt(atMs: number, zone: string): number {
  return utcOf(wallTimeOf(atMs, zone)) - Math.floor(atMs / 60_000) * 60_000;
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  if (formatters.size >= MAX_ZONES) formatters.clear();
  formatters.set(zone, made);
  return made;
}
