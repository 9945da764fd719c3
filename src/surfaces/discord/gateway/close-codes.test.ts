import assert from "node:assert/strict";
import { test } from "node:test";
import { CURES, closeMeaning } from "./close-codes.ts";

test("TR-081 codes that would come again stop the bot with a cure; all others are a lost connection or a lost session", () => {
  for (const code of [4004, 4010, 4011, 4012, 4013, 4014]) {
    const meaning = closeMeaning(code);
    assert.ok(meaning.kind === "blocked");
    assert.ok(CURES[meaning.reason].length > 30);
  }
  for (const code of [1000, 1001, 4003, 4005, 4007, 4009]) assert.deepEqual(closeMeaning(code), { kind: "begin" });
  for (const code of [1005, 1006, 1011, 4000, 4001, 4002, 4008, 4200, 4999]) assert.deepEqual(closeMeaning(code), { kind: "resume" });
});
