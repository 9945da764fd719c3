import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Tool } from "../../src/agents/tools/tool.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import type { ToolBenchOptions } from "../../src/testing/tool-bench.ts";
import { STRANGER, ToolBench } from "../../src/testing/tool-bench.ts";
import { openDirectStore } from "../../src/testing/store-writer.ts";
import type { CallBatch, DenyCode, Verdict } from "../../src/vocabulary/calls/gateway.ts";
import { DENY_CODES } from "../../src/vocabulary/calls/gateway.ts";
import { parseGrantId, parseMessageId, parseSessionId } from "../../src/vocabulary/ids.ts";
import { LOCAL_OWNER } from "../../src/vocabulary/principal.ts";
import type { CallFacts, ToolDefinition } from "../../src/vocabulary/calls/tool-definition.ts";
import { TURN_CEILINGS } from "../../src/vocabulary/calls/turn-ceilings.ts";
import { openComposed } from "./composed.ts";

const NEVER = new AbortController().signal;

/** What the program itself registers, whatever that is: the table below has a row of each. */
const DEFINITIONS = await registered();

async function registered(): Promise<readonly ToolDefinition[]> {
  await using one = await openComposed(`
characters:
  mirelle: { name: Mirelle, description: "Keeps the inn at the ferry." }
surfaces:
  parlour: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
`);
  return one.runtime.tools;
}

type Schema = Readonly<Record<string, unknown>>;

const LEAST: Readonly<Record<string, (schema: Schema) => unknown>> = {
  object: ({ properties = {}, required = [] }) =>
    Object.fromEntries((required as string[]).map((one) => [one, leastOf((properties as Record<string, Schema>)[one] ?? {})])),
  array: ({ items = {} }) => [leastOf(items as Schema)],
  integer: ({ minimum }) => minimum ?? 1,
  number: ({ minimum }) => minimum ?? 1,
  boolean: () => true,
};

/** The smallest value of a schema. */
function leastOf(schema: Schema): unknown {
  const { enum: words, oneOf = schema["anyOf"], type } = schema;
  if ("const" in schema) return schema["const"];
  // What no type can tell has an example, as a model needs one.
  if (Array.isArray(schema["examples"])) return schema["examples"][0];
  if (Array.isArray(words)) return words[0];
  if (Array.isArray(oneOf)) return leastOf(oneOf[0] as Schema);
  return LEAST[String(type)]?.(schema) ?? "x";
}

/** The fewest arguments that a tool takes, from what its model is told. @throws AssertionError for a tool whose schema says less than it checks. */
function argumentsOf({ name, parameters, check }: ToolDefinition): string {
  const args = leastOf({ type: "object", ...parameters });
  assert.ok(check(args) !== null, `the arguments of ${name} are not told by its schema: ${JSON.stringify(args)}`);
  return JSON.stringify(args);
}

interface Row {
  readonly definition: ToolDefinition;
  readonly args: string;
  readonly entered: string[];
}

const store = openDirectStore();
after(() => store[Symbol.dispose]());
let sessions = 0;

/** A gateway and a toolbox of that one tool and a neutral second one; its body only says that it was entered. */
class Case {
  readonly bench: ToolBench;
  readonly row: Row;
  readonly more: Partial<CallBatch>;

  constructor(definition: ToolDefinition, options: ToolBenchOptions & { readonly facts?: CallFacts } = {}) {
    const { facts = {}, ...rest } = options;
    const entered: string[] = [];
    const judged: ToolDefinition = {
      ...definition,
      check: (value) => {
        const checked = definition.check(value);
        return checked === null ? null : { ...checked, ...facts };
      },
    };
    const other: ToolDefinition = { ...judged, name: "another_tool" };
    const body = (): Promise<{ readonly text: string; readonly failed: boolean }> => {
      entered.push(definition.name);
      return Promise.resolve({ text: "done", failed: false });
    };
    sessions += 1;
    const numbersFrom = sessions * 100;
    this.bench = new ToolBench(new ManualClock(), { store, numbersFrom, tools: [new Tool(judged, body), new Tool(other, body)], ...rest });
    this.row = { definition, args: argumentsOf(definition), entered };
    this.more = {
      session: parseSessionId(`s-every${sessions}`),
      root: parseMessageId(`m-every${sessions}`),
      ...(facts.reach === undefined ? {} : { destinations: new Set<string>() }),
    };
  }

