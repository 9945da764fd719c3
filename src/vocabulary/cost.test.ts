import assert from "node:assert/strict";
import { test } from "node:test";
import { costMicros } from "./cost.ts";

const PRICE = { promptMicros: 150_000, completionMicros: 600_000, cacheReadMicros: 15_000, cacheWriteMicros: 187_500 };
const used = (promptTokens: number, completionTokens: number, cacheReadTokens = 0, cacheWriteTokens = 0) => ({
  promptTokens,
  completionTokens,
  cacheReadTokens,
  cacheWriteTokens,
});

test("TR-092 a call costs its tokens at their price, rounded up", () => {
  assert.equal(costMicros(used(1_000_000, 1_000_000), PRICE), 750_000);
  assert.equal(costMicros(used(1, 0), PRICE), 1);
  assert.equal(costMicros(used(0, 0), PRICE), 0);
  assert.equal(costMicros(used(2_000, 500), PRICE), 600);
});

test("TR-092 an unknown price gives no number", () => {
  assert.equal(costMicros(used(1, 1), null), null);
});

test("TR-092 sums past the safe integers of a product stay exact", () => {
  const price = { ...PRICE, promptMicros: 999_999_999, completionMicros: 0 };
  assert.equal(costMicros(used(123_456_789, 0), price), Number((123_456_789n * 999_999_999n + 999_999n) / 1_000_000n));
});
