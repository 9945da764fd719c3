import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isRuntimeError } from "../foundation/errors.ts";
import { MAX_SPAN_MS, parseSpan } from "./span.ts";

test("a time is read as people type it", () => {
  assert.deepEqual(["30m", "4h", "2d", " 1h "].map(parseSpan), [1_800_000, 14_400_000, 172_800_000, 3_600_000]);
});

test("whatever is no time between a minute and a year is refused, and what was typed is not said again", () => {
  for (const text of ["", "0m", "1", "h", "-1h", "1.5h", "1w", "999999d", "1h 30m", "١h"]) {
    assert.throws(
      () => parseSpan(text),
      (error) => isRuntimeError(error, "usage") && (text === "" || !error.message.includes(`"${text}"`)),
      text,
    );
  }
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        const spanMs = parseSpan(text);
        return spanMs >= 60_000 && spanMs <= MAX_SPAN_MS;
      } catch (error) {
        return isRuntimeError(error, "usage");
      }
    }),
  );
});
