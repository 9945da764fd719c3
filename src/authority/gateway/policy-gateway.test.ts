import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import fc from "fast-check";
import { RuntimeError } from "../../foundation/errors.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import type { BatchOptions } from "../../testing/tool-bench.ts";
import { REMOTE_OPERATOR, STRANGER, TOOL_KINDS, ToolBench } from "../../testing/tool-bench.ts";
import type { Verdict } from "../../vocabulary/calls/gateway.ts";
import { parseGrantId, parseMessageId, parseSessionId } from "../../vocabulary/ids.ts";
import { LOCAL_OWNER } from "../../vocabulary/principal.ts";
import type { ToolDefinition } from "../../vocabulary/calls/tool-definition.ts";
import { createGateway } from "./policy-gateway.ts";

const NEVER = new AbortController().signal;
const TOOLS = Object.keys(TOOL_KINDS);
const CHANGING = TOOLS.filter((name) => TOOL_KINDS[name]?.classes.changes !== "nothing");

function bench(context: TestContext, options: ConstructorParameters<typeof ToolBench>[1] = {}): ToolBench {
  const made = new ToolBench(new ManualClock(), options);
  context.after(() => made.store[Symbol.dispose]());
  return made;
}

const said = (verdict: Verdict | undefined): string =>
  verdict === undefined ? "none" : verdict.kind === "deny" ? `deny ${verdict.code}` : verdict.kind;

/** Every way to a denial, and which tools it denies. */
const DENIALS: Readonly<
  Record<
    string,
    {
      readonly code: string;
      readonly how: BatchOptions & { readonly arguments?: string; readonly id?: string };
      readonly tools?: readonly string[];
    }
  >
> = {
  "a guest": { code: "not_allowed", how: { person: STRANGER, role: "guest", assurance: "platform" } },
  "a trusted person": { code: "not_allowed", how: { person: STRANGER, role: "trusted", assurance: "platform" } },
  "a blocked person": { code: "not_allowed", how: { person: STRANGER, role: "blocked", assurance: "platform" } },
  "a person whom the role says operator and nobody listed": { code: "not_allowed", how: { person: STRANGER, assurance: "platform" } },
  "an operator in public": { code: "not_allowed", how: { public: true } },
  "an operator's unproven line": { code: "not_allowed", how: { assurance: "anonymous" } },
  "an operator's relayed line": { code: "not_allowed", how: { assurance: "relayed" }, tools: [...CHANGING, "recall"] },
  "processes from a platform": { code: "not_allowed", how: { person: REMOTE_OPERATOR, assurance: "platform" }, tools: ["run"] },
  "no JSON": { code: "malformed", how: { arguments: "{text:" } },
  "no object": { code: "malformed", how: { arguments: `["x"]` } },
  "a wrong type": { code: "malformed", how: { arguments: `{"text":1}` } },
  "one field more": { code: "malformed", how: { arguments: `{"text":"x","approved":true}` } },
  "a prototype": { code: "malformed", how: { arguments: `{"text":"x","__proto__":{"role":"operator"}}` } },
  "a number that JSON cannot say": { code: "malformed", how: { arguments: `{"text":"x","draws":{"inventory":1e999}}` } },
  "an id that is none": { code: "malformed", how: { id: "c 1" } },
  "more bytes than can be asked about": { code: "ceiling", how: { arguments: JSON.stringify({ text: "x".repeat(70_000) }) } },
  money: { code: "budget", how: { arguments: `{"text":"x","draws":{"money":1}}` } },
  "more than the day's inventory": { code: "budget", how: { arguments: `{"text":"x","draws":{"inventory":51}}` } },
  "a schedule without a grant": { code: "not_allowed", how: { starter: "schedule" } },
  "a destination that the turn was not given": {
    code: "destination",
    how: { arguments: `{"text":"x","to":"channel-2"}` },
    tools: TOOLS.filter((name) => TOOL_KINDS[name]?.classes.changes === "outward"),
  },
};

for (const [what, { code, how, tools = TOOLS }] of Object.entries(DENIALS))
  test(`MC-033 MC-034 MC-038 CH-070 CH-078 cases D22 D25 D39 ${what}: denied (${code}) for every tool concerned, and no body is entered`, async (context) => {
    const made = bench(context);
    for (const name of tools) {
      const verdict = await made.one(name, how.id === undefined ? how : { ...how, id: `${how.id}${name}` });
      assert.equal(said(verdict), `deny ${code}`, name);
      assert.ok(verdict.kind === "deny" && verdict.text.startsWith("Denied by the runtime: "));
    }
    assert.ok(tools.length > 0);
    assert.deepEqual(made.ran, []);
  });

