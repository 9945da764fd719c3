import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ManualClock } from "../testing/manual-clock.ts";
import { ANN, PARLOUR } from "../testing/road-fixtures.ts";
import { parseSurfaceName } from "../vocabulary/ids.ts";
import type { SurfaceName } from "../vocabulary/ids.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../vocabulary/principal.ts";
import type { BudgetNotice } from "../vocabulary/budget.ts";
import type { BudgetLimits, Budgets, Reservation } from "./budgets.ts";
import { createBudgets } from "./budgets.ts";
import { poolOf } from "./pool.ts";

const LIMITS: BudgetLimits = {
  repliesPerMinutePerRoom: 3,
  repliesPerMinutePerPerson: 2,
  callsPerDayPerPerson: 5,
  callsPerDayPerSpace: 100,
  callsPerDayInAll: 1_000,
};
/** The defaults of TR-058. */
const STANDARD: BudgetLimits = {
  repliesPerMinutePerRoom: 12,
  repliesPerMinutePerPerson: 6,
  callsPerDayPerPerson: 200,
  callsPerDayPerSpace: 2_000,
  callsPerDayInAll: 5_000,
};
const BEN = parsePrincipalId("room:ben");
const GARDEN = parseSurfaceName("garden");
const guest = (number: number): PrincipalId => parsePrincipalId(`room:g${number}`);
const DAY_MS = 86_400_000;

interface Kept {
  readonly budgets: Budgets;
  readonly clock: ManualClock;
  /** What is written with the starts, as the store would have it. */
  readonly written: Map<string, number>;
  readonly told: BudgetNotice[];
}

/** Budgets over a store that keeps what is written; `start` writes. */
function kept(limits: BudgetLimits, before: Pick<Kept, "clock" | "written"> | null = null, maxScopes = 16_384): Kept {
  const clock = before?.clock ?? new ManualClock(1_800_000_000_000);
  const written = before?.written ?? new Map<string, number>();
  const told: BudgetNotice[] = [];
  const charged = (scope: string, sinceMs: number): number => written.get(`${scope} ${sinceMs}`) ?? 0;
  const notice = (one: BudgetNotice): void => void told.push(one);
  return { budgets: createBudgets({ clock, limits: () => limits, charged, notice, maxScopes }), clock, written, told };
}

function write({ written }: Kept, reservation: Reservation): Reservation {
  const charges = reservation.kind === "reserved" ? reservation.charges : [];
  for (const { scope, windowStartMs, amount } of charges) {
    const key = `${scope} ${windowStartMs}`;
    written.set(key, (written.get(key) ?? 0) + amount);
  }
  return reservation;
}

const ask = (one: Kept, person: PrincipalId, named = false, surface: SurfaceName = PARLOUR): Reservation =>
  write(one, one.budgets.reserve({ person, surface, named }));
const many = (one: Kept, person: PrincipalId, times: number, named = false): number =>
  Array.from({ length: times }, () => ask(one, person, named)).filter(({ kind }) => kind === "reserved").length;

test("TR-024 TR-058 a surface with many rooms counts the replies of a minute in each, and everything else for all of them", () => {
  const { budgets } = kept({ ...LIMITS, repliesPerMinutePerPerson: 10, callsPerDayPerPerson: 10, callsPerDayPerSpace: 8 });
  const ask = (room: string | undefined, number: number): string => {
    const got = budgets.reserve({ person: guest(number), surface: GARDEN, named: true, ...(room === undefined ? {} : { room }) });
    return got.kind === "reserved" ? "reserved" : got.key;
  };
  const asked = ["a", "a", "a", "a", "b", "b", "b", "b", "c", undefined].map((room, at) => ask(room, at));
  const [yes, full] = ["reserved", "budgets.replies_per_minute_per_room"];
  assert.deepEqual(asked, [yes, yes, yes, full, yes, yes, yes, full, yes, yes]);
  assert.equal(ask("d", 20), "budgets.calls_per_day_per_space", "a new room is no new day");
});

test("TR-024 budgets are reserved whole or not at all, and name whose ran out", () => {
  const one = kept(LIMITS);
  assert.equal(many(one, ANN, 2, true), 2);
  assert.deepEqual(ask(one, ANN, true), { kind: "exhausted", scope: "person", key: "budgets.replies_per_minute_per_person", ofDay: false });
  assert.equal(ask(one, BEN, true).kind, "reserved", "a refusal took nothing from the room");
  assert.deepEqual(ask(one, BEN, true), { kind: "exhausted", scope: "space", key: "budgets.replies_per_minute_per_room", ofDay: false });
  assert.equal(ask(one, BEN, true, GARDEN).kind, "reserved", "another room has its own");
});

