import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ASSURANCES, assuranceReaches, LOCAL_OWNER, parsePrincipalId } from "./principal.ts";

const GENUINE = [
  "local:owner",
  "room:m-1a2b3c",
  "discord:139301234567890123",
  "mcp:helper",
  "grid:osgrid:6f3c1a52-0b1e-4c55-9a60-0d6f5f7a2b11",
];
const REFUSED = [
  "",
  "Ann",
  "owner",
  "local:ann",
  "room:",
  "room:ann smith",
  "room:ann\n",
  "Room:ann",
  "room:*",
  "*",
  "grid:osgrid:Ann Resident",
  "grid:6f3c1a52-0b1e-4c55-9a60-0d6f5f7a2b11",
  "telegram:1",
  ` local:owner`,
  `room:${"a".repeat(121)}`,
];

test("TR-010 a principal is realm and account; names, wildcards and unknown realms are refused", () => {
  for (const text of GENUINE) assert.equal(parsePrincipalId(text), text);
  for (const text of REFUSED) assert.throws(() => parsePrincipalId(text), { code: "invalid_argument" }, JSON.stringify(text));
});

test("TR-010 property: nothing but a realm and an account in plain characters becomes a principal", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      try {
        assert.match(parsePrincipalId(text), /^(?:local|room|discord|mcp|scripted|grid):[\w:-]+$/);
      } catch (error) {
        assert.equal((error as { code?: unknown }).code, "invalid_argument");
        assert.ok(!(error as Error).message.includes(text) || text.length < 3, "the text stays out of the message");
      }
    }),
    { numRuns: 500 },
  );
});

test("SE-081 one assurance reaches another exactly when it is the same or later in the list, and the owner is a principal", () => {
  for (const [at, held] of ASSURANCES.entries()) {
    for (const [needed, assurance] of ASSURANCES.entries())
      assert.equal(assuranceReaches(held, assurance), at >= needed, `${held} ${assurance}`);
  }
  assert.deepEqual(ASSURANCES, ["anonymous", "relayed", "platform", "local"]);
  assert.equal(LOCAL_OWNER, "local:owner");
});
