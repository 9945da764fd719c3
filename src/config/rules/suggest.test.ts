import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { editDistance, suggest } from "./suggest.ts";

test("suggests the nearest known word, and none when nothing is near", () => {
  const known = ["admission", "characters", "character", "port", "private"];
  assert.equal(suggest("admision", known), "admission");
  assert.equal(suggest("charaters", known), "characters");
  assert.equal(suggest("CHARACTER", known), "character");
  assert.equal(suggest("prot", known), "port");
  assert.equal(suggest("wallpaper", known), null);
  assert.equal(suggest("x", known), null);
  assert.equal(suggest("y".repeat(100), ["y".repeat(100)]), null);
});

test("counts inserted, dropped, changed and swapped letters", () => {
  assert.equal(editDistance("", "abc"), 3);
  assert.equal(editDistance("abc", "abc"), 0);
  assert.equal(editDistance("abcd", "acbd"), 1);
  assert.equal(editDistance("kitten", "sitting"), 3);
});

test("the distance is symmetric, zero only for equal words, and never over the longer length", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 10 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      const distance = editDistance(a, b);
      assert.equal(distance, editDistance(b, a));
      assert.equal(distance === 0, a === b);
      assert.ok(distance <= Math.max(a.length, b.length) && distance >= Math.abs(a.length - b.length));
    }),
  );
});
