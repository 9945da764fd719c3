import assert from "node:assert/strict";
import { test } from "node:test";
import { LOCAL_ACTOR } from "../operations/local-actor.ts";
import { createOperations } from "../operations/operations.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { personOf } from "../testing/store-rows.ts";
import { openDirectStore } from "../testing/store-writer.ts";
import type { DirectStore } from "../testing/store-writer.ts";
import type { BudgetView } from "../vocabulary/budget.ts";
import { parseCharacterId, parseSurfaceName } from "../vocabulary/ids.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";
import { bindBudgets, budgets } from "./budgets-operation.ts";
import { bindCosts, costs } from "./costs-operation.ts";
import type { CostsAnswer } from "./costs-operation.ts";

const DAY_MS = 86_400_000;
const TODAY = 20_000 * DAY_MS;
const NOON = TODAY + DAY_MS / 2;
const never = new AbortController().signal;

interface Spent {
  readonly daysAgo?: number;
  readonly person?: number;
  readonly space?: string;
  readonly model?: string;
  readonly costMicros: number;
  readonly reservedMicros?: number;
  readonly unpriced?: true;
}

function fill(store: DirectStore, spent: readonly Spent[]): void {
  for (const { daysAgo = 0, person = 1, space = "inn", model = "near/tiny", costMicros, reservedMicros = 0, unpriced } of spent)
    store.run({
      verb: "spend",
      row: {
        dayMs: TODAY - daysAgo * DAY_MS,
        surface: parseSurfaceName(space),
        person: personOf(person),
        character: parseCharacterId("mirelle"),
        model,
        calls: 1,
        promptTokens: 1_200,
        completionTokens: 30,
        costMicros,
        reservedMicros,
        unpricedCalls: unpriced === true ? 1 : 0,
        pseudonym: parsePrincipalId("forgotten:x"),
      },
    });
}

async function costsOf(store: DirectStore, args: object = {}): Promise<CostsAnswer> {
  const clock = new ManualClock(NOON);
  return costs.parse(await createOperations([bindCosts({ clock, read: store.read })]).run("costs", args, LOCAL_ACTOR, never));
}

const shown = (answer: CostsAnswer): readonly string[] => costs.present(answer).lines.map(({ text }) => text);

test("TR-092 costs tells today, seven days, and a month at this pace, the dearest first", async () => {
  using store = openDirectStore();
  fill(store, [
    { costMicros: 100_000 },
    { space: "garden", costMicros: 600_000, person: 2 },
    { daysAgo: 6, costMicros: 50_000 },
    { daysAgo: 7, costMicros: 9_000_000 },
  ]);
  const answer = await costsOf(store);
  const month = (micros: number): number => Math.ceil((micros * 30) / 6.5);
  assert.deepEqual(
    answer.rows.map(({ key, calls, costMicros, todayMicros, monthMicros }) => [key, calls, costMicros, todayMicros, monthMicros]),
    [
      ["garden", 1, 600_000, 600_000, month(600_000)],
      ["inn", 2, 150_000, 100_000, month(150_000)],
    ],
  );
  assert.deepEqual([answer.total.costMicros, answer.total.todayMicros, answer.total.monthMicros], [750_000, 700_000, month(750_000)]);
  assert.deepEqual(shown(answer), [
    "  space   calls     in  out  today  7 days  30 days at this pace",
    "  garden      1  1,200   30   0.60    0.60                2.7692",
    "  inn         2  2,400   60   0.10    0.15                0.6923",
    "  all         3  3,600   90   0.70    0.75                3.4615",
  ]);
});

test("TR-092 costs by day lists a month of days, the latest first, and the pace of the last seven", async () => {
  using store = openDirectStore();
  fill(store, [{ costMicros: 70_000 }, { daysAgo: 20, costMicros: 5_000 }, { daysAgo: 30, costMicros: 1 }]);
  const answer = await costsOf(store, { by: "day" });
  assert.deepEqual(
    answer.rows.map(({ key, costMicros }) => [key, costMicros]),
    [
      [new Date(TODAY).toISOString().slice(0, 10), 70_000],
      [new Date(TODAY - 20 * DAY_MS).toISOString().slice(0, 10), 5_000],
    ],
  );
  assert.equal(answer.total.monthMicros, Math.ceil((70_000 * 30) / 6.5));
  assert.match(shown(answer).at(-1) ?? "", /30 days at the pace of the last seven: 0\.3231/);
});

