import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalDigest, canonicalJson } from "./canonical-json.ts";
import { isRuntimeError } from "./errors.ts";
import { printable } from "./printable.ts";

test("SE-084 SE-103 canonical text is the value, is printable as it stands, and does not depend on the order of keys", () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false } as fc.JsonSharedConstraints), (value) => {
      const text = canonicalJson(value);
      assert.equal(canonicalJson(JSON.parse(text)), text);
      assert.equal(printable(text, Number.MAX_SAFE_INTEGER), text);
    }),
  );
  assert.equal(canonicalJson({ b: 1, a: [true, null] }), canonicalJson({ a: [true, null], b: 1 }));
  assert.equal(canonicalJson({ a: "\u202e\u{e0041}\u0000" }), String.raw`{"a":"\u202e\udb40\udc41\u0000"}`);
  assert.notEqual(canonicalDigest({ a: 1 }), canonicalDigest({ a: "1" }));
});

test("SE-084 what JSON has no form for is refused", () => {
  const deep = Array.from({ length: 70 }).reduce<unknown>((inner) => [inner], 1);
  for (const value of [Number.NaN, Infinity, () => 1, Symbol("x"), 1n, new Date(), new Map(), deep, [undefined]])
    assert.throws(
      () => canonicalJson(value),
      (error) => isRuntimeError(error, "invalid_argument"),
    );
});
