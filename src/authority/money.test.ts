import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isRuntimeError } from "../foundation/errors.ts";
import type { SpendRow } from "../store/spend-store.ts";
import { answered } from "../testing/answered.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { TEST_PRICE } from "../testing/model-host.ts";
import { ANN, MIRELLE, PARLOUR } from "../testing/road-fixtures.ts";
import type { BudgetNotice } from "../vocabulary/budget.ts";
import type { CallEstimate, CallReservation } from "../vocabulary/call-meter.ts";
import { parseSurfaceName } from "../vocabulary/ids.ts";
import type { SurfaceName } from "../vocabulary/ids.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";
import type { Money, MoneyLimits } from "./money.ts";
import { createMoney } from "./money.ts";

const DAY_MS = 86_400_000;
const GARDEN = parseSurfaceName("garden");
const never = new AbortController().signal;
/** 100 tokens read and 10 written: 125 and 20 millionths at most, since all may go into the cache. */
const CALL: CallEstimate = { by: "near/tiny", price: TEST_PRICE, promptTokens: 100, completionTokens: 10 };
const MOST = 145;
const PER_SPACE = { key: "budgets.money_per_day_per_space", scope: "space" } as const;

interface Kept {
  readonly money: Money;
  readonly clock: ManualClock;
  readonly rows: SpendRow[];
  readonly told: BudgetNotice[];
  /** Lets commits through; without it they stand at once. */
  hold: boolean;
  readonly commit: () => void;
}

/** Money over a store that keeps what is added. */
function kept(limits: Partial<MoneyLimits>, before: Pick<Kept, "clock" | "rows"> | null = null): Kept {
  const clock = before?.clock ?? new ManualClock(1_800_000_000_000);
  const rows = before?.rows ?? [];
  const told: BudgetNotice[] = [];
  const held: (() => void)[] = [];
  const one: Kept = {
    clock,
    rows,
    told,
    hold: false,
    commit: () => held.splice(0).forEach((go) => go()),
    money: createMoney({
      clock,
      limits: () => ({ moneyPerDayInAllMicros: null, moneyPerDayPerSpaceMicros: null, ...limits }),
      store: {
        spend(row) {
          rows.push(row);
          return one.hold ? new Promise((go) => held.push(go)) : Promise.resolve();
        },
        read: {
          spent: (dayMs, surface) => spentIn(rows, dayMs, surface),
          spenders: (dayMs, surface) =>
            [...new Set(rows.map(({ person }) => person))].map((person) => ({ person, micros: spentIn(rows, dayMs, surface, person) })),
        },
      },
      isNamed: (person) => person === ANN,
      log: { failure: (_event, error) => assert.fail(String(error)) },
      notice: (notice) => void told.push(notice),
    }),
  };
  return one;
}

function spentIn(rows: readonly SpendRow[], dayMs: number, surface: SurfaceName | null, person: PrincipalId | null = null): number {
  const mine = rows.filter(
    (row) => row.dayMs === dayMs && (surface === null || row.surface === surface) && (person === null || row.person === person),
  );
  return mine.reduce((sum, row) => sum + row.costMicros + row.reservedMicros, 0);
}

const reserve = (one: Kept, surface = PARLOUR, call = CALL, person: PrincipalId = ANN): Promise<CallReservation> =>
  one.money.meterFor({ person, surface, character: MIRELLE }).reserve(call, never);
const guest = (number: number): PrincipalId => parsePrincipalId(`room:g${number}`);
const came = (costMicros: number | null): Parameters<CallReservation["settle"]>[0] => ({ usage: answered("").usage, costMicros });
const spentOut = (error: unknown): boolean => isRuntimeError(error, "budget_spent");

test("TR-092 a call is set aside at the most it may come to before it is made, and settled by what it came to", async () => {
  const one = kept({ moneyPerDayInAllMicros: 1_000 });
  const reservation = await reserve(one);
  assert.equal(spentIn(one.rows, one.rows[0]?.dayMs ?? 0, null), MOST);
  assert.deepEqual([one.money.views([])[0]?.used, one.money.views([])[0]?.reserved], [0, MOST]);
  reservation.settle(came(37));
  reservation.settle(came(37));
  assert.deepEqual([one.money.views([])[0]?.used, one.money.views([])[0]?.reserved], [37, 0]);
  const { dayMs } = one.rows[0] ?? assert.fail();
  const row = { dayMs, surface: PARLOUR, person: ANN, character: MIRELLE, model: "near/tiny" };
  assert.deepEqual(one.rows, [
    { ...row, calls: 1, promptTokens: 0, completionTokens: 0, costMicros: 0, reservedMicros: MOST, unpricedCalls: 0 },
    { ...row, calls: 0, promptTokens: 100, completionTokens: 10, costMicros: 37, reservedMicros: -MOST, unpricedCalls: 0 },
  ]);
});

