import assert from "node:assert/strict";
import { test } from "node:test";
import { budgets } from "../../src/observe/budgets-operation.ts";
import type { BudgetsAnswer } from "../../src/observe/budgets-operation.ts";
import { costs } from "../../src/observe/costs-operation.ts";
import type { CostsAnswer } from "../../src/observe/costs-operation.ts";
import { LOCAL_ACTOR } from "../../src/operations/local-actor.ts";
import { MIRELLE, inboundLine } from "../../src/testing/road-fixtures.ts";
import type { ScriptedModel } from "../../src/testing/scripted-model.ts";
import { leanSpeech, startScriptedModel } from "../../src/testing/scripted-model.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../src/vocabulary/principal.ts";
import type { ComposedHarness } from "./composed.ts";
import { openComposed } from "./composed.ts";

const never = new AbortController().signal;
const TEXT = "That was all for today.";
/** 1,000 tokens read and 100 written, at one and two a million: 1,200 millionths a call. */
const COST = 1_200;

const yaml = (url: string, limits: string): string => `
characters:
  mirelle: { name: Mirelle, description: "Keeps the inn at the ferry." }
surfaces:
  inn: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
models: { hosts: { near: { api: openai, url: "${url}", models: { tiny: { price: { prompt: 1, completion: 2 } } } } } }
budgets: { spent_text: "${TEXT}", replies_per_minute_per_room: 120, replies_per_minute_per_person: 60, ${limits} }
`;

const priced = (): Promise<ScriptedModel> =>
  startScriptedModel({ script: () => ({ text: leanSpeech("Good evening."), usage: { prompt_tokens: 1_000, completion_tokens: 100 } }) });

interface Heard {
  readonly end: string | null;
  readonly reason: string | null;
  readonly said: readonly string[];
}

async function ask(one: ComposedHarness, at: number, person = "room:ann"): Promise<Heard> {
  const before = one.surface.sent.length;
  const line = inboundLine({ deliveryId: `d${at}`, atMs: Date.now(), to: MIRELLE, text: `line ${at}` });
  const sender = { ...line.sender, principal: parsePrincipalId(person) };
  const heard = await one.surface.inbox?.hear({ ...line, sender }, never);
  await one.runtime.idle();
  const said = one.surface.sent.slice(before).map(({ body }) => body.split("\n")[0] ?? "");
  if (heard?.kind !== "admitted") return { end: null, reason: heard?.kind === "suppressed" ? heard.reason : "none", said };
  const told = one.runtime.store.read.explain(heard.id);
  return { end: told?.end ?? null, reason: told?.endReason ?? null, said };
}

/** Guests alone would share half of the money. */
async function nameBoth({ runtime }: ComposedHarness): Promise<void> {
  for (const name of ["ann", "ben"])
    await runtime.store.setTrust({ person: parsePrincipalId(`scripted:${name}`), role: "trusted", by: LOCAL_OWNER, atMs: 0 });
}

const costsOf = async (one: ComposedHarness, by: string): Promise<CostsAnswer> =>
  costs.parse(await one.runtime.operations.run("costs", { by }, LOCAL_ACTOR, never));
const budgetsOf = async (one: ComposedHarness): Promise<BudgetsAnswer> =>
  budgets.parse(await one.runtime.operations.run("budgets", {}, LOCAL_ACTOR, never));