  batch(more: Parameters<ToolBench["batch"]>[1] = {}, args: string = this.row.args): CallBatch {
    return this.bench.batch([{ name: this.row.definition.name, arguments: args }], { ...this.more, readers: ["anyone"], ...more });
  }

  async judge(batch: CallBatch): Promise<Verdict> {
    return (await this.bench.judge(batch))[0] ?? assert.fail("nothing was said");
  }

  /** Ask, have its person say so, and judge what comes of it: of this batch, or another that claims the answer. */
  async answered(batch: CallBatch, answer: "allow" | "deny", later: CallBatch = batch): Promise<Verdict> {
    const asked = await this.judge(batch);
    const given = this.bench.resume(this.bench.suspend(asked), answer);
    return await this.bench.gateway.answered(later, given ?? assert.fail("the answer was not taken"), NEVER);
  }
}

const ASKS: ToolBenchOptions = { guardrail: () => [{ verdict: "ask", rule: "asks", scopes: [] }] };
const of = (definition: ToolDefinition, options: ToolBenchOptions & { readonly facts?: CallFacts } = {}): Case =>
  new Case(definition, options);

/** A way to each denial, for any tool. A new reason to deny finds no place here before it has its row. */
const DENIED: Readonly<Record<DenyCode, (definition: ToolDefinition) => Promise<readonly [Verdict, Case]>>> = {
  unknown_tool: async (definition) => {
    const one = of({ ...definition, name: "a_tool_that_was" });
    return [await one.judge(one.bench.batch([{ name: definition.name, arguments: one.row.args }], one.more)), one];
  },
  malformed: async (definition) => {
    const one = of(definition);
    return [await one.judge(one.batch({}, `{"field that no tool has":1,${one.row.args.slice(1)}`.replace(",}", "}"))), one];
  },
  not_allowed: async (definition) => {
    const one = of(definition);
    return [await one.judge(one.batch({ person: STRANGER, role: "guest", assurance: "platform" })), one];
  },
  no_approver: async (definition) => {
    const one = of(definition, ASKS);
    const grant = parseGrantId(`g-every${sessions}`);
    const row = {
      grant,
      by: LOCAL_OWNER,
      character: one.batch().character,
      tool: definition.name,
      digest: null,
      atMs: one.bench.clock.nowMs(),
    };
    one.bench.store.run({ verb: "keepGrant", row: { ...row, expiresAtMs: row.atMs + 1_000, uses: 9 } });
    return [await one.judge(one.batch({ starter: "schedule", grant })), one];
  },
  denied: async (definition) => {
    const one = of(definition, ASKS);
    return [await one.answered(one.batch(), "deny"), one];
  },
  asks_spent: async (definition) => {
    const one = of(definition, ASKS);
    for (let asked = 0; asked < 3; asked += 1) assert.equal((await one.judge(one.batch())).kind, "ask");
    return [await one.judge(one.batch()), one];
  },
  budget: async (definition) => {
    const one = of(definition);
    one.bench.limits = { toolCallsPerDayPerPerson: 0, toolCallsPerDayInAll: 0 };
    return [await one.judge(one.batch()), one];
  },
  bits: async (definition) => {
    const one = of(definition, { facts: { bits: 1_000 } });
    return [await one.judge(one.batch()), one];
  },
  ceiling: async (definition) => {
    const one = of(definition);
    const most = TURN_CEILINGS.terminal.requestCalls;
    const calls = Array.from({ length: most + 1 }, () => ({ name: "no_such_tool" }));
    calls[most] = { name: definition.name };
    const batch = one.bench.batch(calls, one.more);
    return [(await one.bench.judge(batch))[most] ?? assert.fail(), one];
  },
  destination: async (definition) => {
    const one = of(definition, { facts: { reach: { reader: "anyone", destination: "somewhere", shown: "#somewhere" } } });
    return [await one.judge(one.batch()), one];
  },
  protected: async (definition) => {
    const one = of(definition, {
      facts: { paths: ["/state/troupe.db"] },
      protects: (path) => (path.startsWith("/state/") ? "deny" : "open"),
    });
    return [await one.judge(one.batch()), one];
  },
  changed: async (definition) => {
    const one = of(definition, ASKS);
    const [call] = one.batch().calls;
    const other = { ...one.batch(), calls: [{ ...(call ?? assert.fail()), name: "another_tool" }] };
    return [await one.answered(one.batch(), "allow", other), one];
  },
  used: async (definition) => {
    const one = of(definition, ASKS);
    const batch = one.batch();
    const given = one.bench.resume(one.bench.suspend(await one.judge(batch)), "allow") ?? assert.fail();
    assert.equal((await one.bench.gateway.answered(batch, given, NEVER)).kind, "allow");
    return [await one.bench.gateway.answered(batch, given, NEVER), one];
  },
  repeated: async (definition) => {
    const one = of(definition);
    const batch = one.batch();
    await one.bench.judge({ ...batch, calls: batch.calls.map((call) => ({ ...call, name: "another_tool" })) });
    return [await one.judge(batch), one];
  },
  stopped: async (definition) => {
    const one = of(definition);
    const batch = one.batch();
    one.bench.store.run({ verb: "halt", row: { by: LOCAL_OWNER, via: "command", atMs: 1 } });
    const verdict = await one.judge(batch);
    one.bench.store.run({ verb: "rearm", row: { by: LOCAL_OWNER, atMs: 2 } });
    return [verdict, one];
  },
  hook: async (definition) => {
    const one = of(definition, { guardrail: () => [{ verdict: "deny", rule: "hook", code: "hook" }] });
    return [await one.judge(one.batch()), one];
  },
  guardrail: async (definition) => {
    const one = of(definition, { guardrail: () => [{ verdict: "deny", rule: "no", code: "guardrail" }] });
    return [await one.judge(one.batch()), one];
  },
};

