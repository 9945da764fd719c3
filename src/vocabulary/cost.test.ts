import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
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

const tokens = fc.nat({ max: 50_000_000 });
const micros = fc.nat({ max: 1_000_000_000 });
const usage = fc.record({ promptTokens: tokens, completionTokens: tokens, cacheReadTokens: tokens, cacheWriteTokens: tokens });
const price = fc.record({ promptMicros: micros, completionMicros: micros, cacheReadMicros: micros, cacheWriteMicros: micros });

test("TR-092 property: a cost is a whole number, at least its exact amount and less than one more", () => {
  fc.assert(
    fc.property(usage, price, (one, at) => {
      const cost = costMicros(one, at) ?? assert.fail();
      const read = Math.min(one.cacheReadTokens, one.promptTokens);
      const written = Math.min(one.cacheWriteTokens, one.promptTokens - read);
      const exact =
        BigInt(one.promptTokens - read - written) * BigInt(at.promptMicros) +
        BigInt(read) * BigInt(at.cacheReadMicros) +
        BigInt(written) * BigInt(at.cacheWriteMicros) +
        BigInt(one.completionTokens) * BigInt(at.completionMicros);
      assert.ok(Number.isSafeInteger(cost));
      assert.ok(BigInt(cost) * 1_000_000n >= exact && (BigInt(cost) - 1n) * 1_000_000n < exact);
    }),
    { numRuns: 1_000 },
  );
});

test("TR-092 property: more tokens never cost less, and parts never cost less than the whole", () => {
  fc.assert(
    fc.property(tokens, tokens, price, (one, other, at) => {
      const cost = (promptTokens: number): number => costMicros(used(promptTokens, 0), at) ?? assert.fail();
      assert.ok(cost(one + other) >= cost(one));
      assert.ok(cost(one) + cost(other) >= cost(one + other));
    }),
  );
});

test("TR-092 what a host's cache spared costs its own price, and never more tokens than were read", () => {
  assert.equal(costMicros(used(1_000_000, 0, 400_000, 100_000), PRICE), 75_000 + 6_000 + 18_750);
  assert.equal(costMicros(used(100, 0, 1_000_000, 0), PRICE), Math.ceil((100 * 15_000) / 1_000_000));
});
