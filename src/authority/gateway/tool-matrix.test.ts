import assert from "node:assert/strict";
import { test } from "node:test";
import { TOOL_CAPABILITIES } from "../../vocabulary/calls/tool-definition.ts";
import { TOOL_MATRIX, leastAssurance } from "./tool-matrix.ts";

test("MC-042 TR-015 the matrix names every kind of tool, and no configuration opens what happens later to an account of a platform", () => {
  const all = new Set(TOOL_CAPABILITIES);
  for (const kind of TOOL_CAPABILITIES) assert.ok(TOOL_MATRIX.has(kind), kind);
  assert.equal(leastAssurance("schedule", all), "local");
  assert.equal(leastAssurance("processes", all), "platform");
  assert.equal(leastAssurance("processes", new Set()), "local");
});
