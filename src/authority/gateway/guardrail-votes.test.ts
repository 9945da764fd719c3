import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import fc from "fast-check";
import type { GuardrailsConfig } from "../../config/guardrails-config.ts";
import { NO_GUARDRAILS } from "../../config/guardrails-config.ts";
import { LinearPattern } from "../../foundation/linear-pattern.ts";
import { HOSTILE_ARGUMENTS } from "../../testing/hostile-arguments.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import type { BatchOptions } from "../../testing/tool-bench.ts";
import { REMOTE_OPERATOR, STRANGER, TOOL_KINDS, ToolBench } from "../../testing/tool-bench.ts";
import { openDirectStore } from "../../testing/store-writer.ts";
import type { Verdict } from "../../vocabulary/calls/gateway.ts";
import type { GuardrailRule } from "../../vocabulary/calls/guardrail-rule.ts";
import { parseGrantId, parseMessageId, parseSessionId } from "../../vocabulary/ids.ts";
import { LOCAL_OWNER } from "../../vocabulary/principal.ts";
import { createGuardrail } from "./guardrail-votes.ts";
import type { Vote } from "./votes.ts";
import { strictest } from "./votes.ts";

const TOOLS = Object.keys(TOOL_KINDS);
const EVERYTHING: GuardrailRule = {
  id: "quiet",
  line: 4,
  verdict: "deny",
  reason: "It is late",
  tools: null,
  kinds: null,
  command: null,
  paths: null,
  outside: null,
  arguments: new Map(),
  scopes: ["session", "always"],
  models: null,
  small: false,
  modes: ["auto", "strict"],
};
const rule = (more: Partial<GuardrailRule> = {}): GuardrailRule => ({ ...EVERYTHING, ...more });

/** A gateway over rules that a test can change under it. */
function bench(context: TestContext, config: Partial<GuardrailsConfig>, models: readonly string[] = ["near/tiny:8b"]) {
  const now: { config: GuardrailsConfig } = { config: { ...NO_GUARDRAILS, ...config } };
  const guardrail = createGuardrail({ rules: () => now.config, models: () => models });
  const store = openDirectStore();
  const made = new ToolBench(new ManualClock(), { guardrail, store });
  context.after(() => store[Symbol.dispose]());
  return { made, now, guardrail };
}

const said = (verdict: Verdict): string => (verdict.kind === "deny" ? `deny ${verdict.code}` : verdict.kind);
let roots = 0;
const fresh = (): Pick<BatchOptions, "root"> => ({ root: parseMessageId(`m-root${(roots += 1)}`) });

test("CH-070 CH-071 whatever the order of votes, the strictest wins: no vote undoes a denial, and every question narrows the others", () => {
  const votes: fc.Arbitrary<Vote> = fc.oneof(
    fc.record({
      verdict: fc.constant("deny" as const),
      rule: fc.constantFrom("a", "b", "rule:c"),
      code: fc.constant("guardrail" as const),
    }),
    fc.record({
      verdict: fc.constant("ask" as const),
      rule: fc.constantFrom("a", "b", "rule:c"),
      scopes: fc.subarray(["once", "session", "always"] as const),
    }),
  );
  const store = openDirectStore();
  const made = new ToolBench(new ManualClock(), { store });
  const [definition] = made.agents.toolbox.definitions;
  assert.ok(definition);
  const stand = { foreign: [], authority: { assurance: "local" }, remote: new Set() } as unknown as Parameters<typeof strictest>[1];
  const order = ["allow", "ask", "deny"];
  fc.assert(
    fc.property(
      fc
        .array(votes, { maxLength: 8 })
        .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }), votes)),
      ([all, shuffled, more]) => {
        const one = strictest(all, stand, { definition });
        const other = strictest(shuffled, stand, { definition });
        assert.equal(other.verdict, one.verdict);
        assert.equal(one.verdict, all.some(({ verdict }) => verdict === "deny") ? "deny" : all.length > 0 ? "ask" : "allow");
        if (one.verdict === "ask") assert.deepEqual([one.rule, one.scopes], [all[0]?.rule, other.verdict === "ask" ? other.scopes : null]);
        const tighter = strictest([more, ...all], stand, { definition });
        assert.ok(order.indexOf(tighter.verdict) >= order.indexOf(one.verdict));
        if (one.verdict === "ask" && tighter.verdict === "ask") assert.ok(tighter.scopes.every((scope) => one.scopes.includes(scope)));
      },
    ),
  );
  store[Symbol.dispose]();
});