test("TR-092 the money of a day is spent to its bound, told at four fifths and at the end, and then not one call more is made", async () => {
  await using model = await priced();
  // A call is set aside at some five times its cost, so a few calls fit.
  await using one = await openComposed(yaml(model.url, "money_per_day_in_all: 0.012"));
  await nameBoth(one);
  const ends: Heard[] = [];
  for (let at = 0; at < 14; at += 1) ends.push(await ask(one, at, at % 2 === 0 ? "scripted:ann" : "scripted:ben"));
  const answered = ends.filter(({ end }) => end === "answered").length;
  assert.ok(answered >= 3 && answered * COST <= 12_000, `${answered} were answered`);
  assert.equal(model.requests.length, answered, "what was not answered was never sent");
  const refused = ends.slice(answered);
  assert.ok(refused.length >= 3 && refused.every(({ end, reason }) => reason === "budget_spent" || (end === null && reason === "budget")));
  assert.deepEqual(refused[0]?.said, [TEXT]);
  assert.ok(refused.filter(({ said }) => said.length > 0).length <= 3, "seldom");
  const { total, rows } = await costsOf(one, "person");
  assert.deepEqual(
    [total.calls, total.costMicros, total.todayMicros, total.unconfirmedMicros],
    [answered, answered * COST, answered * COST, 0],
  );
  assert.deepEqual(new Set(rows.map(({ key }) => key)), new Set(["scripted:ann", "scripted:ben"]));
  for (const [by, key] of [
    ["space", one.surface.name],
    ["character", "mirelle"],
    ["model", "near/tiny"],
  ] as const) {
    const answer = await costsOf(one, by);
    assert.deepEqual(
      answer.rows.map((row) => [row.key, row.costMicros]),
      [[key, answered * COST]],
    );
  }
  const [inAll] = (await budgetsOf(one)).budgets;
  assert.deepEqual(
    [inAll?.key, inAll?.limit, inAll?.used, inAll?.reserved, inAll?.state],
    ["budgets.money_per_day_in_all", 12_000, answered * COST, 0, "spent"],
  );
  const notices = one.log.filter((line) => /"event":"budget_(?:near|spent)"/.test(line));
  assert.equal(notices.filter((line) => line.includes("budget_spent")).length, 1);
});

test("TR-092 many at once spend no more than one after another: what is under way is set aside", async () => {
  await using model = await priced();
  model.fault("hanging_headers");
  await using one = await openComposed(yaml(model.url, "money_per_day_in_all: 0.012"));
  const hear = async (at: number): Promise<void> => {
    const line = inboundLine({ deliveryId: `m${at}`, atMs: Date.now(), to: MIRELLE, text: `line ${at}` });
    await one.surface.inbox?.hear({ ...line, sender: { ...line.sender, principal: parsePrincipalId(`room:p${at}`) } }, never);
  };
  await Promise.all(Array.from({ length: 12 }, (_, at) => hear(at)));
  await model.received(1, AbortSignal.timeout(5_000));
  const [open] = (await budgetsOf(one)).budgets;
  assert.ok((open?.reserved ?? 0) > 0 && (open?.used ?? 0) + (open?.reserved ?? 0) <= 12_000);
  model.fault(null);
  model.release();
  await one.runtime.idle();
  const [after] = (await budgetsOf(one)).budgets;
  assert.deepEqual([after?.reserved, after?.used], [0, model.requests.length * COST]);
  assert.ok((after?.used ?? 0) <= 12_000);
});

test("TR-092 a model of unknown price is not held by money; its calls are, and budgets says which it is", async () => {
  await using model = await priced();
  const free = yaml(model.url, "money_per_day_in_all: 0").replace("price: { prompt: 1, completion: 2 }", "price: unknown");
  await using one = await openComposed(free.replace("money_per_day_in_all: 0", "money_per_day_in_all: 0.000001, calls_per_day_in_all: 2"));
  assert.deepEqual([(await ask(one, 1)).end, (await ask(one, 2)).end], ["answered", "answered"]);
  assert.deepEqual(await ask(one, 3), { end: "refused", reason: "budget_spent", said: [TEXT] }, "told once");
  assert.deepEqual(await ask(one, 4), { end: null, reason: "budget", said: [] }, "and not again at once");
  const { total } = await costsOf(one, "model");
  assert.deepEqual([total.calls, total.unpricedCalls, total.costMicros], [2, 2, 0]);
  assert.deepEqual((await budgetsOf(one)).unpricedModels, ["near/tiny"]);
});

test("TR-092 SE-086 nothing of money is in what the model is sent", async () => {
  await using model = await priced();
  await using one = await openComposed(yaml(model.url, "money_per_day_in_all: 0.012345"));
  await ask(one, 1);
  assert.doesNotMatch(model.requests[0]?.body.toString() ?? "", /budget|money|micros|0\.012345|12345/i);
});
