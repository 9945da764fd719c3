import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FIRST_WAIT_MS, LONGEST_WAIT_MS, waitBeforeReconnect } from "./backoff.ts";

test("TR-055 a lost connection is tried again after a second, doubling up to a minute, a fifth more or less", () => {
  const middle = Array.from({ length: 9 }, (_, at) => waitBeforeReconnect(at + 1, 0.5));
  assert.deepEqual(middle, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  assert.deepEqual([waitBeforeReconnect(1, 0), waitBeforeReconnect(1, 1)], [800, 1_200]);
  fc.assert(
    fc.property(fc.integer({ min: -3, max: 10_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
      const wait = waitBeforeReconnect(failures, random);
      assert.ok(Number.isInteger(wait) && wait >= FIRST_WAIT_MS * 0.8 && wait <= LONGEST_WAIT_MS);
      assert.ok(waitBeforeReconnect(failures + 1, random) >= wait, "never sooner after one more failure");
    }),
  );
});
