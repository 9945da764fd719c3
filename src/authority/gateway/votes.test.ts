import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LOCAL_OWNER } from "../../vocabulary/principal.ts";
import type { ToolCapability } from "../../vocabulary/calls/tool-definition.ts";
import { UNBOUND } from "./turn-authority.ts";
import { outcomeOf } from "./votes.ts";

type Call = Parameters<typeof outcomeOf>[0];
type Stand = Parameters<typeof outcomeOf>[1];

const OWNERS: Stand = {
  person: LOCAL_OWNER,
  authority: UNBOUND,
  influence: [LOCAL_OWNER],
  authors: [LOCAL_OWNER],
  foreign: [],
  sensitive: false,
  readers: ["anyone"],
  destinations: new Set(),
  remote: new Set<ToolCapability>(),
  protects: () => "open",
  alone: false,
};

/** A call as far as votes look at it. */
function callOf(changes: "nothing" | "state" | "outward", facts: object, capability = "session"): Call {
  const definition = { name: "tool", capability, classes: { untrusted: false, sensitive: false, changes }, verdict: "allow", scopes: [] };
  return { kind: "frozen", id: "c1", definition, facts, bytes: "{}", argumentsText: "{}", digest: "d" } as unknown as Call;
}

test("CH-070 cases D19 a call of whose effect nothing is known is never allowed, whoever wants it and whatever the operator's rules say", () => {
  const none = { guardrail: () => [], hooks: [] };
  assert.equal(outcomeOf(callOf("nothing", {}), OWNERS, none).verdict, "allow", "the control: what changes nothing has nothing to tell");
  assert.equal(outcomeOf(callOf("state", {}), OWNERS, none).verdict, "allow");
  assert.equal(outcomeOf(callOf("outward", {}), OWNERS, none).verdict, "deny", "it could go anywhere");
  assert.equal(outcomeOf(callOf("state", { dynamic: true }), OWNERS, none).verdict, "ask", "not wholly said by its bytes");
  assert.equal(
    outcomeOf(callOf("nothing", {}, "something new"), { ...OWNERS, authority: { ...UNBOUND, assurance: "platform" } }, none).verdict,
    "deny",
  );
  const guardrail = (): never => {
    throw new TypeError("no rules");
  };
  assert.equal(outcomeOf(callOf("nothing", {}), OWNERS, { guardrail, hooks: [] }).verdict, "deny", "rules that found nothing out");
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.boolean(), (destination, reader, given) => {
      const stand = { ...OWNERS, destinations: new Set(given ? [] : [`${destination}x`]) };
      const reach = { destination, reader, shown: destination };
      assert.equal(outcomeOf(callOf("outward", { reach }), stand, none).verdict, "deny", "a place that the turn was not told of");
    }),
  );
});

test("TR-045 what a call works on is protected for every tool alike: by its facts, its arguments, its folder, and the files it would execute", () => {
  const none = { guardrail: () => [], hooks: [] };
  const words: Readonly<Record<string, "deny" | "ask">> = { "/state": "deny", "/state/troupe.db": "deny", "/home/troupe.yaml": "ask" };
  const stand: Stand = {
    ...OWNERS,
    protects: (path, reach) =>
      words[path] ?? (reach === "below" && Object.keys(words).some((one) => one.startsWith(`${path}/`)) ? "deny" : "open"),
  };
  const told = (changes: "nothing" | "state", facts: object, args: object = {}, capability = "files"): string => {
    const outcome = outcomeOf({ ...callOf(changes, facts, capability), argumentsText: JSON.stringify(args) }, stand, none);
    return outcome.verdict === "deny" ? `deny ${outcome.code}` : outcome.verdict;
  };
  for (const capability of ["files", "read", "session", "processes"]) {
    assert.equal(told("nothing", { paths: ["/state/troupe.db"] }, {}, capability), "deny protected");
    assert.equal(told("state", { folder: "/state" }, {}, capability), "deny protected");
    assert.equal(told("state", { executes: { "/state/troupe.db": "a" } }, {}, capability), "deny protected");
    assert.equal(
      told("nothing", {}, { path: "/state/../state/troupe.db" }, capability),
      "deny protected",
      "also where the tool says nothing",
    );
    assert.equal(told("state", { folder: "/home" }, { file: "troupe.yaml" }, capability), "ask");
    assert.equal(told("state", { paths: ["/elsewhere/a.md"] }, {}, capability), "allow", "the control");
  }
  assert.equal(told("state", { paths: ["/home"] }), "deny protected", "what changes a folder changes all in it");
  assert.equal(told("nothing", { paths: ["/home"] }), "allow", "what lists it does not");
  assert.equal(told("state", { folder: "/home" }), "allow", "and what works in it is judged by what it touches");
  assert.equal(told("nothing", {}, { path: "~/notes.md" }), "ask", "a path that nobody can tell");
  assert.equal(told("nothing", {}, { path: "~/notes.md" }, "session"), "allow", "to a tool without files it is a word");
});