test("TR-092 at the bound not one call more: what no longer fits is refused before anything is sent, and told once", async () => {
  const one = kept({ moneyPerDayInAllMicros: 2 * MOST + 10 });
  const [first] = [await reserve(one), await reserve(one)];
  await assert.rejects(reserve(one), spentOut);
  assert.equal(one.rows.length, 2, "nothing was kept for it");
  await assert.rejects(reserve(one, GARDEN), spentOut);
  first.settle(came(0));
  await reserve(one);
  assert.deepEqual(
    one.told.map(({ kind, key, surface }) => [kind, key, surface]),
    [
      ["near", "budgets.money_per_day_in_all", null],
      ["spent", "budgets.money_per_day_in_all", null],
    ],
  );
});

test("TR-092 a space has its own bound, and its neighbours don't feel it", async () => {
  const one = kept({ moneyPerDayPerSpaceMicros: MOST });
  await reserve(one);
  await assert.rejects(reserve(one), spentOut);
  await reserve(one, GARDEN);
  assert.deepEqual([one.money.refusal(ANN, PARLOUR), one.money.refusal(ANN, GARDEN)], [PER_SPACE, PER_SPACE]);
  assert.equal(kept({ moneyPerDayPerSpaceMicros: MOST }).money.refusal(ANN, PARLOUR), null);
});

test("SE-090 a kill gives nothing back: what was set aside and never settled is spent for the next process", async () => {
  const one = kept({ moneyPerDayInAllMicros: 2 * MOST });
  (await reserve(one)).settle(came(MOST));
  await reserve(one);
  const two = kept({ moneyPerDayInAllMicros: 2 * MOST }, one);
  assert.equal(two.money.refusal(ANN, PARLOUR)?.key, "budgets.money_per_day_in_all");
  await assert.rejects(reserve(two), spentOut);
  assert.deepEqual(two.told, [], "a restart of the same day tells it no second time");
  await one.clock.advance(DAY_MS);
  assert.equal(two.money.refusal(ANN, PARLOUR), null);
  await reserve(two);
});

test("SE-090 a call waits for the commit that would outlive a kill, unless nothing is at stake", async () => {
  const one = kept({});
  one.hold = true;
  let ready = 0;
  const waiting = reserve(one).then(() => (ready += 1));
  const free = await reserve(one, PARLOUR, { ...CALL, price: null });
  assert.equal(ready, 0);
  free.settle(came(null));
  one.commit();
  await waiting;
  assert.equal(ready, 1);
});

test("SE-090 a wait for the commit that is cut short leaves the money set aside", async () => {
  const one = kept({ moneyPerDayInAllMicros: 1_000 });
  one.hold = true;
  const leave = new AbortController();
  const waiting = one.money.meterFor({ person: ANN, surface: PARLOUR, character: MIRELLE }).reserve(CALL, leave.signal);
  leave.abort();
  await assert.rejects(waiting, (error) => isRuntimeError(error, "aborted"));
  assert.equal(one.money.views([])[0]?.reserved, MOST);
});

test("SE-090 a call that surely cost nothing is given back whole; one of unknown price counts as a call and costs no money", async () => {
  const one = kept({ moneyPerDayInAllMicros: MOST });
  (await reserve(one)).settle(null);
  assert.deepEqual(
    one.rows.map(({ calls, reservedMicros }) => [calls, reservedMicros]),
    [
      [1, MOST],
      [-1, -MOST],
    ],
  );
  const unpriced = await reserve(one, PARLOUR, { ...CALL, price: null });
  unpriced.settle(came(null));
  assert.deepEqual([one.rows[2]?.unpricedCalls, one.rows[3]?.unpricedCalls, one.rows[3]?.costMicros], [1, 0, 0]);
  await reserve(one);
});

test("TR-092 what is settled after midnight belongs to the day it was set aside in", async () => {
  const one = kept({ moneyPerDayInAllMicros: 1_000 });
  const late = await reserve(one);
  await one.clock.advance(DAY_MS);
  const next = await reserve(one);
  late.settle(came(100));
  next.settle(came(7));
  assert.equal(one.money.views([])[0]?.used, 7);
  assert.deepEqual(new Set(one.rows.map(({ dayMs }) => dayMs)).size, 2);
  assert.equal(spentIn(one.rows, one.rows[0]?.dayMs ?? 0, null), 100);
});

test("TR-092 the money of the day can be looked at: limit, used, set aside, when it begins anew, and how near the end it is", async () => {
  const one = kept({ moneyPerDayInAllMicros: 1_000, moneyPerDayPerSpaceMicros: MOST + 30 });
  (await reserve(one)).settle(came(30));
  await reserve(one);
  const resetsAtMs = Math.floor(one.clock.nowMs() / DAY_MS) * DAY_MS + DAY_MS;
  const row = { unit: "micros", resetsAtMs };
  assert.deepEqual(one.money.views([PARLOUR, GARDEN]), [
    { ...row, key: "budgets.money_per_day_in_all", surface: null, limit: 1_000, used: 30, reserved: MOST, state: "ok" },
    { ...row, key: "budgets.money_per_day_per_space", surface: PARLOUR, limit: MOST + 30, used: 30, reserved: MOST, state: "spent" },
    { ...row, key: "budgets.money_per_day_per_space", surface: GARDEN, limit: MOST + 30, used: 0, reserved: 0, state: "ok" },
  ]);
});

