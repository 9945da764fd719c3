import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "../foundation/log.ts";
import type { RetentionRow } from "../store/store.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { KEPT_MS, RETENTION_EVERY_MS, openRetention } from "./retention.ts";

const NOW = 1_800_000_000_000;
const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("TR-003 TR-043 what is old goes at the start and every hour, slice by slice, until nothing is left", async () => {
  const clock = new ManualClock(NOW);
  const cuts: RetentionRow[] = [];
  const left = [250, 7, 0, 3, 0];
  const store = {
    retain(cut: RetentionRow) {
      cuts.push(cut);
      return Promise.resolve({ dropped: left.shift() ?? 0 });
    },
  };
  await using _retention = openRetention({ store, clock, log: silentLog });
  for (const calls of [1, 2, 3]) {
    await turnOfLoop();
    assert.equal(cuts.length, calls);
    await clock.advance(20);
  }
  await turnOfLoop();
  assert.equal(cuts.length, 3, "nothing was left");
  assert.deepEqual(cuts[0], {
    decisionsBeforeMs: NOW - 30 * 86_400_000,
    publicBeforeMs: NOW - 1_800_000,
    directBeforeMs: NOW - 86_400_000,
    deliveriesBeforeMs: NOW - 86_400_000,
    membersBeforeMs: NOW - 86_400_000,
  });
  await clock.advance(RETENTION_EVERY_MS - 60);
  await turnOfLoop();
  assert.equal(cuts.length, 4);
  assert.equal(cuts[3]?.publicBeforeMs, NOW + RETENTION_EVERY_MS - KEPT_MS.publicBeforeMs);
});

test("TR-043 an end in the middle of a round leaves nothing running", async () => {
  const clock = new ManualClock(NOW);
  let calls = 0;
  const retention = openRetention({ store: { retain: () => Promise.resolve({ dropped: (calls += 1) }) }, clock, log: silentLog });
  await turnOfLoop();
  await retention[Symbol.asyncDispose]();
  await clock.advance(2 * RETENTION_EVERY_MS);
  await turnOfLoop();
  assert.equal(calls, 1);
  assert.equal(clock.pending, 0);
});