test("TR-024 a minute's window opens again, a day's does not", async () => {
  const one = kept(LIMITS);
  const counts: number[] = [];
  for (let minute = 0; minute < 4; minute += 1) {
    counts.push(many(one, ANN, 2, true));
    await one.clock.advance(60_000);
  }
  assert.deepEqual(counts, [2, 2, 1, 0]);
  await one.clock.advance(DAY_MS);
  assert.equal(ask(one, ANN, true).kind, "reserved");
});

test("TR-024 a day's counter starts at what was charged before, also after it was pushed out", () => {
  const one = kept(LIMITS, null, 4);
  assert.equal(many(one, ANN, 1, true), 1);
  const day = Math.floor(one.clock.nowMs() / DAY_MS) * DAY_MS;
  one.written.set(`calls:person:${ANN} ${day}`, 5);
  for (let number = 0; number < 4; number += 1) ask(one, guest(number), true, GARDEN);
  assert.deepEqual(ask(one, ANN, true), { kind: "exhausted", scope: "person", key: "budgets.calls_per_day_per_person", ofDay: true });
});

test("SE-090 a flood of free identities pushes out no named person's counter", () => {
  const limits = { ...STANDARD, repliesPerMinutePerRoom: 1e6, callsPerDayPerSpace: 1e6, callsPerDayInAll: 1e6 };
  const one = kept(limits, null, 8);
  assert.equal(many(one, ANN, 6, true), 6);
  for (let number = 0; number < 50; number += 1) ask(one, guest(number));
  assert.equal(ask(one, ANN, true).kind, "exhausted", "the minute is still known");
  assert.equal(ask(one, guest(0)).kind, "reserved", "the oldest guest's is not");
});

test("TR-024 SE-090 only a day's charges are written: person, space, install, and the pool for a free identity", () => {
  const scopes = (named: boolean): string[] => {
    const reserved = kept(LIMITS).budgets.reserve({ person: ANN, surface: PARLOUR, named });
    return reserved.kind === "reserved" ? reserved.charges.map(({ scope, amount }) => `${scope}=${amount}`) : [];
  };
  const all = [`calls:person:${ANN}=1`, `calls:space:${PARLOUR}=1`, "calls:install=1"];
  assert.deepEqual(scopes(true), all);
  assert.deepEqual(scopes(false), [...all, `calls:free:${PARLOUR}=1`]);
});

test("TR-058 SE-090 a guest alone in a home room is not starved: all replies and calls of one person", async () => {
  const one = kept(STANDARD);
  let day = 0;
  for (let minute = 0; minute < 60; minute += 1) {
    const replies = many(one, ANN, 12);
    if (minute === 0) assert.equal(replies, 6);
    day += replies;
    await one.clock.advance(60_000);
  }
  assert.equal(day, 200, "the person's own daily calls, no less");
  assert.equal(ask(one, ANN).kind, "exhausted");
});

test("SE-090 while named people use a space, half of it is the guests', and a lone guest leaves a tenth for the next", () => {
  const one = kept(STANDARD);
  assert.equal(many(one, LOCAL_OWNER, 1, true), 1);
  assert.equal(many(one, ANN, 12), 5);
  assert.equal(many(one, BEN, 12), 1);
  assert.equal(many(one, LOCAL_OWNER, 12, true), 5, "six in all, as ever");
});

test("SE-090 the first named person in a minute that guests have used up still finds something, and the half from then on", async () => {
  const one = kept(STANDARD);
  const guests = (): number =>
    Array.from({ length: 40 }, (_, number) => many(one, guest(number), 3)).reduce((sum, count) => sum + count, 0);
  assert.equal(guests(), 11);
  assert.equal(many(one, ANN, 6, true), 1);
  await one.clock.advance(60_000);
  assert.equal(guests(), 6);
  assert.equal(many(one, ANN, 6, true), 6);
  await one.clock.advance(61 * 60_000);
  assert.equal(guests(), 11, "nobody named was here for an hour");
});

