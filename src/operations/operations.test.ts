import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { z } from "zod";
import { RuntimeError, isRuntimeError } from "../foundation/errors.ts";
import { line } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import type { OriginFacts } from "../vocabulary/origin.ts";
import { ASSURANCES, parsePrincipalId } from "../vocabulary/principal.ts";
import type { Assurance, Role } from "../vocabulary/principal.ts";
import { LOCAL_ACTOR } from "./local-actor.ts";
import type { Declared, Who } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";
import { createOperations, mayCall } from "./operations.ts";
import { runOverHttp } from "./faces/http.ts";

const signal = new AbortController().signal;
const ROLES: readonly Role[] = ["operator", "trusted", "guest", "bot", "blocked"];

function greeting(name: string = "greet", who: Who = OWNER_ONLY): Declared<{ name: string; times?: number | undefined }, { said: string }> {
  return declare<{ name: string; times?: number | undefined }, { said: string }>({
    name,
    summary: "greet somebody",
    arguments: z.strictObject({ name: z.string().describe("who"), times: z.int().min(1).max(3).optional().describe("how often") }),
    positional: ["name"],
    who,
    result: z.object({ said: z.string() }),
    render: ({ said }) => [line`said ${printable(said)}`],
  });
}

const greet = greeting().bind(({ name }) => Promise.resolve({ said: `hello ${name}` }));

function actor(role: Role, assurance: Assurance, channel: "direct" | "public" = "direct"): OriginFacts {
  return { principal: parsePrincipalId("room:ann"), role, assurance, channel };
}

test("TR-009 an operation is listed once, runs by name, and renders and gives data from one result", async () => {
  const operations = createOperations([greet]);
  assert.deepEqual(
    operations.list.map(({ name }) => name),
    ["greet"],
  );
  const result = await operations.run("greet", { name: "Ann\u202e" }, LOCAL_ACTOR, signal);
  const presented = operations.present("greet", result);
  assert.deepEqual(presented.json, { said: "hello Ann\u202e" });
  assert.equal(presented.lines[0]?.text, "said hello Ann⟨202E⟩");
  assert.equal(presented.exit, "done");
});

test("TR-009 refuses two operations of one name", () => {
  assert.throws(
    () => createOperations([greet, greet]),
    (error) => isRuntimeError(error, "internal"),
  );
});

test("TR-009 SE-081 role, assurance and place must all be reached, whatever else holds", () => {
  const needs = fc.record({
    role: fc.constantFrom("guest", "trusted", "operator"),
    assurance: fc.constantFrom(...ASSURANCES),
    where: fc.constantFrom("direct", "anywhere"),
  });
  const callers = fc.record({
    role: fc.constantFrom(...ROLES),
    assurance: fc.constantFrom(...ASSURANCES),
    channel: fc.constantFrom("direct", "public"),
  });
  let allowed = 0;
  fc.assert(
    fc.property(needs, callers, (who, { role, assurance, channel }) => {
      const rank = ["guest", "trusted", "operator"].indexOf(role);
      const expected =
        rank >= ["guest", "trusted", "operator"].indexOf(who.role) &&
        rank >= 0 &&
        ASSURANCES.indexOf(assurance) >= ASSURANCES.indexOf(who.assurance) &&
        (who.where === "anywhere" || channel === "direct");
      if (expected) allowed += 1;
      assert.equal(mayCall({ role: who.role, assurance: who.assurance, where: who.where }, actor(role, assurance, channel)), expected);
    }),
    { numRuns: 2_000 },
  );
  assert.ok(allowed > 50, "the property saw callers that are let in");
});

