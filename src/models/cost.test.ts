import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { costMicros, reservation } from "./cost.ts";

const PRICE = { promptMicros: 150_000, completionMicros: 600_000 };
const request = { system: "rules", prompt: "wörter", maxOutputTokens: 200, format: "plain" } as const;

test("TR-092 a call costs its tokens at their price, rounded up", () => {
  assert.equal(costMicros({ promptTokens: 1_000_000, completionTokens: 1_000_000 }, PRICE), 750_000);
  assert.equal(costMicros({ promptTokens: 1, completionTokens: 0 }, PRICE), 1);
  assert.equal(costMicros({ promptTokens: 0, completionTokens: 0 }, PRICE), 0);
  assert.equal(costMicros({ promptTokens: 2_000, completionTokens: 500 }, PRICE), 600);
});

test("TR-092 an unknown price or count gives no number", () => {
  assert.equal(costMicros(null, PRICE), null);
  assert.equal(costMicros({ promptTokens: 1, completionTokens: 1 }, null), null);
});

test("TR-092 sums past the safe integers of a product stay exact", () => {
  const price = { promptMicros: 999_999_999, completionMicros: 0 };
  assert.equal(
    costMicros({ promptTokens: 123_456_789, completionTokens: 0 }, price),
    Number((123_456_789n * 999_999_999n + 999_999n) / 1_000_000n),
  );
});

test("SE-090 a call reserves prompt, whole output and each allowed retry", () => {
  const one = reservation(request, 1, PRICE);
  const two = reservation(request, 2, PRICE);
  assert.equal(one.tokens, 5 + 7 + 64 + 200);
  assert.deepEqual([two.calls, two.tokens], [2, one.tokens * 2]);
  assert.equal(one.micros, Math.ceil((76 * 150_000 + 200 * 600_000) / 1_000_000));
  assert.equal(reservation(request, 1, null).micros, null);
});

test("SE-090 property: what was reserved covers any use within its bounds", () => {
  const count = fc.nat({ max: 5_000_000 });
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.integer({ min: 1, max: 4_096 }),
      count,
      count,
      (prompt, maxOutputTokens, promptMicros, completionMicros) => {
        const price = { promptMicros, completionMicros };
        const asked = { ...request, prompt, maxOutputTokens };
        const worst = { promptTokens: Buffer.byteLength(prompt) + Buffer.byteLength(asked.system), completionTokens: maxOutputTokens };
        const reserved = reservation(asked, 1, price);
        assert.ok((reserved.micros ?? -1) >= (costMicros(worst, price) ?? Number.POSITIVE_INFINITY));
      },
    ),
  );
});
