import assert from "node:assert/strict";
import { test } from "node:test";
import { CommitTimes } from "./commit-times.ts";

test("the newest thousand commits give the percentiles, and nothing is told before the first", () => {
  const times = new CommitTimes();
  assert.deepEqual([times.count, times.percentile(0.5)], [0, null]);
  for (let at = 1; at <= 100; at += 1) times.note(at);
  assert.deepEqual([times.percentile(0), times.percentile(0.5), times.percentile(0.99), times.percentile(1)], [1, 50, 99, 100]);
  for (let at = 0; at < 1_024; at += 1) times.note(7);
  assert.deepEqual([times.count, times.percentile(0.01), times.percentile(1)], [1_124, 7, 7]);
});
