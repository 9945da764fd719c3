import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RuntimeError } from "../../../foundation/errors.ts";
import { JsonLines, MAX_LINE_CHARACTERS } from "./json-lines.ts";

test("values come out whole wherever the pieces end", () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue(), { maxLength: 6 }),
      fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 12 }),
      (values, cuts) => {
        const text = values.map((value) => `${JSON.stringify(value)}\n`).join("");
        const lines = new JsonLines();
        const ends = [...cuts.filter((cut) => cut < text.length), text.length].toSorted((a, b) => a - b);
        const got = ends.flatMap((end, index) => lines.push(text.slice(ends[index - 1] ?? 0, end)));
        assert.deepEqual(JSON.stringify(got), JSON.stringify(values));
      },
    ),
  );
});

test("an endless line is refused instead of kept", () => {
  const lines = new JsonLines();
  assert.throws(
    () => lines.push("x".repeat(MAX_LINE_CHARACTERS + 1)),
    (error) => error instanceof RuntimeError && error.code === "capacity",
  );
});