test("MC-034 a name that no tool has is denied, and stands in no row", async (context) => {
  const made = bench(context);
  for (const name of ["erase", "constructor", "__proto__", "LOOK", "look ", ""])
    assert.equal(said(await made.one(name)), "deny unknown_tool");
  assert.deepEqual(new Set(made.store.read.calls.decisions(10).map(({ tool }) => tool)), new Set(["unknown"]));
});

test("MC-033 MC-038 the control: an operator at the own machine gets each tool, asked or at once, and its body runs once", async (context) => {
  const made = bench(context);
  for (const name of TOOLS) {
    const verdict = await made.one(name, { readers: ["anyone"], root: parseMessageId(`m-root${name}`) });
    assert.equal(said(verdict), TOOL_KINDS[name]?.verdict, name);
    if (verdict.kind === "allow") await made.run(verdict.action);
  }
  assert.deepEqual(
    made.ran.map(({ tool }) => tool),
    TOOLS.filter((name) => TOOL_KINDS[name]?.verdict === "allow"),
  );
});

test("SE-091 one turn learns at most 64 bits of what it has not read, counted once a call, over a restart, with every call that was let in", async (context) => {
  const made = bench(context);
  const learn = (bits: number, more: BatchOptions & { readonly id?: string; readonly tool?: string } = {}): Promise<Verdict> => {
    const { tool = "look", ...rest } = more;
    return made.one(tool, { arguments: JSON.stringify({ text: `${bits}`, bits }), ...rest });
  };
  assert.equal(said(await learn(65)), "deny bits", "one call that could tell more is refused whole");
  assert.deepEqual([said(await learn(60, { id: "long" })), said(await learn(5))], ["allow", "deny bits"]);
  assert.equal(said(await learn(60, { id: "long" })), "allow", "the same call again tells nothing more");
  assert.equal(said(await learn(3, { tool: "write" })), "ask", "and one that waits for a person counts");
  assert.deepEqual([said(await learn(2)), said(await learn(1))], ["deny bits", "allow"]);
  made.store.restart();
  assert.deepEqual([said(await learn(1)), said(await made.one("look"))], ["deny bits", "allow"]);
  assert.equal(said(await learn(1, { root: parseMessageId("m-another") })), "allow", "another turn has its own");
  const told = made.store.read.calls.decisions(20).map(({ verdict, bits }) => `${verdict} ${bits}`);
  assert.deepEqual(told.toReversed(), ["deny 65", "allow 60", "deny 5", "ask 3", "deny 2", "allow 1", "deny 1", "allow 0", "allow 1"]);
});

test("MC-033 a model is told only of tools that could be more than denied, always in the same order", (context) => {
  const made = bench(context);
  const names = (how: BatchOptions): readonly string[] => made.gateway.tools(made.batch([], how)).map(({ name }) => name);
  assert.deepEqual(names({}), [...TOOLS].toSorted());
  assert.deepEqual(names({ influence: [STRANGER] }), [...TOOLS].toSorted());
  assert.deepEqual(names({ assurance: "relayed" }), ["fetch", "look"]);
  assert.deepEqual(names({ person: REMOTE_OPERATOR, assurance: "platform" }), TOOLS.filter((name) => name !== "run").toSorted());
  for (const how of [{ public: true }, { person: STRANGER, role: "guest" }, { starter: "schedule" }] as const)
    assert.deepEqual(names(how), []);
});

test("TR-014 SE-080 with somebody else's words in the prompt reading stays, and every effect is asked about, once at a time", async (context) => {
  const made = bench(context);
  for (const name of TOOLS) {
    const verdict = await made.one(name, { influence: [STRANGER], readers: ["anyone"], root: parseMessageId(`m-root${name}`) });
    assert.equal(verdict.kind, CHANGING.includes(name) ? "ask" : "allow", name);
    if (verdict.kind !== "ask") continue;
    const ask = JSON.parse(verdict.question.call) as { foreign: string[]; scopes: string[] };
    assert.deepEqual([ask.foreign, ask.scopes], [[STRANGER], ["once"]]);
  }
});

