import { RuntimeError } from "../../foundation/errors.ts";
import type { WallTime } from "./zoned-time.ts";
import { dayAfter, momentOf, wallTimeOf, weekdayOf } from "./zoned-time.ts";

/** When something is due: at a time of chosen weekdays or of a day of the month, once, or every so many minutes. */
export type When =
  | { readonly kind: "weekly"; readonly days: readonly number[]; readonly hour: number; readonly minute: number }
  | { readonly kind: "monthly"; readonly day: number; readonly hour: number; readonly minute: number }
  | ({ readonly kind: "once" } & WallTime)
  | { readonly kind: "every"; readonly minutes: number };

/** Hours in which nothing is due, by the wall clock; `from` may be behind `to`, over midnight. Minutes of the day. */
export interface Quiet {
  readonly from: number;
  readonly to: number;
}

const MINUTE_MS = 60_000;
const DAY_NAMES = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const GROUPS: Readonly<Record<string, readonly number[]>> = {
  daily: [0, 1, 2, 3, 4, 5, 6],
  weekdays: [1, 2, 3, 4, 5],
  weekends: [0, 6],
};
/** Days looked at for the next time: a 31st may be two months away. */
const MAX_DAYS = 70;
const LEAST_EVERY_MINUTES = 5;

/** How a rule is written, for whoever wrote it otherwise. */
export const WHEN_FORM = 'such as "daily 8:00", "weekdays 8:00", "mon,thu 18:30", "1st 9:00", "every 30 minutes" or "2026-12-24 18:00"';

/** Read a rule. @throws RuntimeError `usage` for what is none. */
export function parseWhen(text: string): When {
  const folded = text.trim().toLowerCase().replaceAll(/\s+/g, " ");
  const every = /^every (\d{1,5}) ?(minutes?|min|hours?|h)$/.exec(folded);
  if (every !== null) return everyOf(Number(every[1]) * ((every[2] ?? "").startsWith("h") ? 60 : 1));
  const once = /^(\d{4})-(\d\d)-(\d\d) (\d{1,2}):(\d\d)$/.exec(folded);
  if (once !== null) return onceOf(once.slice(1).map(Number));
  const timed = /^(?:([a-z]+(?:, ?[a-z]+)*)|(\d{1,2})(?:st|nd|rd|th)) (?:at )?(\d{1,2}):(\d\d)$/.exec(folded);
  if (timed === null) throw notSo();
  const [, words, day, hour, minute] = timed;
  const time = { hour: Number(hour), minute: Number(minute) };
  if (time.hour > 23 || time.minute > 59) throw notSo();
  if (words !== undefined) return { kind: "weekly", days: daysIn(words), ...time };
  if (Number(day) < 1 || Number(day) > 31) throw notSo();
  return { kind: "monthly", day: Number(day), ...time };
}

/** Read hours of rest such as `22:00-7:00`. @throws RuntimeError `usage` */
export function parseQuiet(text: string): Quiet {
  const [, h1, m1, h2, m2] = /^(\d{1,2}):(\d\d)\s*-\s*(\d{1,2}):(\d\d)$/.exec(text.trim()) ?? [];
  const [from, to] = [Number(h1) * 60 + Number(m1), Number(h2) * 60 + Number(m2)];
  const isTime = (hour: string | undefined, minute: string | undefined): boolean => Number(hour) < 24 && Number(minute) < 60;
  if (!isTime(h1, m1) || !isTime(h2, m2) || from === to)
    throw new RuntimeError("usage", "Cannot use those quiet hours: write them such as 22:00-7:00");
  return { from, to };
}

/**
 * The first moment behind `afterMs` that is due by the wall clock of a zone, none of quiet hours among them: what falls there comes
 * when they end. Each day's time comes once, whatever clocks do that day. Null when none comes any more.
 */
export function nextDue(when: When, zone: string, afterMs: number, quiet: Quiet | null = null): number | null {
  let from = afterMs;
  for (let tries = 0; tries < 4; tries += 1) {
    const next = plainNext(when, zone, from);
    if (next === null) return null;
    const moved = quiet === null ? next : endOfQuiet(next, zone, quiet);
    if (moved > afterMs) return moved;
    from = next;
  }
  return null;
}

/** The next moments behind one, at most `count`. */
export function nextTimes(
  when: When,
  zone: string,
  options: { readonly afterMs: number; readonly count: number; readonly quiet: Quiet | null },
): readonly number[] {
  const times: number[] = [];
  for (let from = options.afterMs; times.length < options.count;) {
    const next = nextDue(when, zone, from, options.quiet);
    if (next === null) break;
    times.push(next);
    from = next;
  }
  return times;
}

function plainNext(when: When, zone: string, afterMs: number): number | null {
  switch (when.kind) {
    case "every":
      return (Math.floor(afterMs / (when.minutes * MINUTE_MS)) + 1) * when.minutes * MINUTE_MS;
    case "once": {
      const moment = momentOf(when, zone);
      return moment > afterMs ? moment : null;
    }
    case "weekly":
    case "monthly": {
      const today = wallTimeOf(afterMs, zone);
      // From the day before: a time that was skipped comes later than its own day says.
      for (let days = -1; days <= MAX_DAYS; days += 1) {
        const day = dayAfter(today, days);
        const isDay = when.kind === "weekly" ? when.days.includes(weekdayOf(day)) : day.day === when.day;
        if (!isDay) continue;
        const moment = momentOf({ ...day, hour: when.hour, minute: when.minute }, zone);
        if (moment > afterMs) return moment;
      }
      return null;
    }
  }
}

function endOfQuiet(atMs: number, zone: string, { from, to }: Quiet): number {
  const wall = wallTimeOf(atMs, zone);
  const minute = wall.hour * 60 + wall.minute;
  const isQuiet = from < to ? minute >= from && minute < to : minute >= from || minute < to;
  if (!isQuiet) return atMs;
  const day = from > to && minute >= from ? dayAfter(wall, 1) : wall;
  return momentOf({ ...day, hour: Math.floor(to / 60), minute: to % 60 }, zone);
}

function daysIn(words: string): readonly number[] {
  const days = words.split(/, ?/).flatMap((word) => {
    const group = Object.hasOwn(GROUPS, word) ? GROUPS[word] : undefined;
    if (group !== undefined) return group;
    const single = word.replace(/s$/, "");
    const at = DAY_NAMES.findIndex((name) => name === single || (single.length >= 3 && name.startsWith(single)));
    if (at < 0) throw notSo();
    return [at];
  });
  return [...new Set(days)].toSorted((a, b) => a - b);
}

function everyOf(minutes: number): When {
  if (minutes < LEAST_EVERY_MINUTES || minutes > 7 * 24 * 60)
    throw new RuntimeError("usage", `Cannot use that rule: every ${LEAST_EVERY_MINUTES} minutes at most, and once a week at least`);
  return { kind: "every", minutes };
}

function onceOf([year = 0, month = 0, day = 0, hour = 0, minute = 0]: readonly number[]): When {
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60;
  if (!isReal) throw notSo();
  return { kind: "once", year, month, day, hour, minute };
}

function notSo(): RuntimeError {
  return new RuntimeError("usage", `Cannot read when that is due: write it ${WHEN_FORM}`);
}
