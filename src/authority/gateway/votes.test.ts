import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LOCAL_OWNER } from "../../vocabulary/principal.ts";
import type { ToolCapability } from "../../vocabulary/tool-definition.ts";
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