for (const code of DENY_CODES)
  test(`MC-033 MC-034 MC-038 CH-070 every tool that is registered, denied as ${code}: no body is entered`, async () => {
    assert.ok(DEFINITIONS.length > 0);
    for (const definition of DEFINITIONS) {
      const [verdict, { row, bench }] = await DENIED[code](definition);
      // What is let in by mistake does run, and is seen.
      if (verdict.kind === "allow") await bench.run(verdict.action);
      assert.equal(verdict.kind === "deny" ? verdict.code : verdict.kind, code, definition.name);
      assert.deepEqual(row.entered, [], definition.name);
    }
  });

test("MC-036 the control: every tool that is registered is let in for the owner at the own machine, asked or at once, and its body is entered once", async () => {
  for (const definition of DEFINITIONS) {
    const one = of(definition);
    const batch = one.batch();
    const first = await one.judge(batch);
    const verdict = first.kind === "ask" ? await one.answered(one.batch(), "allow") : first;
    assert.ok(verdict.kind === "allow", definition.name);
    await one.bench.run(verdict.action);
    assert.deepEqual(one.row.entered, [definition.name]);
  }
});

test("MC-037 no tool that is registered changes a world or reaches anybody outside: the boundary stands before the power", () => {
  for (const { name, capability, classes } of DEFINITIONS)
    assert.ok(capability !== "world" && classes.changes !== "outward", `${name} acts outside: what lets it do so has to be shown first`);
});