test("SE-080 output of a tool that fetches counts as others' words, output of one that reads the own things does not", async (context) => {
  const made = bench(context);
  assert.equal((await made.one("note", { influence: ["tool:look"] })).kind, "allow");
  assert.equal((await made.one("note", { influence: ["tool:fetch"] })).kind, "ask");
  assert.equal((await made.one("note", { influence: ["tool:gone"] })).kind, "ask");
});

test("SE-083 words go out unasked only to readers who may have all that shaped them", async (context) => {
  const made = bench(context);
  const verdict = async (readers: BatchOptions["readers"]): Promise<string> => said(await made.one("say", { readers: readers ?? [] }));
  assert.equal(await verdict(["anyone"]), "allow");
  assert.equal(await verdict(["place:public:parlour" as never]), "allow");
  assert.equal(await verdict([`person:${LOCAL_OWNER}`]), "ask");
  assert.equal(await verdict(["operators"]), "ask");
  assert.equal(await verdict([]), "ask");
});

test("CH-070 CH-071 the strictest vote wins, the first question names the rule, and a rule that breaks denies", async (context) => {
  const deny = bench(context, { guardrail: () => [{ verdict: "deny", rule: "no-writes", code: "guardrail" }] });
  for (const name of TOOLS) assert.equal(said(await deny.one(name)), "deny guardrail", name);
  const broken = bench(context, {
    guardrail: () => {
      throw new RuntimeError("config_invalid", "Cannot read a rule: it is none");
    },
  });
  for (const name of TOOLS) assert.equal(said(await broken.one(name)), "deny guardrail", name);
  const asking = bench(context, { guardrail: () => [{ verdict: "ask", rule: "house-rule", scopes: ["once", "session"] }] });
  const scopesOf = async (name: string): Promise<unknown> => {
    const verdict = await asking.one(name, { root: parseMessageId(`m-root${name}`) });
    assert.ok(verdict.kind === "ask");
    const { rule, scopes } = JSON.parse(verdict.question.call) as { rule: string; scopes: string[] };
    return { rule, scopes };
  };
  assert.deepEqual(await scopesOf("look"), { rule: "house-rule", scopes: ["once", "session"] });
  assert.deepEqual(await scopesOf("write"), { rule: "tool", scopes: ["once", "session"] });
  assert.deepEqual([...deny.ran, ...broken.ran, ...asking.ran], []);
});

test("MC-041 TR-058 calls are charged together with their verdict, each once, or denied without a trace", async (context) => {
  const made = bench(context);
  made.limits = { toolCallsPerDayPerPerson: 3, toolCallsPerDayInAll: 4 };
  const charged = (scope: string): number => made.store.read.charged(scope, 0);
  const batch = made.batch([{ name: "look" }, { name: "erase" }, { name: "look", arguments: "{}" }, { name: "look" }]);
  assert.deepEqual((await made.judge(batch)).map(said), ["allow", "deny unknown_tool", "deny malformed", "allow"]);
  assert.equal(charged(`tools:calls:person:${LOCAL_OWNER}`), 2);
  // The same calls judged again, as after a restart, cost nothing more.
  made.store.restart();
  assert.deepEqual((await made.judge(batch)).map(said), ["allow", "deny unknown_tool", "deny malformed", "allow"]);
  assert.equal(charged("tools:calls"), 2);
  const five = await made.judge(made.batch([{ name: "look" }, { name: "look" }, { name: "look" }]));
  assert.deepEqual(five.map(said), ["allow", "deny budget", "deny budget"]);
  assert.equal(charged(`tools:calls:person:${LOCAL_OWNER}`), 3);
  const other = { person: REMOTE_OPERATOR, assurance: "platform" } as const;
  assert.deepEqual((await made.judge(made.batch([{ name: "look" }, { name: "look" }], other))).map(said), ["allow", "deny budget"]);
  assert.equal(charged(`tools:calls:person:${REMOTE_OPERATOR}`), 1, "what does not fit in one budget draws on none");
  await made.clock.advance(24 * 3_600_000);
  assert.equal(said(await made.one("look")), "allow");
});

test("MC-041 what a call draws is charged whole or not at all", async (context) => {
  const made = bench(context);
  const draw = (amount: number): Promise<Verdict> =>
    made.one("note", { arguments: JSON.stringify({ text: "x", draws: { inventory: amount } }) });
  assert.equal(said(await draw(30)), "allow");
  assert.equal(said(await draw(21)), "deny budget");
  assert.equal(said(await draw(20)), "allow");
  assert.equal(made.store.read.charged("tools:inventory", 0), 50);
  assert.equal(made.store.read.charged("tools:calls", 0), 2);
});