test("CH-070 no set of rules, in any mode, makes anything of a call that the code denies or asks about but the same or less", async (context) => {
  const order = ["allow", "ask", "deny"];
  const { made: bare } = bench(context, {});
  const { made, now } = bench(context, {});
  for (const one of [bare, made]) one.limits = { toolCallsPerDayPerPerson: 5_000, toolCallsPerDayInAll: 20_000 };
  const rules = fc.array(
    fc.record({
      id: fc.constantFrom("a", "b"),
      verdict: fc.constantFrom("ask" as const, "deny" as const),
      tools: fc.constantFrom(null, [LinearPattern.parse("^look$")], [LinearPattern.parse("^w")]),
      scopes: fc.subarray(["session", "always"] as const),
      modes: fc.subarray(["auto", "strict"] as const),
    }),
    { maxLength: 4 },
  );
  const how = fc.record({
    person: fc.constantFrom(LOCAL_OWNER, REMOTE_OPERATOR, STRANGER),
    role: fc.constantFrom("operator" as const, "guest" as const),
    assurance: fc.constantFrom("anonymous" as const, "relayed" as const, "platform" as const, "local" as const),
    public: fc.boolean(),
    influence: fc.subarray([STRANGER, LOCAL_OWNER, "tool:fetch"] as const),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...TOOLS),
      how,
      fc.record({ rules, enabled: fc.boolean(), mode: fc.constantFrom("auto" as const, "strict" as const) }),
      async (name, about, config) => {
        now.config = { ...NO_GUARDRAILS, ...config, rules: config.rules.map((one) => rule(one)) };
        const root = fresh();
        const [without, under] = [await bare.one(name, { ...about, ...root }), await made.one(name, { ...about, ...root })];
        assert.ok(order.indexOf(under.kind) >= order.indexOf(without.kind), `${name}: ${said(without)}, then ${said(under)}`);
        if (without.kind === "deny") assert.equal(said(under), said(without));
        if (without.kind === "ask" && under.kind === "ask") {
          const scopes = ({ question }: typeof under): readonly string[] => (JSON.parse(question.call) as { scopes: string[] }).scopes;
          assert.ok(scopes(under).every((scope) => scopes(without).includes(scope)));
        }
      },
    ),
    { numRuns: 150 },
  );
  assert.deepEqual(made.ran, []);
});

