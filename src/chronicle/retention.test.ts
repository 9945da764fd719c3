import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "../foundation/log.ts";
import type { RetentionRow } from "../store/store.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { ANN, PARLOUR } from "../testing/road-fixtures.ts";
import { parseMessageId } from "../vocabulary/ids.ts";
import { publicPlace } from "../vocabulary/place.ts";
import type { ChronicleChange } from "./chronicle.ts";
import { KEPT_MS, RETENTION_EVERY_MS, ROUND_AFTER_BYTES, openRetention } from "./retention.ts";

const NOW = 1_800_000_000_000;
const quiet = { subscribe: (): Disposable => ({ [Symbol.dispose]: () => {} }) };
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
  await using _retention = openRetention({ store, chronicle: quiet, clock, log: silentLog });
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
    toldBeforeMs: NOW - 90 * 86_400_000,
    sessionsBeforeMs: NOW - 14 * 86_400_000,
  });
  await clock.advance(RETENTION_EVERY_MS - 60);
  await turnOfLoop();
  assert.equal(cuts.length, 4);
  assert.equal(cuts[3]?.publicBeforeMs, NOW + RETENTION_EVERY_MS - KEPT_MS.publicBeforeMs);
});

test("TR-043 an end in the middle of a round leaves nothing running", async () => {
  const clock = new ManualClock(NOW);
  let calls = 0;
  const retention = openRetention({
    store: { retain: () => Promise.resolve({ dropped: (calls += 1) }) },
    chronicle: quiet,
    clock,
    log: silentLog,
  });
  await turnOfLoop();
  await retention[Symbol.asyncDispose]();
  await clock.advance(2 * RETENTION_EVERY_MS);
  await turnOfLoop();
  assert.equal(calls, 1);
  assert.equal(clock.pending, 0);
});

test("MC-070 much that is said starts a round before its hour, one at a time, so that the bounds in bytes hold", async () => {
  const clock = new ManualClock(NOW);
  const listeners: ((change: ChronicleChange) => void)[] = [];
  const chronicle = {
    subscribe(listener: (change: ChronicleChange) => void): Disposable {
      listeners.push(listener);
      return { [Symbol.dispose]: () => void listeners.splice(0) };
    },
  };
  let rounds = 0;
  let release: () => void = () => {};
  const store = {
    retain: () => {
      rounds += 1;
      return new Promise<{ dropped: number }>((resolve) => (release = () => resolve({ dropped: 0 })));
    },
  };
  const say = (bytes: number): void => {
    const author = { kind: "person", principal: ANN, name: "Ann" } as const;
    const event = {
      id: parseMessageId("m-0001"),
      place: publicPlace(PARLOUR).id,
      seq: 1,
      atMs: 0,
      author,
      text: "x".repeat(bytes),
      action: "",
    } as const;
    for (const listener of listeners)
      listener({ kind: "event", event: { ...event, state: "said", witnesses: [], audience: [], influence: [] } });
  };
  const retention = openRetention({ store, chronicle, clock, log: silentLog });
  release();
  await turnOfLoop();
  assert.equal(rounds, 1, "the one of the start");
  say(ROUND_AFTER_BYTES / 2);
  assert.equal(rounds, 1);
  say(ROUND_AFTER_BYTES / 2);
  assert.equal(rounds, 2);
  say(ROUND_AFTER_BYTES);
  assert.equal(rounds, 2, "while one runs none begins");
  release();
  await turnOfLoop();
  assert.equal(rounds, 3, "what came meanwhile has a round of its own");
  release();
  await turnOfLoop();
  await clock.advance(RETENTION_EVERY_MS - 1);
  assert.equal(rounds, 3);
  await retention[Symbol.asyncDispose]();
  assert.deepEqual(listeners, []);
});
