import assert from "node:assert/strict";
import { test } from "node:test";
import { LOCAL_OWNER, parsePrincipalId } from "../../vocabulary/principal.ts";
import { botOwner } from "./policies.ts";

test("VS-007 TR-011 the owner of a bot is the first Discord account that the configuration names an operator, and nobody where it names none", () => {
  const [grid, first, second] = [
    "grid:osgrid:6f3c1a52-0b1e-4c55-9a60-0d6f5f7a2b11",
    "discord:139301234567890123",
    "discord:139301234567890124",
  ].map((text) => parsePrincipalId(text));
  assert.ok(grid !== undefined && first !== undefined && second !== undefined);
  assert.equal(botOwner({ people: { operators: [grid, first, second] } }), first);
  assert.equal(botOwner({ people: { operators: [grid, LOCAL_OWNER] } }), null);
  assert.equal(botOwner({ people: { operators: [] } }), null);
});
