import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { z } from "zod";
import { defineTool } from "../../agents/tools/tool.ts";
import { openAgents } from "../../agents/agents.ts";
import { canonicalJson } from "../../foundation/canonical-json.ts";
import { isRuntimeError } from "../../foundation/errors.ts";
import type { ActionFacts } from "./authorized-action.ts";
import { AuthorizedAction, mintAction, spendAction } from "./authorized-action.ts";
import { definitionDigest } from "./definition-digest.ts";
import { parseSessionId, parseTurnId } from "../ids.ts";
import { LOCAL_OWNER } from "../principal.ts";

const SIGNAL = new AbortController().signal;

function bench() {
  const ran: unknown[] = [];
  const note = defineTool({
    name: "note",
    description: "Write a note.",
    parameters: { type: "object" },
    capability: "session",
    classes: { untrusted: false, sensitive: false, changes: "state" },
    verdict: "allow",
    scopes: [],
    arguments: z.strictObject({ text: z.string().max(100) }),
    run: (args) => {
      ran.push({ ...args });
      return Promise.resolve({ text: "kept", failed: false });
    },
  });
  const facts: ActionFacts = {
    turn: parseTurnId("t-0001"),
    session: parseSessionId("s-0001"),
    person: LOCAL_OWNER,
    call: "c1",
    tool: "note",
    definition: definitionDigest(note.definition),
    argumentsText: canonicalJson({ text: "milk" }),
    digest: "d",
  };
  return { ran, facts, toolbox: openAgents({ tools: [note] }).toolbox };
}

const forged = (error: unknown): boolean => isRuntimeError(error, "forged");
const tried = async (action: unknown): Promise<number> => {
  const { ran, toolbox } = bench();
  await assert.rejects(() => toolbox.run(action as AuthorizedAction, SIGNAL), forged);
  return ran.length;
};

test("MC-036 SE-084 a minted action runs its call on the bytes that were judged, and only once", async () => {
  const { ran, facts, toolbox } = bench();
  const action = mintAction(facts);
  assert.deepEqual(await toolbox.run(action, SIGNAL), { text: "kept", failed: false });
  await assert.rejects(() => toolbox.run(action, SIGNAL), forged);
  assert.deepEqual(ran, [{ text: "milk" }]);
});

test("MC-036 SE-092 look-alike, copy, subclass, proxy, foreign realm and second module instance are refused before any body", async () => {
  const { facts } = bench();
  const genuine = mintAction(facts);
  const copy: unknown = Object.assign(Object.create(AuthorizedAction.prototype), genuine, facts);
  const foreignSource = `class AuthorizedAction { #facts = facts; #used = false; static spend(v) { return v.#facts } }; new AuthorizedAction()`;
  const path = "./authorized-action.ts?second";
  const second = (await import(path)) as { mintAction: typeof mintAction };
  const lookAlikes: readonly (readonly [string, unknown])[] = [
    ["look-alike", { ...facts, facts, used: false }],
    ["copy", copy],
    ["structured clone", structuredClone({ ...genuine })],
    ["proxy", new Proxy(genuine, {})],
    ["foreign realm", runInNewContext(foreignSource, { facts })],
    ["second module instance", second.mintAction(facts)],
    ["nothing", null],
    ["text", "action"],
  ];
  for (const [what, value] of lookAlikes) {
    if (value === null || typeof value !== "object") {
      const { ran, toolbox } = bench();
      await assert.rejects(() => toolbox.run(value as unknown as AuthorizedAction, SIGNAL), what);
      assert.equal(ran.length, 0, what);
    } else assert.equal(await tried(value), 0, what);
  }
  assert.throws(() => new (class extends AuthorizedAction {})(Symbol("authorized-action"), facts), forged);
  assert.throws(() => new AuthorizedAction(Symbol("authorized-action"), facts), forged);
  assert.throws(() => Reflect.construct(AuthorizedAction, [Symbol("authorized-action"), facts]), forged);
  // The control: the genuine one still runs.
  assert.equal(spendAction(genuine).tool, "note");
});

test("SE-084 what was handed to the mint may change afterwards; what runs does not", async () => {
  const { ran, facts, toolbox } = bench();
  const handed: { -readonly [Key in keyof ActionFacts]: ActionFacts[Key] } = { ...facts };
  const action = mintAction(handed);
  handed.argumentsText = canonicalJson({ text: "other" });
  handed.tool = "burn";
  await toolbox.run(action, SIGNAL);
  assert.deepEqual(ran, [{ text: "milk" }]);
});

test("SE-084 SE-092 an action of another tool, of a changed definition, or with other arguments than the schema takes enters no body", async () => {
  const { facts } = bench();
  assert.equal(await tried(mintAction({ ...facts, tool: "burn" })), 0);
  assert.equal(await tried(mintAction({ ...facts, definition: "0".repeat(64) })), 0);
  const { ran, toolbox } = bench();
  for (const text of [`{"text":1}`, `{"text":"a","more":1}`, `{"__proto__":{"text":"a"}}`, `[]`])
    await assert.rejects(
      () => toolbox.run(mintAction({ ...facts, argumentsText: text }), SIGNAL),
      (error) => isRuntimeError(error, "invalid_argument"),
    );
  assert.deepEqual(ran, []);
});

test("SE-092 patched intrinsics and a polluted prototype open nothing", async () => {
  const { facts } = bench();
  const { freeze, is } = Object;
  const { has } = WeakSet.prototype;
  const { parse } = JSON;
  const polluted = Object.prototype as Record<string, unknown>;
  try {
    Object.freeze = (<T>(value: T): T => value) as typeof Object.freeze;
    Object.is = () => true;
    WeakSet.prototype.has = () => true;
    JSON.parse = () => ({ text: "theirs" });
    polluted["tool"] = "note";
    polluted["used"] = false;
    assert.equal(await tried({ ...facts }), 0);
    assert.equal(await tried(Object.create(null)), 0);
    const { ran, facts: own, toolbox } = bench();
    const action = mintAction(own);
    await toolbox.run(action, SIGNAL);
    await assert.rejects(() => toolbox.run(action, SIGNAL), forged);
    assert.deepEqual(ran.length, 1);
    assert.equal((ran[0] as { text: string }).text, "milk");
  } finally {
    Object.freeze = freeze;
    Object.is = is;
    WeakSet.prototype.has = has;
    JSON.parse = parse;
    delete polluted["tool"];
    delete polluted["used"];
  }
});
