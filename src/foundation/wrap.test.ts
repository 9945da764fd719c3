import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { wrapPieces } from "./wrap.ts";

test("pieces are laid out in lines of a width, whole where they fit, broken between words where not, and no word is lost", () => {
  assert.deepEqual(wrapPieces(["gate admission", "rule addressed", "key surfaces.inn.admission"], 32), [
    "gate admission · rule addressed",
    "key surfaces.inn.admission",
  ]);
  assert.deepEqual(wrapPieces(["segments 1 card (300 B), 2 conversation (300 B)"], 20), [
    "segments 1 card (300",
    "B), 2 conversation",
    "(300 B)",
  ]);
  assert.deepEqual(wrapPieces([], 20), []);
  const word = fc.string({ unit: fc.constantFrom("a", "b", "."), minLength: 1, maxLength: 12 });
  const piece = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(" "));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 4, max: 40 }), (pieces, width) => {
      const lines = wrapPieces(pieces, width);
      for (const line of lines) assert.ok(line !== "" && (line.length <= width || !line.includes(" ")));
      assert.deepEqual(lines.join(" ").replaceAll(" · ", " ").split(" "), pieces.length === 0 ? [""] : pieces.join(" ").split(" "));
    }),
  );
});
