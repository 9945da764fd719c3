import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fewestTokens, mostTokens } from "./tokens.ts";

test("the fewest tokens are the words, the digits by three, and unspaced scripts by four", () => {
  assert.equal(fewestTokens("The ferry left, didn't it?"), 5);
  assert.equal(fewestTokens("1234567 und 12"), 3 + 1 + 1);
  assert.equal(fewestTokens("渡し船は夜明けに出た"), 3);
  assert.equal(fewestTokens("안녕하세요 오늘"), 2 + 1);
});

test("nobody can write a text that looks longer than it is: runs of spaces, marks and letters count little or nothing", () => {
  for (const text of [" ".repeat(5_000), "\n".repeat(5_000), ".".repeat(5_000), "=-".repeat(2_000), "😀".repeat(1_000)])
    assert.equal(fewestTokens(text), 0);
  assert.equal(fewestTokens("a".repeat(5_000)), 1);
  assert.equal(fewestTokens("a\u0301".repeat(1_000)), 1);
});

test("the most tokens are a token a byte, less for words of common letters", () => {
  assert.equal(mostTokens("0123456789"), 10);
  assert.equal(mostTokens("渡し船"), 9);
  assert.equal(mostTokens("😀"), 4);
  assert.ok(mostTokens("the ferry left at dawn") < "the ferry left at dawn".length);
});

test("property: the bounds never cross, are whole, and are those of the parts together or less", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (one, other) => {
      for (const bound of [fewestTokens, mostTokens]) assert.ok(Number.isSafeInteger(bound(one)) && bound(one) >= 0);
      assert.ok(fewestTokens(one) <= mostTokens(one));
      assert.ok(mostTokens(one) <= Buffer.byteLength(one));
      assert.ok(fewestTokens(`${one} ${other}`) <= fewestTokens(one) + fewestTokens(other) + 1);
    }),
    { numRuns: 1_000 },
  );
});