test("TR-092 the pace of a first day is that of a whole day at least", async () => {
  using store = openDirectStore();
  fill(store, [{ costMicros: 1_000 }]);
  assert.equal((await costsOf(store)).total.monthMicros, 30_000);
});

test("TR-092 people are told with the name last seen, as data; more rows than asked for are counted", async () => {
  using store = openDirectStore();
  const member = { id: personOf(1), surface: parseSurfaceName("inn"), name: "Ann\u202e", foldedName: "ann", secretHash: null, atMs: 1 };
  store.run({ verb: "admitMember", row: member });
  fill(store, [{ costMicros: 10 }, { person: 2, costMicros: 5 }, { person: 3, costMicros: 1 }]);
  const answer = await costsOf(store, { by: "person", limit: 2 });
  assert.deepEqual(
    answer.rows.map(({ key, name }) => [key, name]),
    [
      [personOf(1), "Ann\u202e"],
      [personOf(2), null],
    ],
  );
  assert.deepEqual([answer.left, answer.total.costMicros], [1, 16]);
  const text = shown(answer).join("\n");
  assert.ok(!text.includes("\u202e") && text.includes("Ann⟨202E⟩"));
  assert.match(text, /and 1 more/);
});

test("TR-092 what is not confirmed and what has no price is said, and never shown as nothing", async () => {
  using store = openDirectStore();
  fill(store, [
    { costMicros: 10_000, reservedMicros: 145 },
    { model: "far/big", costMicros: 0, unpriced: true },
  ]);
  const text = shown(await costsOf(store, { by: "model" })).join("\n");
  assert.match(text, /far\/big +1 +1,200 +30 +unknown +unknown +unknown/);
  assert.match(text, /0\.0001 more is set aside/);
  assert.match(text, /1 of these calls went to models whose price is unknown/);
});

test("TR-092 without a call there is a sentence, not an empty table", async () => {
  using store = openDirectStore();
  assert.deepEqual(shown(await costsOf(store)), ["No model was asked in this time. The understudy asks none and costs nothing."]);
});

test("TR-092 SE-094 costs and budgets are the owner's: whoever is less is refused before anything is looked at", async () => {
  using store = openDirectStore();
  const clock = new ManualClock(NOON);
  const operations = createOperations([
    bindCosts({ clock, read: store.read }),
    bindBudgets({ clock, views: () => assert.fail("looked at"), unpricedModels: () => [] }),
  ]);
  const owner = LOCAL_ACTOR;
  for (const actor of [
    { ...owner, role: "guest" },
    { ...owner, role: "trusted" },
    { ...owner, assurance: "platform" },
    { ...owner, channel: "public" },
  ] as const)
    for (const name of ["costs", "budgets"])
      await assert.rejects(operations.run(name, { by: "nonsense" }, actor, never), { code: "forbidden" });
  await assert.rejects(operations.run("costs", { by: "nonsense" }, owner, never), { code: "usage" });
});

test("TR-092 budgets tells limit, used, set aside and when all begins anew; a bound that is missing and a price that is unknown are said", async () => {
  const resetsAtMs = TODAY + DAY_MS;
  const row = { resetsAtMs, reserved: 0, state: "ok" } as const;
  const inn = parseSurfaceName("inn");
  const views: readonly BudgetView[] = [
    {
      ...row,
      key: "budgets.money_per_day_in_all",
      surface: null,
      unit: "micros",
      limit: 1_000_000,
      used: 810_000,
      reserved: 20_000,
      state: "near",
    },
    { ...row, key: "budgets.money_per_day_per_space", surface: inn, unit: "micros", limit: null, used: 0 },
    { ...row, key: "budgets.calls_per_day_per_space", surface: inn, unit: "calls", limit: 10, used: 10, state: "spent" },
  ];
  const clock = new ManualClock(NOON);
  const operation = bindBudgets({ clock, views: () => views, unpricedModels: () => ["far/big"] });
  const answer = budgets.parse(await createOperations([operation]).run("budgets", {}, LOCAL_ACTOR, never));
  assert.deepEqual(answer, { atMs: NOON, budgets: views, unpricedModels: ["far/big"] });
  assert.deepEqual(
    budgets.present(answer).lines.map(({ text }) => text),
    [
      "  in all  money  0.81 (+0.02 set aside)  of 1.00  four fifths are used            budgets.money_per_day_in_all",
      "  inn     calls  10                      of 10    used up: nothing more is asked  budgets.calls_per_day_per_space",
      "  the price of far/big is unknown: only its calls are bounded",
      "  all begin anew at 2024-10-05T00:00 UTC",
    ],
  );
});