test("SE-084 an id that comes again with other bytes is denied", async (context) => {
  const made = bench(context);
  assert.equal(said(await made.one("look", { id: "same" })), "allow");
  assert.equal(said(await made.one("look", { id: "same", arguments: `{"text":"y"}` })), "deny repeated");
  assert.equal(said(await made.one("note", { id: "same" })), "deny repeated");
  assert.equal(said(await made.one("note", { id: "same", session: parseSessionId("s-0002") })), "allow");
});

test("TR-057 SE-084 no more calls of one answer are looked at than the ceiling", async (context) => {
  const made = bench(context);
  const verdicts = await made.judge(made.batch(Array.from({ length: 70 }, () => ({ name: "look" }))));
  assert.deepEqual([verdicts.filter(({ kind }) => kind === "allow").length, said(verdicts[64])], [64, "deny ceiling"]);
});

test("MC-040 64 tools are taken and no more, 1,024 grants stand and no more", (context) => {
  const made = bench(context);
  const [one] = made.agents.toolbox.definitions;
  assert.ok(one);
  const many = (count: number): ToolDefinition[] => Array.from({ length: count }, (_, at) => ({ ...one, name: `tool_${at}` }));
  const open = (count: number): unknown =>
    made.authority.gateway({
      definitions: many(count),
      remote: () => new Set(),
      guardrail: () => [],
      endorsed: () => false,
      asksSpent: () => {},
      protects: () => "open",
    });
  assert.ok(open(64));
  assert.throws(() => open(65), /at most 64/);
  assert.equal(typeof createGateway, "function");
  const row = {
    by: LOCAL_OWNER,
    character: made.batch([]).character,
    tool: "look",
    digest: null,
    atMs: made.clock.nowMs(),
    expiresAtMs: made.clock.nowMs() + 1_000,
    uses: 1,
  };
  const kept = Array.from(
    { length: 1_025 },
    (_, at) => made.store.run({ verb: "keepGrant", row: { ...row, grant: parseGrantId(`g-${String(at).padStart(5, "0")}`) } }).kept,
  );
  assert.deepEqual([kept.filter(Boolean).length, kept.at(-1)], [1_024, false]);
});

test("TR-003 CH-070 every decision is in the record, as ids and codes: no word of a model or a person", async (context) => {
  const made = bench(context);
  const canary = "kingfisher-4711";
  await made.judge(
    made.batch(
      [
        { name: "look", arguments: JSON.stringify({ text: canary }) },
        { name: canary },
        { name: "write", arguments: JSON.stringify({ text: canary }) },
        { name: "look", id: canary.repeat(9) },
      ],
      { words: canary, influence: [STRANGER] },
    ),
  );
  const rows = made.store.read.calls.decisions(10);
  assert.deepEqual(rows.map(({ verdict, code, rule }) => `${verdict} ${code} ${rule}`).toReversed(), [
    "allow  matrix",
    "deny unknown_tool schema",
    "ask  influence",
    "deny malformed schema",
  ]);
  assert.ok(rows.every(({ foreign, session, person }) => foreign && session === "s-0001" && person === LOCAL_OWNER));
  assert.ok(!JSON.stringify(rows).includes(canary));
});

test("SE-092 a polluted prototype leaves 1,000 decisions as they were", async (context) => {
  const roles = fc.constantFrom("operator", "trusted", "guest", "blocked");
  const sample = fc.sample(
    fc.record({
      name: fc.constantFrom(...TOOLS, "erase"),
      role: roles,
      assurance: fc.constantFrom("anonymous", "relayed", "platform", "local"),
      person: fc.constantFrom(LOCAL_OWNER, REMOTE_OPERATOR, STRANGER),
      public: fc.boolean(),
      influence: fc.subarray([STRANGER, LOCAL_OWNER, "tool:fetch", "tool:recall"] as const),
      arguments: fc.constantFrom(`{"text":"x"}`, `{}`, `{"text":"x","to":"channel-2"}`),
    }),
    { numRuns: 1_000, seed: 7 },
  );
  const decide = async (): Promise<readonly string[]> => {
    const made = bench(context);
    made.limits = { toolCallsPerDayPerPerson: 5_000, toolCallsPerDayInAll: 20_000 };
    const verdicts: string[] = [];
    for (const [at, { name, arguments: text, ...how }] of sample.entries())
      verdicts.push(said(await made.one(name, { ...how, arguments: text, root: parseMessageId(`m-r${String(at).padStart(5, "0")}`) })));
    return verdicts;
  };
  const before = await decide();
  const names = [
    "role",
    "verdict",
    "kind",
    "assurance",
    "channel",
    "foreign",
    "dynamic",
    "reach",
    "to",
    "starter",
    "grant",
    "nothing",
    "state",
    "outward",
    "untrusted",
    "operator",
  ];
  try {
    for (const name of names)
      Object.defineProperty(Object.prototype, name, { value: "allow", configurable: true, writable: true, enumerable: true });
    assert.deepEqual(await decide(), before);
  } finally {
    for (const name of names) Reflect.deleteProperty(Object.prototype, name);
  }
  assert.ok(new Set(before).size >= 5);
});

