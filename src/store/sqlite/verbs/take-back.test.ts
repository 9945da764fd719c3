import assert from "node:assert/strict";
import { test } from "node:test";
import { STORE_TIME_MS, answerRow, heard, personOf, settleRow, startRow } from "../../../testing/store-rows.ts";
import type { HeardRow } from "../../../testing/store-rows.ts";
import type { DirectStore } from "../../../testing/store-writer.ts";
import { openDirectStore } from "../../../testing/store-writer.ts";
import { parseSurfaceName, partIdOf } from "../../../vocabulary/ids.ts";

function answered(store: DirectStore, number: number, settled: number): HeardRow {
  const row = heard({ number, person: number, public: true });
  store.run({ verb: "hear", row });
  store.run({ verb: "start", row: startRow(row) });
  store.run({ verb: "answer", row: answerRow(row, 2) });
  for (let index = 0; index < settled; index += 1)
    store.run({ verb: "settle", row: { ...settleRow(row, index, 2), platformId: `p-${number}-${index}` } });
  return row;
}

test("TR-081 TR-042 what is taken back is unsaid with the commit that marks its parts; once, never while it is said, and open until its platform let go", () => {
  using store = openDirectStore();
  const [done, speaking, other] = [answered(store, 1, 2), answered(store, 2, 1), answered(store, 3, 2)];
  const take = (row: HeardRow): unknown =>
    store.run({ verb: "takeBack", row: { turn: answerRow(row).turn, by: personOf(1), atMs: STORE_TIME_MS + 99 } });
  const stateOf = (row: HeardRow): string | undefined =>
    store.read.events(row.inbox.place.id, 20).find(({ turn }) => turn === answerRow(row).turn)?.state;
  assert.deepEqual(take(speaking), { kind: "speaking" });
  assert.equal(stateOf(speaking), "pending");
  const { turn } = answerRow(done);
  const parts = [0, 1].map((index) => ({ part: partIdOf(turn, index), turn, place: done.inbox.place, platformId: `p-1-${index}` }));
  assert.deepEqual(take(done), { kind: "taken", parts });
  assert.deepEqual([stateOf(done), stateOf(other)], ["unsaid", "said"]);
  assert.deepEqual(take(done), { kind: "nothing" }, "once");
  assert.deepEqual(store.read.conversations.takingBack(), parts, "also for the next start");
  for (const [index, gone] of [true, false].entries()) store.run({ verb: "tookBack", row: { part: partIdOf(turn, index), gone } });
  assert.deepEqual(store.read.conversations.takingBack(), []);
  assert.deepEqual(
    store.read.explain(done.event.id)?.parts.map(({ state, reason }) => [state, reason]),
    [
      ["delivered", "taken_back"],
      ["delivered", "not_taken_back"],
    ],
  );
  assert.deepEqual(
    store.read.audits(1).map(({ act, by, about }) => [act, by, about]),
    [["take_back", personOf(1), turn]],
  );
});

test("TR-081 a message of a platform is found by its id and moment, on its own surface alone", () => {
  using store = openDirectStore();
  const row = answered(store, 1, 2);
  const { surface } = row.inbox.place;
  const posted = { turn: answerRow(row).turn, place: row.inbox.place.id, person: personOf(1) };
  const at = STORE_TIME_MS + 5_000;
  assert.deepEqual(store.read.conversations.posted({ surface, platformId: "p-1-1", postedAtMs: at }), posted);
  for (const wrong of [
    { platformId: "p-1-9" },
    { postedAtMs: at + 3_600_000 },
    { postedAtMs: at - 3_600_000 },
    { surface: parseSurfaceName("town") },
  ])
    assert.equal(store.read.conversations.posted({ surface, platformId: "p-1-1", postedAtMs: at, ...wrong }), null);
});
