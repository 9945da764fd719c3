import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isRuntimeError } from "../foundation/errors.ts";
import { ANN, MIRELLE, PARLOUR, inboundLine } from "../testing/road-fixtures.ts";
import { parseSurfaceName } from "../vocabulary/ids.ts";
import type { OriginFacts } from "../vocabulary/origin.ts";
import { Origin } from "../vocabulary/origin.ts";
import { directPlace, publicPlace } from "../vocabulary/place.ts";
import type { Assurance, PrincipalId, Role } from "../vocabulary/principal.ts";
import { ASSURANCES, LOCAL_OWNER, parsePrincipalId } from "../vocabulary/principal.ts";
import type { Capability } from "./matrix.ts";
import { MATRIX, allows } from "./matrix.ts";
import { originOfKept, originOfLine } from "./origin.ts";
import type { People } from "./people.ts";
import { isNamedPerson, roleOf } from "./people.ts";

const OPERATOR = parsePrincipalId("discord:177117296140091393");
const people = (
  changes: {
    operators?: readonly PrincipalId[];
    trust?: Record<string, "trusted" | "guest" | "blocked">;
    stay?: ReturnType<People["stay"]>;
  } = {},
): People => ({
  operators: () => new Set(changes.operators ?? [OPERATOR]),
  stay: () => changes.stay ?? "uninvited",
  trust: (person) => changes.trust?.[person] ?? "guest",
});

test("TR-011 operators come from configuration alone, and an empty list makes nobody anything", () => {
  assert.equal(roleOf(OPERATOR, people()), "operator");
  assert.equal(roleOf(OPERATOR, people({ operators: [] })), "guest");
  assert.equal(roleOf(LOCAL_OWNER, people({ operators: [] })), "operator");
  assert.equal(roleOf(parsePrincipalId("discord:1"), people({ trust: { "discord:1": "trusted" } })), "trusted");
});

test("SE-087 a room member is never more than a guest, whatever configuration or the trust list says", () => {
  assert.equal(roleOf(ANN, people({ operators: [ANN], trust: { [ANN]: "trusted" } })), "guest");
  assert.equal(roleOf(ANN, people({ trust: { [ANN]: "blocked" } })), "blocked");
});

test("TR-094 SE-090 an invited guest is a named guest and no more; with the invite's end nothing of theirs is heard", () => {
  const other = parsePrincipalId("discord:42");
  for (const [stay, role, named] of [
    ["uninvited", "guest", false],
    ["invited", "guest", true],
    ["ended", "blocked", false],
  ] as const) {
    assert.equal(roleOf(ANN, people({ stay, trust: { [ANN]: "trusted" } })), role, stay);
    assert.equal(isNamedPerson(ANN, people({ stay })), named, stay);
    assert.equal(isNamedPerson(other, people({ stay })), false, "an invite says nothing of other accounts");
    const facts = Origin.factsOf(originOfLine(inboundLine({ person: ANN }), people({ stay })));
    assert.deepEqual([facts.role, facts.invited ?? false], [role, named], "a part of what is shared, and no right");
    const kept = { person: ANN, role: "guest" as Role, assurance: "anonymous" as Assurance, place: publicPlace(PARLOUR) };
    assert.equal(Origin.factsOf(originOfKept(kept, people({ stay }))).invited ?? false, named);
  }
});

test("MC-027 MC-031 cases A17 the origin comes from account, surface and channel; no name can alter it", () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom<Assurance>(...ASSURANCES), (displayName, assurance) => {
      const line = inboundLine({ displayName, person: ANN });
      const facts = Origin.factsOf(originOfLine({ ...line, sender: { ...line.sender, assurance } }, people()));
      assert.deepEqual(facts, { principal: ANN, role: "guest", assurance, channel: "public" });
    }),
  );
  const named = inboundLine({ displayName: OPERATOR, person: parsePrincipalId("discord:42") });
  assert.equal(Origin.factsOf(originOfLine(named, people())).role, "guest");
});

test("TR-011 what a bot writes has a bot's role, also when its account is listed", () => {
  const line = inboundLine({ person: OPERATOR, kind: "bot" });
  assert.equal(Origin.factsOf(originOfLine(line, people())).role, "bot");
});