test("SE-081 the operator by an anonymous or relayed line, and the guest on the local one, are refused before arguments are read", async () => {
  const operations = createOperations([greet]);
  for (const [role, assurance] of [
    ["operator", "platform"],
    ["operator", "relayed"],
    ["guest", "local"],
    ["blocked", "local"],
    ["bot", "local"],
  ] as const) {
    await assert.rejects(operations.run("greet", { nonsense: true }, actor(role, assurance), signal), (error) =>
      isRuntimeError(error, "forbidden"),
    );
  }
  await assert.rejects(operations.run("greet", { nonsense: true }, LOCAL_ACTOR, signal), (error) => isRuntimeError(error, "usage"));
});

test("TR-009 a usage error names the argument and never a value", async () => {
  const operations = createOperations([greet]);
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [{ name: "Ann", times: 9 }, /"times" must be at most 3$/],
    [{ name: 5 }, /"name" must be a string$/],
    [{ name: "Ann", swordfish: 1 }, /takes no such argument$/],
    ["swordfish", /not an object/],
  ];
  for (const [args, message] of cases) {
    await assert.rejects(operations.run("greet", args, LOCAL_ACTOR, signal), (error: Error) => {
      assert.match(error.message, message);
      assert.ok(!error.message.includes("swordfish"));
      return isRuntimeError(error, "usage");
    });
  }
});

test("TR-009 a handler whose result is not of the declared shape is a bug, and a cancelled caller runs nothing", async () => {
  const loose = greeting("loose").bind(() => Promise.resolve(JSON.parse("{}")));
  await assert.rejects(createOperations([loose]).run("loose", { name: "a" }, LOCAL_ACTOR, signal), (error) =>
    isRuntimeError(error, "internal"),
  );
  const aborted = AbortSignal.abort(new RuntimeError("aborted", "Cannot go on: test"));
  await assert.rejects(createOperations([greet]).run("greet", { name: "a" }, LOCAL_ACTOR, aborted), (error) =>
    isRuntimeError(error, "aborted"),
  );
});

test("TR-009 refuses a declaration that a face could not show", () => {
  const broken =
    (name: string, argument: z.ZodType, positional: readonly never[] = []): (() => unknown) =>
    () =>
      declare({
        name,
        summary: "x",
        arguments: z.strictObject({ a: argument }),
        positional,
        who: OWNER_ONLY,
        result: z.null(),
        render: () => [],
      });
  assert.throws(broken("Shout", z.string().describe("x")), (error) => isRuntimeError(error, "invalid_argument"));
  assert.throws(broken("shout", z.string()), (error) => isRuntimeError(error, "invalid_argument"));
  assert.throws(broken("shout", z.object({ b: z.string() }).describe("x")), (error) => isRuntimeError(error, "invalid_argument"));
});

test("TR-009 HTTP answers with the same result, and with a status and a fixed message for what fails", async () => {
  const secret = greeting("secret").bind(() => Promise.reject(new Error("backend text swordfish")));
  const operations = createOperations([greet, secret]);
  const call = (name: string, body: unknown, by: OriginFacts = LOCAL_ACTOR): Promise<unknown> =>
    runOverHttp(operations, { name, body, actor: by }, signal);
  assert.deepEqual(await call("greet", { args: { name: "Ann" } }), {
    status: 200,
    body: { kind: "done", text: "said hello Ann", data: { said: "hello Ann" } },
  });
  const statuses = [
    await runOverHttp(operations, { name: "greet", body: { name: "Ann" }, actor: LOCAL_ACTOR }, signal),
    await runOverHttp(operations, { name: "greet", body: { args: {} }, actor: LOCAL_ACTOR }, signal),
    await runOverHttp(operations, { name: "greet", body: { args: { name: "a" } }, actor: actor("guest", "anonymous") }, signal),
    await runOverHttp(operations, { name: "nothing", body: { args: {} }, actor: LOCAL_ACTOR }, signal),
    await runOverHttp(operations, { name: "secret", body: { args: { name: "a" } }, actor: LOCAL_ACTOR }, signal),
  ];
  assert.deepEqual(
    statuses.map(({ status }) => status),
    [400, 400, 403, 404, 500],
  );
  assert.ok(!JSON.stringify(statuses).includes("swordfish"));
});
