const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const EXACT = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 });
const SECONDS = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DAY = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long" });

/** `20:41`, by this machine's zone. */
export function clockTime(atMs: number): string {
  return CLOCK.format(atMs);
}

/** `20:41:07`. */
export function secondTime(atMs: number): string {
  return SECONDS.format(atMs);
}

/** `20:41:07.300`. */
export function exactTime(atMs: number): string {
  return EXACT.format(atMs);
}

/** `Wednesday 4 November`. */
export function dayName(atMs: number): string {
  return DAY.format(atMs);
}

/** Until when, in words: `until 22:40` today, `until Friday 5 November, 22:40` later. */
export function untilWords(untilMs: number, nowMs: number): string {
  return DAY.format(untilMs) === DAY.format(nowMs)
    ? `until ${CLOCK.format(untilMs)}`
    : `until ${DAY.format(untilMs)}, ${CLOCK.format(untilMs)}`;
}

/** A moment for `<time datetime>`. */
export function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** A measured duration: `17 ms`, `0.9 s`, `12.4 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 100) return `${whole} ms`;
  if (whole < 59_950) return `${(whole / 1000).toFixed(1)} s`;
  return `${Math.floor(whole / 60_000)} min ${Math.round((whole % 60_000) / 1000)} s`;
}

/** A measured duration to the letter, for a road: `17 ms`, `912 ms`, `2.88 s`. */
export function exactDuration(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  return whole < 1_000 ? `${whole} ms` : whole < 59_995 ? `${(whole / 1000).toFixed(2)} s` : duration(whole);
}

/** A stretch of time that people live through: `4 s`, `12 min`, `3 h 12 min`, `2 days`. */
export function stretch(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}
