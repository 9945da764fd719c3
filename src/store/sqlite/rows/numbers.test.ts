import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { scratchRoot } from "../../../testing/scratch-root.ts";
import { NOTHING_OLD, STORE_TIME_MS, answerRow, heard, messageIdOf, personOf, settleRow, startRow } from "../../../testing/store-rows.ts";
import type { HeardRow } from "../../../testing/store-rows.ts";
import type { DirectStore } from "../../../testing/store-writer.ts";
import { openDirectStore } from "../../../testing/store-writer.ts";
import { parseMessageId } from "../../../vocabulary/ids.ts";
import type { Labels } from "../../../vocabulary/label.ts";
import { SEALED } from "../../../vocabulary/label.ts";
import { connectReader } from "../file/connect.ts";
import { prepareStateFolder } from "../file/state-folder.ts";
import { Writer } from "../writer.ts";

function rows(path: string, sql: string): readonly unknown[] {
  using db = connectReader(path);
  return db
    .prepare(sql)
    .all()
    .map((row) => ({ ...row }));
}

function damage(store: DirectStore, sql: string): void {
  using db = new DatabaseSync(store.path);
  db.exec(sql);
}

const labels = (store: DirectStore, row: HeardRow): unknown => {
  const event = store.read.event(row.event.id);
  return { witnesses: event?.witnesses, audience: event?.audience, influence: event?.influence };
};

test("TR-030 labels that follow from place and author are letters and read as they were; a letter that means nothing there seals the item", () => {
  using store = openDirectStore();
  const [direct, open] = [heard({ number: 1 }), heard({ number: 2, public: true })];
  for (const row of [direct, open]) store.run({ verb: "hear", row });
  const kept = "select witnesses || audience || influence as letters from event order by n";
  assert.deepEqual(rows(store.path, kept), [{ letters: "LRA" }, { letters: '["mirelle"]RA' }]);
  for (const row of [direct, open]) {
    const { witnesses, audience, influence } = row.event;
    assert.deepEqual(labels(store, row), { witnesses, audience, influence });
  }
  const set = (column: string, value: string, row: HeardRow): void =>
    damage(store, `update event set ${column} = '${value}' where id = '${row.event.id}'`);
  // No line in a public place; a letter of another label; one that there is not.
  for (const [row, column, good, bad] of [
    [open, "witnesses", '["mirelle"]', ["L", "A", "R", "l", "X", ""]],
    [open, "influence", "A", ["L", "R", "a", ""]],
    [direct, "witnesses", "L", ["A", "R", "LL", ""]],
    [direct, "audience", "R", ["L", "A", "r", ""]],
    [direct, "influence", "A", ["R", "AA", ""]],
  ] as const) {
    for (const value of bad) {
      set(column, value, row);
      assert.deepEqual(labels(store, row), SEALED, `${column} ${value}`);
    }
    set(column, good, row);
  }
});

test("TR-030 labels other than those that follow are kept as they are, in their order", () => {
  using store = openDirectStore();
  const row = heard({ number: 1 });
  const other: Labels = {
    witnesses: [],
    audience: ["anyone", `person:${personOf(0)}`],
    influence: [personOf(0), `character:${row.inbox.character}`],
  };
  store.run({ verb: "hear", row: { ...row, event: { ...row.event, ...other } } });
  assert.deepEqual(labels(store, row), other);
});

test("TR-043 a line that goes leaves the waiting row its words, the others its id, and its delivery is known", () => {
  using store = openDirectStore();
  const [waits, done] = [heard({ number: 1 }), heard({ number: 2, person: 1 })];
  for (const row of [waits, done]) store.run({ verb: "hear", row });
  store.run({ verb: "start", row: startRow(done) });
  store.run({ verb: "answer", row: answerRow(done) });
  store.run({ verb: "settle", row: settleRow(done) });
  const told = [waits, done].map((row) => store.read.explain(row.event.id));
  store.run({ verb: "retain", row: { ...NOTHING_OLD, directBeforeMs: STORE_TIME_MS + 1_000 } });
  assert.deepEqual(rows(store.path, "select count(*) as n from event"), [{ n: 0 }]);
  assert.deepEqual(store.read.inbox(waits.inbox.id), { ...waits.inbox, trigger: { ...waits.inbox.trigger, deliveryId: null } });
  assert.deepEqual(
    [waits, done].map((row) => store.read.explain(row.event.id)),
    told,
  );
  assert.deepEqual(store.run({ verb: "hear", row: heard({ number: 2, person: 1 }) }), { kind: "duplicate", id: messageIdOf(2) });
  assert.equal(store.run({ verb: "start", row: startRow(waits) }).started, true);
});

test("TR-043 a place is known as long as any row names it, and goes with the last", () => {
  using store = openDirectStore();
  const row = heard({ number: 1 });
  store.run({ verb: "hear", row });
  const places = "select id from place";
  const old = {
    ...NOTHING_OLD,
    directBeforeMs: STORE_TIME_MS * 2,
    membersBeforeMs: STORE_TIME_MS * 2,
    deliveriesBeforeMs: STORE_TIME_MS * 2,
  };
  const retain = (decisionsBeforeMs: number): void => {
    while (store.run({ verb: "retain", row: { ...old, decisionsBeforeMs } }).dropped > 0);
  };
  retain(0);
  assert.deepEqual(rows(store.path, "select place from conversation"), []);
  assert.equal(store.read.explain(row.event.id)?.decision.place, row.event.place);
  retain(STORE_TIME_MS * 2);
  assert.deepEqual(rows(store.path, places), [{ id: row.event.place }], "the row that waits names it");
  store.run({
    verb: "close",
    row: { inbox: row.inbox.id, turn: null, end: "cancelled", reason: "test", atMs: STORE_TIME_MS, record: null },
  });
  retain(STORE_TIME_MS * 2);
  assert.deepEqual(rows(store.path, places), []);
});

test("V2 what a verb that failed had counted, and every number it had given, goes with it; the rest of its batch stands", (context) => {
  const folder = mkdtempSync(join(scratchRoot(), "troupe-numbers-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = prepareStateFolder(folder);
  const writer = new Writer({ path, owner: "o-test", nowMs: STORE_TIME_MS, maxPageCount: null });
  const [first, second] = [heard({ number: 1 }), heard({ number: 2 })];
  // Its own id is taken, which shows only after its place has been given a number.
  const broken = { ...second, event: { ...second.event, id: first.event.id }, decision: first.decision, inbox: first.inbox };
  const elsewhere = heard({ number: 3, person: 5 });
  const brokenElsewhere = {
    ...elsewhere,
    event: { ...elsewhere.event, id: first.event.id },
    decision: { ...elsewhere.decision, id: first.event.id },
    inbox: { ...elsewhere.inbox, id: first.event.id },
  };
  const outcomes = writer.commit([
    { verb: "hear", row: first },
    { verb: "start", row: startRow(first) },
    { verb: "hear", row: brokenElsewhere },
    { verb: "hear", row: broken },
    { verb: "hear", row: elsewhere },
    { verb: "start", row: { ...startRow(elsewhere), inbox: parseMessageId("m-unknown") } },
  ]);
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ["done", "done", "fault", "fault", "done", "done"],
  );
  writer.close();
  const named = "select count(*) as n from event join place on place.n = event.place";
  assert.deepEqual(rows(path, named), [{ n: 2 }], "no row names a place that was taken back");
  assert.deepEqual(rows(path, "select sum(amount) as n from budget"), [{ n: 1 }], "only the turn that began is paid");
});
