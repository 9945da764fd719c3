import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nextDue, nextTimes, parseQuiet, parseWhen } from "./when.ts";
import { momentOf, parseZone, wallText, wallTimeOf } from "./zoned-time.ts";

const at = (text: string): number => Date.parse(text);
const shown = (rule: string, zone: string, after: string, quiet: string | null = null): readonly string[] =>
  nextTimes(parseWhen(rule), zone, { afterMs: at(after), count: 3, quiet: quiet === null ? null : parseQuiet(quiet) }).map((ms) =>
    new Date(ms).toISOString().slice(0, 16),
  );

test("a schedule's rules are read as people write them, and anything else is refused", () => {
  assert.deepEqual(parseWhen("Weekdays 8:00"), { kind: "weekly", days: [1, 2, 3, 4, 5], hour: 8, minute: 0 });
  assert.deepEqual(parseWhen("mon, thu at 18:30"), { kind: "weekly", days: [1, 4], hour: 18, minute: 30 });
  assert.deepEqual(parseWhen("sundays,weekends 9:05"), { kind: "weekly", days: [0, 6], hour: 9, minute: 5 });
  assert.deepEqual(parseWhen("31st 9:00"), { kind: "monthly", day: 31, hour: 9, minute: 0 });
  assert.deepEqual(parseWhen("every 2 hours"), { kind: "every", minutes: 120 });
  assert.deepEqual(parseWhen("2028-02-29 7:00"), { kind: "once", year: 2028, month: 2, day: 29, hour: 7, minute: 0 });
  for (const rule of [
    "",
    "8:00",
    "daily",
    "daily 24:00",
    "daily 8:60",
    "mo 8:00",
    "32nd 8:00",
    "every 4 minutes",
    "every 9 days",
    "2027-02-29 7:00",
    "constructor 8:00",
    "daily 8:00; rm",
    "every 99999 hours",
  ])
    assert.throws(() => parseWhen(rule), { code: "usage" }, rule);
  for (const quiet of ["", "22-7", "22:00-22:00", "24:00-7:00", "22:00-7:60"])
    assert.throws(() => parseQuiet(quiet), { code: "usage" }, quiet);
  for (const zone of ["", "Mars/Base", "Europe/Zurich; x", "../etc"]) assert.throws(() => parseZone(zone), { code: "usage" }, zone);
});

test("a schedule keeps to the wall clock when clocks change: what is skipped comes as much later, what comes twice comes once", () => {
  assert.deepEqual(shown("daily 2:30", "Europe/Zurich", "2027-03-27T00:00Z"), ["2027-03-27T01:30", "2027-03-28T01:30", "2027-03-29T00:30"]);
  assert.deepEqual(shown("daily 2:30", "Europe/Zurich", "2027-10-30T00:31Z"), ["2027-10-31T00:30", "2027-11-01T01:30", "2027-11-02T01:30"]);
  assert.deepEqual(shown("weekdays 8:00", "America/New_York", "2027-03-12T12:00Z"), [
    "2027-03-12T13:00",
    "2027-03-15T12:00",
    "2027-03-16T12:00",
  ]);
  assert.deepEqual(shown("daily 8:00", "Australia/Lord_Howe", "2027-04-03T00:00Z").length, 3);
  assert.deepEqual(shown("31st 9:00", "UTC", "2027-01-31T09:00Z"), ["2027-03-31T09:00", "2027-05-31T09:00", "2027-07-31T09:00"]);
  assert.deepEqual(shown("2027-01-01 9:00", "UTC", "2027-01-01T09:00Z"), []);
  assert.deepEqual(shown("every 30 minutes", "UTC", "2027-01-01T21:10Z", "22:00-7:00"), [
    "2027-01-01T21:30",
    "2027-01-02T07:00",
    "2027-01-02T07:30",
  ]);
  assert.deepEqual(shown("daily 23:00", "Europe/Zurich", "2027-01-01T12:00Z", "22:00-7:00"), [
    "2027-01-02T06:00",
    "2027-01-03T06:00",
    "2027-01-04T06:00",
  ]);
  assert.equal(wallText(at("2027-01-15T08:00Z"), "Asia/Tokyo"), "Fri 2027-01-15 17:00");
});

const ZONES = [
  "UTC",
  "Europe/Zurich",
  "America/New_York",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "America/Santiago",
  "Africa/Casablanca",
  "Pacific/Chatham",
  "Pacific/Apia",
];
const DAY_MS = 86_400_000;

test("property: in every zone each due moment is behind the one before, shows the rule's time unless that was skipped, and comes once a day", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.integer({ min: at("2012-01-01T00:00Z") / 60_000, max: at("2031-01-01T00:00Z") / 60_000 }),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 0, max: 59 }),
      (zone, minutes, hour, minute) => {
        const rule = { kind: "weekly", days: [0, 1, 2, 3, 4, 5, 6], hour, minute } as const;
        const times = nextTimes(rule, zone, { afterMs: minutes * 60_000, count: 8, quiet: null });
        assert.equal(times.length, 8);
        for (const [index, ms] of times.entries()) {
          const before = times[index - 1] ?? minutes * 60_000;
          assert.ok(ms > before && ms - before <= 2 * DAY_MS);
          const wall = wallTimeOf(ms, zone);
          const asked = { ...wall, hour, minute };
          const isShown = wall.hour === hour && wall.minute === minute;
          assert.ok(
            isShown ||
              momentOf(asked, zone) === ms ||
              wallTimeOf(momentOf(asked, zone), zone).hour !== hour ||
              wallTimeOf(momentOf(asked, zone), zone).minute !== minute,
            `${zone} ${new Date(ms).toISOString()}`,
          );
          assert.equal(nextDue(rule, zone, ms - 1), ms, "whoever asks again finds the same");
        }
        assert.equal(new Set(times.map((ms) => wallText(ms, zone).slice(0, 14))).size, 8, "one a day");
      },
    ),
    { numRuns: 300 },
  );
});