test("SE-090 guests who compete share the pool evenly, and a newcomer always finds something", () => {
  const limits = { ...STANDARD, repliesPerMinutePerRoom: 111, repliesPerMinutePerPerson: 60 };
  const alone = kept({ ...limits, repliesPerMinutePerPerson: 1e6 });
  assert.equal(many(alone, ANN, 200), 90, "90 of 100");
  assert.equal(many(alone, BEN, 200), 10, "and 10 for the next");
  const two = kept(limits);
  let [a, b] = [0, 0];
  for (let turn = 0; turn < 100; turn += 1) [a, b] = [a + many(two, ANN, 1), b + many(two, BEN, 1)];
  assert.deepEqual([a, b], [45, 45]);
  const early = kept(limits);
  assert.deepEqual([many(early, ANN, 30), many(early, BEN, 1)], [30, 1]);
  assert.equal(many(early, ANN, 30), 20, "no more than half, now that two draw");
  assert.equal(many(early, BEN, 100), 39, "and the tenth is left for a third");
  const crowd = kept(limits);
  const shares = Array.from({ length: 20 }, () => 0);
  for (let turn = 0; turn < 60; turn += 1) shares.forEach((share, at) => (shares[at] = share + many(crowd, guest(at), 1)));
  assert.equal(
    shares.reduce((sum, share) => sum + share),
    100,
  );
  assert.ok(
    shares.every((share) => share <= 10),
    "a tenth of the pool each, at most",
  );
});

test("SE-090 a restart forgets neither the pool nor what one drew of it", () => {
  const limits = { ...STANDARD, repliesPerMinutePerRoom: 1e6, repliesPerMinutePerPerson: 1e6, callsPerDayPerSpace: 200 };
  const one = kept(limits);
  assert.equal(many(one, ANN, 60), 60);
  const two = kept(limits, one);
  assert.equal(many(two, ANN, 200), 30, "90 of the 100 in all");
  assert.equal(many(two, BEN, 200), 10, "and the last tenth for the next");
  assert.equal(many(kept(limits, one), guest(1), 200), 0);
  assert.equal(many(kept(limits, one), guest(2), 200, true), 100, "the named half");
});

test("TR-050 what a joined line had reserved goes back, once", () => {
  const one = kept(STANDARD);
  const lines = Array.from({ length: 3 }, () => one.budgets.reserve({ person: ANN, surface: PARLOUR, named: false }));
  for (const line of lines.slice(1)) if (line.kind === "reserved") for (let twice = 0; twice < 2; twice += 1) line.release();
  assert.equal(many(one, ANN, 12), 5, "six, less the one that ran");
});

test("SE-090 the install's daily ceiling stops every call, and the operator is told once a day", async () => {
  const limits = { ...STANDARD, repliesPerMinutePerRoom: 1e6, repliesPerMinutePerPerson: 1e6, callsPerDayInAll: 10 };
  const one = kept(limits);
  assert.equal(many(one, ANN, 20, true), 10);
  assert.deepEqual(ask(one, BEN, true, GARDEN), { kind: "exhausted", scope: "space", key: "budgets.calls_per_day_in_all", ofDay: true });
  const key = "budgets.calls_per_day_in_all";
  const both = [
    { kind: "near", key, surface: null },
    { kind: "spent", key, surface: null },
  ];
  assert.deepEqual(one.told, both, "at four fifths, and at the end");
  const two = kept(limits, one);
  assert.equal(ask(two, BEN, true).kind, "exhausted");
  assert.equal(two.told.length, 0, "a restart of the same day tells it no second time");
  await one.clock.advance(DAY_MS);
  assert.equal(many(one, ANN, 20, true), 10);
  assert.deepEqual(one.told, [...both, ...both]);
});

test("TR-092 a space's calls of the day are told of too, at four fifths and at the end, each once", () => {
  const one = kept({ ...STANDARD, repliesPerMinutePerRoom: 1e6, repliesPerMinutePerPerson: 1e6, callsPerDayPerSpace: 10 });
  assert.equal(many(one, ANN, 7, true), 7);
  assert.deepEqual(one.told, []);
  assert.equal(many(one, ANN, 20, true), 3);
  assert.deepEqual(
    one.told.map(({ kind, key, surface }) => [kind, key, surface]),
    [
      ["near", "budgets.calls_per_day_per_space", PARLOUR],
      ["spent", "budgets.calls_per_day_per_space", PARLOUR],
    ],
  );
});