test("TR-015 a row kept across a restart has at most the role its person has now", () => {
  const kept = {
    person: OPERATOR,
    role: "operator" as Role,
    assurance: "platform" as Assurance,
    place: directPlace(PARLOUR, MIRELLE, OPERATOR),
  };
  assert.equal(Origin.factsOf(originOfKept(kept, people())).role, "operator");
  assert.equal(Origin.factsOf(originOfKept(kept, people({ operators: [] }))).role, "guest");
  assert.equal(Origin.factsOf(originOfKept({ ...kept, role: "guest" }, people())).role, "guest");
  assert.equal(Origin.factsOf(originOfKept(kept, people({ operators: [], trust: { [OPERATOR]: "blocked" } }))).role, "blocked");
});

test("TR-002 an origin cannot be forged: look-alike, copy, subclass, proxy, other prototype", () => {
  const genuine = originOfLine(inboundLine(), people());
  const facts = Origin.factsOf(genuine);
  class Sub extends Origin {}
  const forgeries: unknown[] = [
    facts,
    Object.create(Origin.prototype),
    new Proxy(genuine, {}),
    Object.create(genuine),
    Object.setPrototypeOf({}, Origin.prototype),
  ];
  for (const forged of forgeries) {
    assert.throws(
      () => Reflect.apply(Origin.factsOf, undefined, [forged]),
      (error) => isRuntimeError(error, "forged"),
    );
  }
  assert.throws(
    () => Reflect.construct(Origin, [Symbol("origin"), facts]),
    (error) => isRuntimeError(error, "forged"),
  );
  assert.throws(
    () => Reflect.construct(Sub, [Symbol("origin"), facts]),
    (error) => isRuntimeError(error, "forged"),
  );
  assert.throws(() => Reflect.set(facts, "role", "operator") || assert.fail("frozen"), assert.AssertionError);
  assert.equal(Origin.factsOf(genuine).role, "guest");
});

const ROLES: readonly Role[] = ["operator", "trusted", "guest", "bot", "blocked"];
const CHANNELS: readonly OriginFacts["channel"][] = ["public", "direct"];
const CAPABILITIES: readonly Capability[] = ["talk", "own_conversation", "operate"];

test("TR-013 MC-042 the matrix, whole: what is not listed is denied", () => {
  const table = ROLES.flatMap((role) =>
    CHANNELS.flatMap((channel) => ASSURANCES.map((assurance): OriginFacts => ({ principal: ANN, role, assurance, channel }))),
  );
  assert.equal(table.length, 40);
  for (const facts of table) {
    const person = facts.role !== "bot" && facts.role !== "blocked";
    assert.equal(allows(facts, "talk"), person);
    assert.equal(allows(facts, "own_conversation"), person);
    assert.equal(
      allows(facts, "operate"),
      facts.role === "operator" && facts.channel === "direct" && facts.assurance === "local",
      JSON.stringify(facts),
    );
  }
});

test("MC-027 a public line is never more than talk, whoever wrote it", () => {
  assert.ok(MATRIX.operate.every((rule) => !rule.channels.includes("public")));
});

test("TR-036 a place is an identity: the direct line is the same one from any surface of the person", () => {
  assert.equal(directPlace(PARLOUR, MIRELLE, ANN).id, directPlace(parseSurfaceName("terminal"), MIRELLE, ANN).id);
  assert.notEqual(publicPlace(PARLOUR).id, publicPlace(PARLOUR, "thread-1").id);
});

test("TR-012 being trusted gives no capability that a guest has not: no row of the matrix names one without the other", () => {
  for (const channel of CHANNELS)
    for (const assurance of ASSURANCES)
      for (const capability of CAPABILITIES) {
        const facts = { principal: ANN, assurance, channel };
        assert.equal(allows({ ...facts, role: "trusted" }, capability), allows({ ...facts, role: "guest" }, capability));
        assert.ok(capability !== "operate" || !allows({ ...facts, role: "trusted" }, capability));
      }
});

test("TR-021 what was said in public stays so for its origin, wherever its answer goes, also after a restart", () => {
  const kept = { person: OPERATOR, role: "operator", assurance: "platform", place: directPlace(PARLOUR, MIRELLE, OPERATOR) } as const;
  assert.equal(Origin.factsOf(originOfKept(kept, people())).channel, "direct");
  assert.equal(Origin.factsOf(originOfKept({ ...kept, heardIn: publicPlace(PARLOUR, "1") }, people())).channel, "public");
});