test("SE-090 free identities have half of a bound's money together; who is named finds the rest, also after a restart", async () => {
  const limits = { moneyPerDayPerSpaceMicros: 20 * MOST };
  const one = kept(limits);
  for (let number = 0; number < 10; number += 1) (await reserve(one, PARLOUR, CALL, guest(number))).settle(came(MOST));
  await assert.rejects(reserve(one, PARLOUR, CALL, guest(10)), spentOut);
  assert.deepEqual(one.money.refusal(guest(10), PARLOUR), PER_SPACE);
  assert.equal(one.money.refusal(ANN, PARLOUR), null);
  assert.deepEqual(
    one.told.filter(({ kind }) => kind === "spent"),
    [],
    "the day's money is not used up",
  );
  const two = kept(limits, one);
  await assert.rejects(reserve(two, PARLOUR, CALL, guest(11)), spentOut);
  await reserve(two, GARDEN, CALL, guest(11));
  for (let call = 0; call < 10; call += 1) await reserve(two);
  await assert.rejects(reserve(two), spentOut);
});

test("SE-090 the same holds for the money in all: guests of one space leave half of it to whoever is named", async () => {
  const one = kept({ moneyPerDayInAllMicros: 4 * MOST });
  await reserve(one, PARLOUR, CALL, guest(1)).catch(() => {});
  await reserve(one, GARDEN, CALL, guest(2)).catch(() => {});
  await assert.rejects(reserve(one, GARDEN, CALL, guest(3)), spentOut);
  assert.ok(spentIn(one.rows, one.rows[0]?.dayMs ?? 0, null) <= 2 * MOST);
  await reserve(one);
  await reserve(one);
});

test("SE-090 among guests who compete one has a tenth of their half, and gets back what a call did not come to", async () => {
  const one = kept({ moneyPerDayPerSpaceMicros: 200 * MOST });
  for (let number = 1; number < 10; number += 1) await reserve(one, PARLOUR, CALL, guest(number));
  for (let call = 0; call < 10; call += 1) await reserve(one, PARLOUR, CALL, guest(0));
  await assert.rejects(reserve(one, PARLOUR, CALL, guest(0)), spentOut);
  assert.deepEqual(one.money.refusal(guest(0), PARLOUR), { ...PER_SPACE, scope: "person" });
  assert.equal(one.money.refusal(guest(1), PARLOUR), null);
  const other = kept({ moneyPerDayPerSpaceMicros: 200 * MOST });
  for (let number = 1; number < 10; number += 1) await reserve(other, PARLOUR, CALL, guest(number));
  for (let call = 0; call < 100; call += 1) (await reserve(other, PARLOUR, CALL, guest(0))).settle(came(1));
});

const step = fc.record({
  promptTokens: fc.nat({ max: 5_000 }),
  completionTokens: fc.nat({ max: 900 }),
  garden: fc.boolean(),
  /** 0 is named, the others are guests. */
  who: fc.nat({ max: 12 }),
  /** What becomes of it: a share of the most, nothing, never known, or a kill of the whole process behind it. */
  fate: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom("nothing", "unknown", "kill")),
});

test("SE-090 property: whatever calls come, fail or are killed, no day spends more than its bound, in all or in a space, nor guests more than half of it", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.integer({ min: 0, max: 40_000 }),
      fc.integer({ min: 0, max: 40_000 }),
      async (steps, all, space) => {
        const limits = { moneyPerDayInAllMicros: all, moneyPerDayPerSpaceMicros: space };
        let one = kept(limits);
        for (const { promptTokens, completionTokens, garden, who, fate } of steps) {
          const call = { ...CALL, promptTokens, completionTokens };
          const reservation = await reserve(one, garden ? GARDEN : PARLOUR, call, who === 0 ? ANN : guest(who)).catch((error: unknown) => {
            assert.ok(spentOut(error));
            return null;
          });
          const most = Math.floor(promptTokens * 1.25 + completionTokens * 2);
          if (typeof fate === "number") reservation?.settle(came(Math.floor(most * fate)));
          if (fate === "nothing") reservation?.settle(null);
          if (fate === "kill") one = kept(limits, one);
          const { dayMs } = one.rows.at(-1) ?? { dayMs: 0 };
          assert.ok(spentIn(one.rows, dayMs, null) <= all);
          for (const surface of [PARLOUR, GARDEN]) assert.ok(spentIn(one.rows, dayMs, surface) <= space);
          for (const [surface, limit] of [
            [null, all],
            [PARLOUR, space],
            [GARDEN, space],
          ] as const)
            assert.ok(spentIn(one.rows, dayMs, surface) - spentIn(one.rows, dayMs, surface, ANN) <= Math.ceil(limit / 2));
          assert.ok(one.rows.every((row) => Object.values(row).every((value) => typeof value !== "number" || Number.isSafeInteger(value))));
        }
      },
    ),
    { numRuns: 200 },
  );
});