test("TR-092 the day's calls can be looked at: limit, used, when it begins anew, and how near the end it is", () => {
  const one = kept({ ...STANDARD, repliesPerMinutePerRoom: 1e6, repliesPerMinutePerPerson: 1e6, callsPerDayPerSpace: 10 });
  many(one, ANN, 8, true);
  const resetsAtMs = Math.floor(one.clock.nowMs() / DAY_MS) * DAY_MS + DAY_MS;
  const counted = { unit: "calls", reserved: 0, resetsAtMs };
  assert.deepEqual(one.budgets.views([PARLOUR, GARDEN]), [
    { ...counted, key: "budgets.calls_per_day_in_all", surface: null, limit: 5_000, used: 8, state: "ok" },
    { ...counted, key: "budgets.calls_per_day_per_space", surface: PARLOUR, limit: 10, used: 8, state: "near" },
    { ...counted, key: "budgets.calls_per_day_per_space", surface: GARDEN, limit: 10, used: 0, state: "ok" },
  ]);
});

const asking = fc.record({
  who: fc.nat(14),
  named: fc.boolean(),
  garden: fc.boolean(),
  afterMs: fc.constantFrom(0, 1_000, 61_000),
  releases: fc.boolean(),
});

test("SE-090 TR-024 under any order of asking: ceilings hold, free identities stay within their pools, and an idle space refuses nobody's first", async () => {
  const arbitrary = fc.record({
    repliesPerMinutePerRoom: fc.integer({ min: 1, max: 30 }),
    repliesPerMinutePerPerson: fc.integer({ min: 1, max: 10 }),
    callsPerDayPerPerson: fc.integer({ min: 1, max: 20 }),
    callsPerDayPerSpace: fc.integer({ min: 1, max: 60 }),
    callsPerDayInAll: fc.integer({ min: 1, max: 90 }),
  });
  await fc.assert(
    fc.asyncProperty(arbitrary, fc.array(asking, { maxLength: 120 }), async (limits, steps) => {
      const one = kept(limits);
      const granted: { person: string; free: boolean; surface: string; minute: number }[] = [];
      for (const { who, named, garden, afterMs, releases } of steps) {
        const surface = garden ? GARDEN : PARLOUR;
        const person = parsePrincipalId(`room:${named ? "n" : "g"}${who}`);
        const reservation = one.budgets.reserve({ person, surface, named });
        const minute = Math.floor(one.clock.nowMs() / 60_000);
        if (granted.length === 0) assert.equal(reservation.kind, "reserved");
        if (reservation.kind === "reserved" && releases) reservation.release();
        else if (reservation.kind === "reserved") granted.push({ person, free: !named, surface, minute });
        await one.clock.advance(afterMs);
      }
      const most = (keys: readonly string[]): number =>
        Math.max(0, ...new Map(keys.map((key) => [key, keys.filter((k) => k === key).length])).values());
      const half = (limit: number): number => Math.ceil(limit / 2);
      const free = granted.filter((one) => one.free);
      assert.ok(most(granted.map(({ surface, minute }) => `${surface} ${minute}`)) <= limits.repliesPerMinutePerRoom);
      assert.ok(most(granted.map(({ person, minute }) => `${person} ${minute}`)) <= limits.repliesPerMinutePerPerson);
      assert.ok(most(granted.map(({ person }) => person)) <= limits.callsPerDayPerPerson);
      assert.ok(most(granted.map(({ surface }) => surface)) <= limits.callsPerDayPerSpace);
      assert.ok(granted.length <= limits.callsPerDayInAll);
      assert.ok(most(free.map(({ surface, minute }) => `${surface} ${minute}`)) <= poolOf(limits.repliesPerMinutePerRoom, false));
      assert.ok(most(free.map(({ surface }) => surface)) <= half(limits.callsPerDayPerSpace));
    }),
    { numRuns: 100 },
  );
});

test("TR-024 a place may have a limit of its own beside the budgets; it counts everybody's calls there together and outlives a restart", () => {
  const beside = { scope: "calls:under:town:1", perDay: 2, key: "surfaces.town.places.1.calls_per_day" };
  const one = kept(LIMITS);
  const ask = (person: typeof ANN, within: boolean): string => {
    const reservation = one.budgets.reserve({ person, surface: PARLOUR, named: true, ...(within ? { beside } : {}) });
    write(one, reservation);
    return reservation.kind === "reserved" ? "reserved" : `${reservation.scope} ${reservation.key}`;
  };
  assert.deepEqual(
    [ask(ANN, true), ask(BEN, true), ask(ANN, true), ask(ANN, false)],
    ["reserved", "reserved", `space ${beside.key}`, "reserved"],
  );
});
