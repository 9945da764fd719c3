import assert from "node:assert/strict";
import { test } from "node:test";
import { STORE_TIME_MS, answerRow, heard, personOf, settleRow, startRow } from "../../../testing/store-rows.ts";
import type { HeardRow } from "../../../testing/store-rows.ts";
import type { DirectStore } from "../../../testing/store-writer.ts";
import { openDirectStore } from "../../../testing/store-writer.ts";

/** A line that is answered to the end, `open` leaves it waiting. */
function exchange(store: DirectStore, row: HeardRow, open = false): HeardRow {
  store.run({ verb: "hear", row });
  if (open) return row;
  store.run({ verb: "start", row: startRow(row) });
  store.run({ verb: "answer", row: answerRow(row) });
  store.run({ verb: "settle", row: settleRow(row) });
  return row;
}

function resetOf({ inbox }: HeardRow): Parameters<DirectStore["run"]>[0] {
  return { verb: "reset", row: { person: inbox.person, character: inbox.character, place: inbox.place, atMs: STORE_TIME_MS } };
}

for (const isPublic of [true, false]) {
  test(`TR-082 a reset empties one person's lines and the answers to them, ${isPublic ? "in a public place" : "on the own line"}, and nothing else`, () => {
    using store = openDirectStore();
    const own = exchange(store, heard({ number: 1, person: 1, public: isPublic }));
    const other = exchange(store, heard({ number: 2, person: 2, public: isPublic }));
    const elsewhere = exchange(store, heard({ number: 3, person: 1, public: !isPublic }));
    const waits = exchange(store, heard({ number: 4, person: 1, public: isPublic }), true);
    const kept = (row: HeardRow): readonly (readonly [string, string, number])[] =>
      store.read.events(row.inbox.place.id, 20).map(({ text, state, witnesses }) => [text, state, witnesses.length] as const);
    const before = [kept(other), kept(elsewhere)];
    assert.deepEqual(store.run(resetOf(own)), { lines: 1, answers: 1, turns: [answerRow(own).turn], platformIds: ["p-0"] });
    const again = store.run(resetOf(own));
    assert.deepEqual(again !== null && "lines" in again ? [again.lines, again.answers] : null, [0, 0], "once");
    const lines = new Map(store.read.events(own.inbox.place.id, 20).map((event) => [event.id, event]));
    assert.deepEqual([lines.get(own.event.id)?.text, lines.get(own.event.id)?.witnesses], ["", []]);
    const answer = [...lines.values()].find(({ turn }) => turn === answerRow(own).turn);
    assert.deepEqual([answer?.text, answer?.state, answer?.witnesses], ["", "unsaid", []]);
    assert.equal(lines.get(waits.event.id)?.text, waits.event.text, "what waits keeps its words");
    assert.deepEqual(kept(elsewhere), before[1]);
    const others = (rows: readonly (readonly [string, string, number])[]): unknown =>
      rows.filter(([text]) => text.includes(other.event.text));
    assert.deepEqual(others(kept(other)), others(before[0] ?? []));
    assert.equal(store.read.delivered(own.inbox.place.surface, own.event.delivery?.id ?? ""), own.event.id, "its delivery is known");
    assert.equal(store.run({ verb: "start", row: startRow(waits) }).started, true);
    assert.notEqual(personOf(1), personOf(2));
  });
}