test("MC-043 TR-015 a schedule does what a grant names, as often as it says, and nothing that others' words shaped", async (context) => {
  const made = bench(context);
  const nowMs = made.clock.nowMs();
  const batch = (name: string, more: BatchOptions = {}): ReturnType<ToolBench["batch"]> =>
    made.batch([{ name }], { starter: "schedule", grant: parseGrantId("g-0001"), root: parseMessageId("m-0009"), ...more });
  const only = async (name: string, more: BatchOptions = {}): Promise<string> => said((await made.judge(batch(name, more)))[0]);
  const grant = (tool: string, digest: string | null, uses = 2): unknown =>
    made.store.run({
      verb: "keepGrant",
      row: {
        grant: parseGrantId("g-0001"),
        by: LOCAL_OWNER,
        character: batch(tool).character,
        tool,
        digest,
        atMs: nowMs,
        expiresAtMs: nowMs + 60_000,
        uses,
      },
    });
  grant("note", null);
  assert.deepEqual(await Promise.all([only("note"), only("look")]), ["allow", "deny not_allowed"]);
  assert.equal(await only("note", { influence: [STRANGER] }), "deny no_approver");
  assert.equal(await only("note", { character: "tobias" as never }), "deny not_allowed");
  assert.equal(await only("note", { person: REMOTE_OPERATOR, assurance: "platform" }), "deny not_allowed", "another operator's schedule");
  assert.equal(await only("note"), "allow");
  assert.equal(await only("note"), "deny not_allowed", "used as often as it may be");
  assert.deepEqual(made.gateway.tools(batch("note")), []);
});

test("MC-043 CH-077 cases D35 a question that a schedule comes to is denied at once, unless a grant names that very call", async (context) => {
  const made = bench(context);
  const nowMs = made.clock.nowMs();
  const scheduled = (grant: string): BatchOptions => ({ starter: "schedule", grant: parseGrantId(grant) });
  const asked = await made.one("write");
  assert.ok(asked.kind === "ask");
  const row = { by: LOCAL_OWNER, character: made.batch([]).character, tool: "write", atMs: nowMs, expiresAtMs: nowMs + 60_000, uses: 9 };
  made.store.run({ verb: "keepGrant", row: { ...row, grant: parseGrantId("g-0001"), digest: null } });
  made.store.run({ verb: "keepGrant", row: { ...row, grant: parseGrantId("g-0002"), digest: asked.question.digest } });
  assert.equal(said(await made.one("write", scheduled("g-0001"))), "deny no_approver");
  assert.equal(said(await made.one("write", scheduled("g-0002"))), "allow");
  assert.equal(said(await made.one("write", { ...scheduled("g-0002"), arguments: `{"text":"y"}` })), "deny not_allowed");
  assert.equal(said(await made.one("write", { ...scheduled("g-0002"), influence: [STRANGER] })), "deny no_approver");
  await made.clock.advance(60_001);
  assert.equal(said(await made.one("write", scheduled("g-0002"))), "deny not_allowed");
});

test("TR-015 an operator who is none any more gets nothing from the next call on", async (context) => {
  const made = bench(context);
  const batch = made.batch([{ name: "note" }], { person: REMOTE_OPERATOR, assurance: "platform" });
  assert.equal(said((await made.judge(batch))[0]), "allow");
  made.operators.clear();
  assert.equal(
    said((await made.gateway.judge({ ...batch, calls: [{ id: "later", name: "note", arguments: `{"text":"x"}` }] }, NEVER))[0]),
    "deny not_allowed",
  );
});
