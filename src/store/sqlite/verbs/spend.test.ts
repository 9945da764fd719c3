import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import fc from "fast-check";
import { silentLog } from "../../../foundation/log.ts";
import { ManualClock } from "../../../testing/manual-clock.ts";
import { STORE_TIME_MS, personOf } from "../../../testing/store-rows.ts";
import { openDirectStore } from "../../../testing/store-writer.ts";
import { parseCharacterId, parseSurfaceName } from "../../../vocabulary/ids.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import { SPEND_KEYS } from "../../../vocabulary/spending.ts";
import type { SpendRow } from "../../spend-store.ts";
import type { Store } from "../../store.ts";
import { openStore } from "../sqlite.ts";

const DAY_MS = 86_400_000;
const TODAY = Math.floor(STORE_TIME_MS / DAY_MS) * DAY_MS;
const PARLOUR = parseSurfaceName("parlour");
const GARDEN = parseSurfaceName("garden");
const MIRELLE = parseCharacterId("mirelle");
const PSEUDONYM = parsePrincipalId("forgotten:x");
const never = new AbortController().signal;

const rowOf = (more: Partial<SpendRow> = {}): SpendRow => ({
  dayMs: TODAY,
  surface: PARLOUR,
  person: personOf(1),
  character: MIRELLE,
  model: "near/tiny",
  calls: 1,
  promptTokens: 100,
  completionTokens: 10,
  costMicros: 7,
  reservedMicros: 0,
  unpricedCalls: 0,
  ...more,
});

function folder(context: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), "troupe-spend-"));
  context.after(() => rmSync(made, { recursive: true, force: true }));
  return join(made, "state");
}

const open = (directory: string, how: { restored?: boolean } = {}): Promise<Store> =>
  openStore(
    { directory, clock: new ManualClock(STORE_TIME_MS), log: silentLog, installation: { key: new Uint8Array(32).fill(3), ...how } },
    never,
  );

test("TR-092 calls are summed by person, space, character, model and day, the dearest first, and outlive the process", () => {
  using store = openDirectStore();
  const add = (more: Partial<SpendRow>): unknown => store.run({ verb: "spend", row: { ...rowOf(more), pseudonym: PSEUDONYM } });
  add({});
  add({});
  add({ person: personOf(2), surface: GARDEN, model: "far/big", costMicros: 90, unpricedCalls: 1 });
  add({ dayMs: TODAY - DAY_MS, character: parseCharacterId("tobias"), costMicros: 5, reservedMicros: 3 });
  store.restart();
  const sums = (by: (typeof SPEND_KEYS)[number]): unknown =>
    store.read
      .spending(by, TODAY - DAY_MS, TODAY)
      .map((sum) => [sum.key, sum.calls, sum.costMicros, sum.reservedMicros, sum.today.costMicros]);
  assert.deepEqual(sums("person"), [
    [personOf(2), 1, 90, 0, 90],
    [personOf(1), 3, 19, 3, 14],
  ]);
  assert.deepEqual(sums("space"), [
    ["garden", 1, 90, 0, 90],
    ["parlour", 3, 19, 3, 14],
  ]);
  assert.deepEqual(sums("character"), [
    ["mirelle", 3, 104, 0, 104],
    ["tobias", 1, 5, 3, 0],
  ]);
  assert.deepEqual(sums("model"), [
    ["far/big", 1, 90, 0, 90],
    ["near/tiny", 3, 19, 3, 14],
  ]);
  assert.deepEqual(sums("day"), [
    [String(TODAY), 3, 104, 0, 104],
    [String(TODAY - DAY_MS), 1, 5, 3, 0],
  ]);
  assert.deepEqual(store.read.spending("person", TODAY, TODAY)[0]?.unpricedCalls, 1);
  assert.equal(store.read.firstSpendDay(), TODAY - DAY_MS);
  assert.deepEqual([store.read.spent(TODAY, null), store.read.spent(TODAY, PARLOUR), store.read.spent(TODAY - DAY_MS, null)], [104, 14, 8]);
  assert.deepEqual([store.read.spent(TODAY + DAY_MS, null), store.read.spent(TODAY, parseSurfaceName("attic"))], [0, 0]);
});

test("TR-092 a host that was tried in vain and never answered is in no list", () => {
  using store = openDirectStore();
  const nothing = { promptTokens: 0, completionTokens: 0, costMicros: 0, model: "gone/none", pseudonym: PSEUDONYM };
  store.run({ verb: "spend", row: { ...rowOf(), ...nothing, reservedMicros: 145 } });
  assert.equal(store.read.spending("model", TODAY, TODAY).length, 1, "while it is tried it is there");
  store.run({ verb: "spend", row: { ...rowOf(), ...nothing, calls: -1, reservedMicros: -145 } });
  for (const by of SPEND_KEYS) assert.deepEqual(store.read.spending(by, 0, TODAY), []);
});

test("TR-092 a database without calls has no sums, and says so", () => {
  using store = openDirectStore();
  for (const by of SPEND_KEYS) assert.deepEqual(store.read.spending(by, 0, TODAY), []);
  assert.deepEqual([store.read.firstSpendDay(), store.read.spent(TODAY, null)], [null, 0]);
});

