import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mostTokens } from "./tokens.ts";

/** The same rule, told by a regular expression. */
function asTold(text: string): number {
  let spared = 0;
  for (const [run] of text.matchAll(/ ?[\p{L}\p{M}]+/gu)) {
    if (/[\u0800-\u{10ffff}]/u.test(run)) continue;
    const spaced = run.startsWith(" ") ? 1 : 0;
    spared += 100 * spaced + Math.max(0, (Buffer.byteLength(run) - spaced) * 25 - 30);
  }
  return Buffer.byteLength(text) - Math.floor(spared / 100);
}

test("SE-090 a text's most tokens are the same however it is read, in any script", () => {
  const piece = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 12 }),
    fc.string({ unit: "binary", maxLength: 6 }),
    fc.constantFrom(" ", "  ", "the ferry", " Grüße", "Привет", "北京", "🙂", "e\u0301", "x1y2", "\ud800", "a\udc00b", "..."),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      assert.equal(mostTokens(text), asTold(text));
    }),
    { numRuns: 2_000 },
  );
  assert.equal(mostTokens(""), 0);
  assert.ok(mostTokens("a plain sentence of common words") < 32);
});
