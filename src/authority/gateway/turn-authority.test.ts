import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseCharacterId } from "../../vocabulary/ids.ts";
import type { Influence } from "../../vocabulary/label.ts";
import type { OriginFacts } from "../../vocabulary/origin.ts";
import { ASSURANCES, LOCAL_OWNER, parsePrincipalId } from "../../vocabulary/principal.ts";
import type { ToolClasses } from "../../vocabulary/calls/tool-definition.ts";
import type { Standpoint, TurnAuthority } from "./turn-authority.ts";
import { LEVELS, POWERLESS, SHAPED, UNBOUND, authorityOf, authorityOfLine, isForeign, least } from "./turn-authority.ts";

const MIRELLE = parseCharacterId("mirelle");
const OWN: ToolClasses = { untrusted: false, sensitive: true, changes: "nothing" };
const TOOLS = new Map<string, ToolClasses>([
  ["notes", OWN],
  ["web", { ...OWN, untrusted: true }],
]);
const STANDPOINT: Standpoint = {
  person: LOCAL_OWNER,
  character: MIRELLE,
  classesOf: (tool) => TOOLS.get(tool) ?? null,
  endorsed: () => false,
};

/** Everything that may come into a prompt, by what its text is labelled with. */
const CONTRIBUTORS: Readonly<Record<string, Influence>> = {
  trigger: LOCAL_OWNER,
  fragment: LOCAL_OWNER,
  "steered by another operator": parsePrincipalId("discord:1002"),
  "a guest's quoted line": parsePrincipalId("room:m-1"),
  "a note of the session": LOCAL_OWNER,
  "a note that a stranger shaped": parsePrincipalId("discord:666"),
  "output of an own tool": "tool:notes",
  "output of a tool that fetches": "tool:web",
  "output of a tool nobody knows": "tool:gone",
  "a memory of a guest": parsePrincipalId("room:m-2"),
  "the own character's words": "character:mirelle" as Influence,
  "another character's words": "character:tobias" as Influence,
  "a persona from a file": `import:${"a".repeat(64)}`,
  "attached context": "source:weather",
  "a bundle's prompt": "bundle:friends",
  "a label nobody could read": "unknown:origin",
  "an MCP server's words": parsePrincipalId("mcp:files"),
};
const OWN_WORDS = new Set(["trigger", "fragment", "a note of the session", "output of an own tool", "the own character's words"]);

const facts = fc.record({
  principal: fc.constantFrom(LOCAL_OWNER, parsePrincipalId("discord:1002"), parsePrincipalId("room:m-1")),
  role: fc.constantFrom("operator", "trusted", "guest", "bot", "blocked"),
  assurance: fc.constantFrom(...ASSURANCES),
  channel: fc.constantFrom("direct", "public"),
}) satisfies fc.Arbitrary<OriginFacts>;
const influences = fc.array(fc.constantFrom(...Object.values(CONTRIBUTORS)), { maxLength: 12 });
const lines = fc.array(facts, { minLength: 1, maxLength: 5 });

const noMore = (one: TurnAuthority, other: TurnAuthority): boolean =>
  ASSURANCES.indexOf(one.assurance) <= ASSURANCES.indexOf(other.assurance) &&
  (["nothing", "state", "outward"] as const).every((effect) => LEVELS.indexOf(one[effect]) <= LEVELS.indexOf(other[effect]));

test("TR-014 SE-080 SE-081 authority is the least of every contributor: more lessens it or leaves it, and the order says nothing", () => {
  fc.assert(
    fc.property(lines, influences, facts, fc.constantFrom(...Object.values(CONTRIBUTORS)), (said, shaped, line, word) => {
      const held = authorityOf(said, shaped, STANDPOINT);
      for (const one of said) assert.ok(noMore(held, authorityOfLine(one)));
      for (const one of shaped) assert.ok(!isForeign(one, STANDPOINT) || noMore(held, SHAPED));
      assert.ok(noMore(authorityOf([...said, line], shaped, STANDPOINT), held));
      assert.ok(noMore(authorityOf(said, [...shaped, word], STANDPOINT), held));
      assert.deepEqual(authorityOf(said.toReversed(), shaped.toReversed(), STANDPOINT), held);
      assert.deepEqual(authorityOf([...said, ...said], [...shaped, ...shaped], STANDPOINT), held);
      // It is a least one, not merely a bound: some contributor said so, in each respect.
      const all = [...said.map(authorityOfLine), ...shaped.map((one) => (isForeign(one, STANDPOINT) ? SHAPED : UNBOUND))];
      for (const effect of ["nothing", "state", "outward", "assurance"] as const)
        assert.ok(
          all.some((one) => one[effect] === held[effect]),
          effect,
        );
    }),
  );
});

for (const [what, word] of Object.entries(CONTRIBUTORS))
  test(`TR-014 SE-080 ${what}: ${OWN_WORDS.has(what) ? "the operator's own" : "somebody else's, so what has an effect is asked"}`, () => {
    const owner: OriginFacts = { principal: LOCAL_OWNER, role: "operator", assurance: "local", channel: "direct" };
    assert.deepEqual(authorityOf([owner], [word], STANDPOINT), OWN_WORDS.has(what) ? UNBOUND : SHAPED);
  });

test("TR-013 MC-030 MC-032 MC-042 SE-081 only an operator's direct line has tools, a relayed one is asked about each change and speaks for nobody, and a turn without a line none", () => {
  for (const role of ["trusted", "guest", "bot", "blocked"] as const)
    for (const assurance of ASSURANCES)
      assert.deepEqual(authorityOfLine({ principal: LOCAL_OWNER, role, assurance, channel: "direct" }), POWERLESS);
  for (const assurance of ASSURANCES)
    assert.deepEqual(authorityOfLine({ principal: LOCAL_OWNER, role: "operator", assurance, channel: "public" }), POWERLESS);
  const at = (assurance: OriginFacts["assurance"]): TurnAuthority =>
    authorityOfLine({ principal: LOCAL_OWNER, role: "operator", assurance, channel: "direct" });
  assert.deepEqual(at("local"), UNBOUND);
  assert.deepEqual(at("platform"), { ...UNBOUND, assurance: "platform" });
  assert.deepEqual(at("relayed"), { assurance: "relayed", nothing: "allow", state: "ask", outward: "deny" });
  assert.deepEqual(at("anonymous"), POWERLESS);
  assert.deepEqual(authorityOf([], [], STANDPOINT), POWERLESS);
  assert.deepEqual(least(UNBOUND, POWERLESS), POWERLESS);
});