test("TR-043 sums of a person who is forgotten go on under a keyed hash, and a call that ends later brings no name back", async (context) => {
  const directory = folder(context);
  const person = parsePrincipalId("room:quagga-spender");
  {
    await using store = await open(directory);
    await store.spend(rowOf({ person, reservedMicros: 40 }));
    await store.forget({ person, atMs: STORE_TIME_MS, request: null });
    await store.spend(rowOf({ person, calls: 0, costMicros: 11, reservedMicros: -40 }));
    const [sum, ...others] = store.read.spending("person", TODAY, TODAY);
    assert.deepEqual([others.length, sum?.calls, sum?.costMicros, sum?.reservedMicros], [0, 1, 18, 0]);
    assert.notEqual(sum?.key, person);
    assert.equal(store.read.spent(TODAY, null), 18);
  }
  const holders = readdirSync(directory).filter((name) => readFileSync(join(directory, name)).includes("quagga-spender"));
  assert.deepEqual(holders, []);
  await using again = await open(directory);
  await again.spend(rowOf({ person }));
  assert.equal(again.read.spending("person", TODAY, TODAY).length, 2, "who comes back is somebody new");
});

test("SE-099 the money of the day counts as spent in a restored copy, in all and in each space, and no later day's does", async (context) => {
  const copy = folder(context);
  mkdirSync(copy, { mode: 0o700 });
  {
    await using store = await open(folder(context));
    await store.spend(rowOf());
    const { path } = await store.copyAside(never);
    renameSync(path, join(copy, "troupe.db"));
  }
  await using store = await open(copy, { restored: true });
  assert.notEqual(store.restored, null);
  for (const surface of [null, PARLOUR, GARDEN]) assert.ok(store.read.spent(TODAY, surface) > 1e15);
  assert.equal(store.read.spent(TODAY + DAY_MS, null), 0);
  assert.deepEqual(
    store.read.spending("space", TODAY, TODAY).map(({ costMicros }) => costMicros),
    [7],
    "what was spent is not made up",
  );
});

test("TR-043 sums are kept as long as decisions are", () => {
  using store = openDirectStore();
  for (const dayMs of [TODAY - 31 * DAY_MS, TODAY - 30 * DAY_MS, TODAY])
    store.run({ verb: "spend", row: { ...rowOf({ dayMs }), pseudonym: PSEUDONYM } });
  const cut = {
    decisionsBeforeMs: TODAY - 30 * DAY_MS + 5,
    publicBeforeMs: 0,
    directBeforeMs: 0,
    deliveriesBeforeMs: 0,
    membersBeforeMs: 0,
    toldBeforeMs: 0,
    sessionsBeforeMs: 0,
  };
  assert.equal(store.run({ verb: "retain", row: cut }).dropped, 1);
  assert.equal(store.read.firstSpendDay(), TODAY - 30 * DAY_MS);
});

const amount = fc.integer({ min: 0, max: 1_000_000_000 });
const spending = fc.record({
  dayMs: fc.constantFrom(TODAY, TODAY - DAY_MS),
  surface: fc.constantFrom(PARLOUR, GARDEN),
  person: fc.constantFrom(personOf(1), personOf(2), personOf(3)),
  model: fc.constantFrom("near/tiny", "far/big"),
  calls: fc.nat(3),
  promptTokens: amount,
  completionTokens: amount,
  costMicros: amount,
  reservedMicros: amount,
  unpricedCalls: fc.nat(3),
});

test("TR-092 property: by whatever key it is summed, nothing is lost and nothing is counted twice", () => {
  fc.assert(
    fc.property(fc.array(spending, { minLength: 1, maxLength: 30 }), (rows) => {
      using store = openDirectStore();
      for (const row of rows) store.run({ verb: "spend", row: { ...rowOf(row), pseudonym: PSEUDONYM } });
      const total = (of: (one: (typeof rows)[number]) => number): number => rows.reduce((sum, row) => sum + of(row), 0);
      const expected = [
        total((row) => row.calls),
        total((row) => row.promptTokens),
        total((row) => row.completionTokens),
        total((row) => row.costMicros),
      ];
      for (const by of SPEND_KEYS) {
        const sums = store.read.spending(by, TODAY - DAY_MS, TODAY);
        const all = (of: (one: (typeof sums)[number]) => number): number => sums.reduce((sum, one) => sum + of(one), 0);
        assert.deepEqual(
          [all((sum) => sum.calls), all((sum) => sum.promptTokens), all((sum) => sum.completionTokens), all((sum) => sum.costMicros)],
          expected,
        );
        assert.equal(
          all((sum) => sum.today.costMicros),
          rows.filter(({ dayMs }) => dayMs === TODAY).reduce((sum, row) => sum + row.costMicros, 0),
        );
      }
      for (const dayMs of [TODAY, TODAY - DAY_MS]) {
        const ofDay = rows.filter((row) => row.dayMs === dayMs).reduce((sum, row) => sum + row.costMicros + row.reservedMicros, 0);
        assert.equal(store.read.spent(dayMs, null), ofDay);
      }
    }),
    { numRuns: 25 },
  );
});
