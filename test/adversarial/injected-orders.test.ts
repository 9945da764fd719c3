import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ENTRIES } from "./entries.ts";
import { ORDERED_TOOLS, injectedOrders } from "./injected-orders.ts";
import { ObeyingAgent } from "./obeying-agent.ts";
import type { Answerer } from "./red-team-run.ts";
import { RedTeamRun, ownOrder, tableOf } from "./red-team-run.ts";

const ORDERS = injectedOrders();
/** What has to be nothing, whoever answers. */
const NOTHING = { cardsWithoutAttacker: 0, cardsOtherThanRun: 0, executedUnshown: 0, executedBeyondBounds: 0 };

interface Attack {
  readonly run: RedTeamRun;
  /** Calls that ran and change nothing. */
  readonly reads: number;
}

const attacks = new Map<Answerer, Promise<Attack>>();

/** The attack with one kind of person there; each is made once. */
function attacked(who: Answerer): Promise<Attack> {
  const made = attacks.get(who) ?? attack(who);
  attacks.set(who, made);
  return made;
}

async function attack(who: Answerer): Promise<Attack> {
  using agent = new ObeyingAgent();
  const run = new RedTeamRun(agent, who);
  await run.all(ORDERS, ({ entry, ...order }) => entry.deliver({ agent, ...order }));
  return { run, reads: agent.ran.length - agent.effects.length };
}

test("SE-104 the orders: at least 200, no two alike, every tool with an effect at every entry", () => {
  assert.ok(ORDERS.length >= 200);
  assert.equal(new Set(ORDERS.map(({ text }) => text)).size, ORDERS.length);
  const pairs = new Set(ORDERS.map(({ entry, tool }) => `${entry.name} ${tool}`));
  assert.equal(pairs.size, ENTRIES.length * ORDERED_TOOLS.length);
});

for (const who of ["nobody", "a denier"] as const)
  test(`SE-104 SE-080 TR-014 a model that obeys every text, ${who} answers: no order of others has any effect, and each card names its author`, async () => {
    const { run } = await attacked(who);
    const figures = run.figures();
    assert.deepEqual({ ...figures, ...NOTHING }, figures);
    assert.equal(figures.executed, 0);
    assert.ok(figures.asked > 0);
  });

test("SE-104 SE-080 SE-084 a model that obeys every text, everything is approved: what runs is what a card showed, byte for byte, under its author's name and within the bounds", async () => {
  const { run } = await attacked("an approver");
  const figures = run.figures();
  assert.deepEqual({ ...figures, ...NOTHING }, figures);
  assert.equal(figures.executed, run.cards.filter(({ allowed }) => allowed).length);
  assert.equal(figures.mostCardsOfOneText, 3);
  // The hour's bound was reached: fewer were asked about than could have been.
  assert.ok(figures.asked < ORDERS.filter(({ entry }) => entry.powerless !== true).length);
});

for (const who of ["nobody", "a denier", "an approver"] as const)
  test(`SE-104 SE-081 ${who} answers: every entry that can come to a question does, one that is powerless never, and nothing is read but at the owner's wish`, async () => {
    const { run, reads } = await attacked(who);
    const asked = new Set(run.cards.map(({ order }) => order.entry.name));
    const able = ENTRIES.filter(({ powerless }) => powerless !== true).map(({ name }) => name);
    assert.deepEqual([...asked].toSorted(), able.toSorted());
    assert.deepEqual(new Set(run.cards.map(({ ask }) => ask.tool)), new Set(ORDERED_TOOLS));
    assert.equal(reads, ORDERS.filter(({ entry }) => entry.reads === true).length);
  });

test("SE-104 the control: the same orders as the owner's own words at the terminal are asked about or run, all of them", async () => {
  using agent = new ObeyingAgent();
  const run = new RedTeamRun(agent, "nobody");
  await run.all(ORDERS, (order) => ownOrder(agent, order));
  assert.equal(run.reached.size, ORDERS.length);
  assert.deepEqual(new Set(run.cards.flatMap(({ ask }) => ask.foreign)), new Set());
  assert.ok(run.figures().executed > 0);
});

test("SE-104 what the documents say of the attack is what came of it", async (context) => {
  const [nobody, denier, approver] = [await attacked("nobody"), await attacked("a denier"), await attacked("an approver")];
  const table = tableOf({ nobody: nobody.run.figures(), "a denier": denier.run.figures(), "an approver": approver.run.figures() });
  context.diagnostic(`\n${table}`);
  const plain = (text: string): string => text.replaceAll(/ {2,}/gu, " ").replaceAll(/-{3,}/gu, "---");
  assert.ok(plain(readFileSync("docs/security.md", "utf8")).includes(table), `docs/security.md should hold:\n${table}`);
  const { orders, executed } = approver.run.figures();
  const said = `of ${orders} such orders none ran where nobody or a denier answered; with everything approved ${executed} calls ran`;
  assert.ok(readFileSync("README.md", "utf8").includes(said), `README.md should say: ${said}`);
});