test("CH-074 rules look at what would run: of sixty hostile arguments each is found as it is, however the model wrote it, and no body is entered", async (context) => {
  assert.equal(HOSTILE_ARGUMENTS.length, 60);
  const { made, now } = bench(context, {});
  made.limits = { toolCallsPerDayPerPerson: 5_000, toolCallsPerDayInAll: 20_000 };
  const escaped = (text: string): string =>
    [...text]
      .flatMap((point) =>
        [...point].flatMap((one) =>
          Array.from({ length: one.length }, (_, at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, "0")}`),
        ),
      )
      .join("");
  for (const text of HOSTILE_ARGUMENTS) {
    const exact = LinearPattern.parse(
      `^${[...text]
        .slice(0, 60)
        .map((one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`)
        .join("")}`,
    );
    now.config = { ...NO_GUARDRAILS, rules: [rule({ arguments: new Map([["text", exact]]) })] };
    for (const written of [JSON.stringify({ text }), `{"text":"x","text":"${escaped(text)}"}`, `{ "text" : "${escaped(text)}" }`])
      assert.equal(said(await made.one("look", { arguments: written })), "deny guardrail", `${JSON.stringify(text)} as ${written}`);
    assert.equal(said(await made.one("look")), "allow", "the control: another text passes");
  }
  assert.deepEqual(made.ran, []);
});

test("CH-078 a denial by a rule names the rule and its reason, says that nobody was asked, and that it stays so", async (context) => {
  const { made } = bench(context, { rules: [rule()] });
  const verdict = await made.one("look");
  assert.ok(verdict.kind === "deny");
  assert.equal(
    verdict.text,
    "Denied by a rule of the owner (rule:quiet): It is late. Nobody was asked. Do not try to reach the same result in another way.",
  );
  assert.deepEqual(
    made.store.read.calls.decisions(1).map(({ rule: name, verdict: word, code }) => [name, word, code]),
    [["rule:quiet", "deny", "guardrail"]],
  );
});

test("CH-070 CH-074 the card of a rule's question says which rule asks and why; of two the first in the file names it, and only scopes of both are offered", async (context) => {
  const asks = [
    rule({ id: "first", verdict: "ask", reason: "I want to see it", scopes: ["session"] }),
    rule({ id: "second", verdict: "ask", reason: "So do I" }),
  ];
  const { made, now } = bench(context, { rules: asks });
  const askOf = async (how: BatchOptions = {}) => {
    const verdict = await made.one("look", { ...how, ...fresh() });
    assert.ok(verdict.kind === "ask");
    const { rule: name, reason, scopes } = JSON.parse(verdict.question.call) as Record<string, unknown>;
    return [name, reason, scopes];
  };
  assert.deepEqual(await askOf(), ["rule:first", "I want to see it", ["once", "session"]]);
  now.config = { ...now.config, rules: asks.toReversed() };
  assert.deepEqual(await askOf(), ["rule:second", "So do I", ["once", "session"]]);
  assert.deepEqual(
    await askOf({ person: REMOTE_OPERATOR, assurance: "platform" }),
    ["rule:second", "So do I", ["once"]],
    "a rule widens no line",
  );
  assert.deepEqual(await askOf({ influence: [STRANGER] }), ["rule:second", "So do I", ["once"]]);
});

test("CH-076 CH-070 an answer that counts on relaxes the question of a rule and never a denial that came later", async (context) => {
  const { made, now } = bench(context, { rules: [rule({ verdict: "ask" })] });
  const first = made.batch([{ name: "look" }], fresh());
  assert.equal((await made.answer(first, "allow", "session")).kind, "allow");
  assert.equal((await made.one("look", fresh())).kind, "allow", "exactly this call, in this session");
  assert.equal((await made.one("look", { arguments: `{"text":"y"}`, ...fresh() })).kind, "ask");
  now.config = { ...now.config, rules: [rule({ verdict: "ask" }), rule({ id: "later" })] };
  assert.equal(said(await made.one("look", fresh())), "deny guardrail");
  now.config = { ...now.config, rules: [rule({ verdict: "ask", scopes: [] })] };
  assert.equal((await made.one("look", fresh())).kind, "ask", "a rule that offers once alone takes no answer that counts on");
});

test("CH-070 TR-014 a rule that came while a question waited denies the answered call", async (context) => {
  const { made, now } = bench(context, { rules: [rule({ verdict: "ask" })] });
  const batch = made.batch([{ name: "look" }], fresh());
  const [verdict] = await made.judge(batch);
  assert.ok(verdict);
  const given = made.resume(made.suspend(verdict), "allow");
  assert.ok(given);
  now.config = { ...now.config, rules: [rule({ id: "new", reason: "Not any more" })] };
  const after = await made.gateway.answered(batch, given, new AbortController().signal);
  assert.ok(after.kind === "deny");
  assert.match(after.text, /\(rule:new\): Not any more\./);
});

test("CH-079 rules vote by mode, name and model; with enabled off they ask nothing and deny as before", async (context) => {
  const verdict = async (config: Partial<GuardrailsConfig>, models?: readonly string[]): Promise<string> =>
    said(await bench(context, config, models).made.one("look", fresh()));
  const [deny, ask] = [rule(), rule({ id: "ask", verdict: "ask" })];
  const strict = rule({ modes: ["strict"] });
  assert.deepEqual(await Promise.all([verdict({ rules: [strict] }), verdict({ rules: [strict], mode: "strict" })]), [
    "allow",
    "deny guardrail",
  ]);
  assert.equal(await verdict({ rules: [deny], disabled: ["quiet"] }), "allow");
  assert.equal(await verdict({ rules: [deny, ask], disabled: ["quiet"] }), "ask");
  assert.equal(await verdict({ rules: [ask], enabled: false }), "allow");
  assert.equal(await verdict({ rules: [ask, deny], enabled: false }), "deny guardrail");
  const small = rule({ models: [], small: true });
  assert.equal(await verdict({ rules: [small] }), "deny guardrail");
  assert.equal(await verdict({ rules: [small] }, ["far/large:70b"]), "allow");
  assert.equal(await verdict({ rules: [small] }, ["far/large:70b", "near/tiny:3b"]), "deny guardrail", "whichever may answer");
  assert.equal(await verdict({ rules: [small], small: { byName: false, models: [] } }), "allow");
  assert.equal(
    await verdict({ rules: [small], small: { byName: false, models: [LinearPattern.parse("^far/")] } }, ["far/x"]),
    "deny guardrail",
  );
  assert.equal(await verdict({ rules: [rule({ models: [LinearPattern.parse("^far/.*$")] })] }), "allow");
});

test("CH-074 CH-071 rules that cannot be used, and a call too large for them, deny with the reason", async (context) => {
  const { made, now } = bench(context, { unusable: "the rules cannot be used" });
  for (const name of TOOLS) {
    const verdict = await made.one(name, fresh());
    assert.ok(verdict.kind === "deny" && verdict.text.includes("(guardrails): the rules cannot be used."), name);
  }
  const slow = LinearPattern.parse(`(.*a){12}x$`);
  now.config = { ...NO_GUARDRAILS, rules: [rule({ arguments: new Map([["text", slow]]) })] };
  const verdict = await made.one("look", { arguments: JSON.stringify({ text: "a".repeat(59_000) }), ...fresh() });
  assert.ok(verdict.kind === "deny" && /too large to be looked at/.test(verdict.text));
  assert.equal((await made.one("look", fresh())).kind, "allow");
});

test("CH-074 what would become of a call is told with every vote, and nothing is run, charged, asked or kept", (context) => {
  const { made, guardrail } = bench(context, {});
  const config: GuardrailsConfig = {
    ...NO_GUARDRAILS,
    rules: [rule({ id: "see", verdict: "ask", tools: [LinearPattern.parse("^write$")] }), rule({ tools: [LinearPattern.parse("^say$")] })],
  };
  const own = createGuardrail({ rules: () => config, models: () => [] });
  const tools = {
    definitions: made.agents.toolbox.definitions,
    remote: () => new Set<never>(),
    guardrail: own,
    endorsed: () => false,
    asksSpent: () => {},
    protects: () => "open" as const,
  };
  const preview = (name: string, text = `{"text":"x"}`, others = false) =>
    made.authority.preview(tools, { call: { name, arguments: text }, others });
  assert.deepEqual([preview("look").verdict, preview("look").votes], ["allow", []]);
  const write = preview("write");
  assert.deepEqual(
    [write.verdict, write.rule, write.scopes],
    ["ask", "tool", ["once", "session", "always"].filter((scope) => write.scopes.includes(scope as never))],
  );
  assert.deepEqual(write.votes, [
    { verdict: "ask", rule: "tool" },
    { verdict: "ask", rule: "rule:see" },
  ]);
  const say = preview("say");
  assert.deepEqual([say.verdict, say.rule, say.reason], ["deny", "rule:quiet", "It is late"]);
  assert.match(say.text ?? "", /by a rule of the owner/);
  assert.deepEqual(
    [preview("note").verdict, preview("note", `{"text":"x"}`, true).verdict, preview("note", `{"text":"x"}`, true).rule],
    ["allow", "ask", "influence"],
  );
  assert.deepEqual([preview("erase").verdict, preview("look", "{").verdict, preview("look", "{").rule], ["deny", "deny", "schema"]);
  assert.equal(guardrail.length, 1);
  assert.deepEqual([made.ran, made.store.read.calls.decisions(10), made.store.read.charged("tools:calls", 0)], [[], [], 0]);
});

test("CH-071 CH-078 hooks vote before the code and the rules: their denial stands whatever follows, and a yes to their question counts once", async (context) => {
  const { made } = bench(context, { rules: [rule({ verdict: "ask" })] });
  const vote = (verdict: "ask" | "deny") => [{ call: "h1", hook: "watch", verdict, reason: "Not by night." } as const];
  const [denied, other] = await made.judge({
    ...made.batch(
      [
        { id: "h1", name: "write" },
        { id: "h2", name: "write" },
      ],
      fresh(),
    ),
    hooks: vote("deny"),
  });
  assert.ok(denied?.kind === "deny" && denied.code === "hook" && other?.kind === "ask", "another call of the batch is its own");
  assert.equal(
    denied.text,
    "Denied by a hook of the owner (hook:watch): Not by night. Nobody was asked. Do not try to reach the same result in another way.",
  );
  const asking = { ...made.batch([{ id: "h1", name: "write" }], fresh()), session: parseSessionId("s-0002"), hooks: vote("ask") };
  const [verdict] = await made.judge(asking);
  assert.ok(verdict?.kind === "ask");
  const { rule: name, reason, scopes } = JSON.parse(verdict.question.call) as Record<string, unknown>;
  assert.deepEqual([name, reason, scopes], ["hook:watch", "Not by night.", ["once"]]);
  assert.equal(said((await made.one("erase", {})) satisfies Verdict), "deny unknown_tool");
  const stranger = made.batch([{ id: "h1", name: "write" }], {
    ...fresh(),
    person: STRANGER,
    role: "guest",
    session: parseSessionId("s-0003"),
  });
  assert.deepEqual(
    (await made.judge({ ...stranger, hooks: vote("ask") })).map(said),
    ["deny not_allowed"],
    "no question of a hook softens a denial",
  );
  assert.deepEqual(made.ran, []);
});

test("CH-077 CH-074 where nobody is there a rule's and a hook's question is a denial, also of the very call that a grant names", async (context) => {
  const { made, now } = bench(context, {});
  const nowMs = made.clock.nowMs();
  const asked = await made.one("write", fresh());
  assert.ok(asked.kind === "ask");
  const grant = {
    grant: parseGrantId("g-0001"),
    by: LOCAL_OWNER,
    character: made.batch([]).character,
    tool: "write",
    digest: asked.question.digest,
  };
  made.store.run({ verb: "keepGrant", row: { ...grant, atMs: nowMs, expiresAtMs: nowMs + 60_000, uses: 9 } });
  const alone = { starter: "schedule", grant: grant.grant } as const;
  assert.equal(said(await made.one("write", { ...alone, ...fresh() })), "allow", "the control: the grant names it");
  const batch = made.batch([{ id: "s1", name: "write" }], { ...alone, ...fresh() });
  const hooks = [{ call: "s1", hook: "watch", verdict: "ask", reason: "Sure?" }] as const;
  assert.deepEqual((await made.judge({ ...batch, hooks })).map(said), ["deny no_approver"]);
  now.config = { ...now.config, rules: [rule({ verdict: "ask" })] };
  assert.equal(said(await made.one("write", { ...alone, ...fresh() })), "deny no_approver");
  now.config = { ...now.config, rules: [rule()] };
  assert.equal(said(await made.one("write", { ...alone, ...fresh() })), "deny guardrail");
});
