import assert from "node:assert/strict";
import { test } from "node:test";
import { FIRST_WAIT_MS, LONGEST_WAIT_MS, waitBeforeTry } from "./backoff.ts";

test("waits double up to the longest and are shortened by at most a half", () => {
  assert.deepEqual(
    [1, 2, 3, 4].map((failures) => waitBeforeTry(failures, 0)),
    [500, 1_000, 2_000, 4_000],
  );
  assert.equal(waitBeforeTry(1_000, 0), LONGEST_WAIT_MS);
  assert.equal(waitBeforeTry(1, 1), FIRST_WAIT_MS / 2);
});
