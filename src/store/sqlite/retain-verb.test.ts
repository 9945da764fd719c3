import assert from "node:assert/strict";
import { test } from "node:test";
import { STORE_TIME_MS, decisionRow, heard, messageIdOf } from "../../testing/store-rows.ts";
import type { HeardRow } from "../../testing/store-rows.ts";
import { openDirectStore } from "../../testing/store-writer.ts";
import type { RetentionRow } from "../store.ts";
import { MAX_DROPPED_ROWS } from "./retain-verb.ts";

const NOTHING: RetentionRow = { decisionsBeforeMs: 0, publicBeforeMs: 0, directBeforeMs: 0, deliveriesBeforeMs: 0, membersBeforeMs: 0 };

test("TR-043 a public place forgets half an hour after its last exchange, talk that nobody is asked keeps nothing alive, and a day is the end", () => {
  using store = openDirectStore();
  const MINUTE = 60_000;
  const now = STORE_TIME_MS + 100 * MINUTE;
  const at = (number: number, minutesAgo: number, how: { heardBy?: "nobody"; direct?: true } = {}): HeardRow => {
    const row = heard({ number, public: how.direct !== true, atMs: now - minutesAgo * MINUTE });
    const event = how.heardBy === "nobody" ? { ...row.event, witnesses: [] } : row.event;
    store.run({ verb: "hear", row: { ...row, event, inbox: null } });
    return row;
  };
  const cut = (minutes: number, day = 24 * 60) => ({
    ...NOTHING,
    publicBeforeMs: now - minutes * MINUTE,
    directBeforeMs: now - day * MINUTE,
  });
  const there = (row: HeardRow): boolean => store.read.event(row.event.id) !== null;
  const old = at(1, 50);
  const whisper = at(2, 50, { direct: true });
  const exchange = at(3, 29);
  const chatter = at(4, 1, { heardBy: "nobody" });
  assert.equal(store.run({ verb: "retain", row: cut(30) }).dropped, 0, "its last exchange was 29 minutes ago");
  assert.equal(store.run({ verb: "retain", row: cut(28) }).dropped, 2);
  assert.deepEqual([old, exchange, whisper, chatter].map(there), [false, false, true, true]);
  at(5, 0);
  assert.equal(store.run({ verb: "retain", row: cut(30, 40) }).dropped, 1, "a direct line is as old as its rows");
  assert.deepEqual([whisper, chatter].map(there), [false, true]);
  assert.equal(store.run({ verb: "retain", row: cut(30, 0.5) }).dropped, 1, "a place that never rests");
  assert.equal(there(chatter), false);
});

test("TR-043 one call drops few rows, so that nothing waits long behind it, and the calls together drop all", () => {
  using store = openDirectStore();
  for (let number = 0; number < MAX_DROPPED_ROWS + 10; number += 1) store.run({ verb: "note", row: decisionRow({ number }) });
  const row = { ...NOTHING, decisionsBeforeMs: STORE_TIME_MS + 1 };
  const dropped = [1, 2, 3].map(() => store.run({ verb: "retain", row }).dropped);
  assert.deepEqual(dropped, [MAX_DROPPED_ROWS, 10, 0]);
});

test("TR-052 a delivery is remembered as long as its line is there", () => {
  using store = openDirectStore();
  store.run({ verb: "hear", row: heard({ number: 1 }) });
  assert.equal(store.run({ verb: "retain", row: { ...NOTHING, deliveriesBeforeMs: STORE_TIME_MS + 1 } }).dropped, 0);
  assert.deepEqual(store.run({ verb: "hear", row: heard({ number: 1 }) }), { kind: "duplicate", id: messageIdOf(1) });
});
