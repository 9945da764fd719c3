import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { STORE_TIME_MS, answerRow, heard, personOf, startRow } from "../../../testing/store-rows.ts";
import type { HeardRow } from "../../../testing/store-rows.ts";
import { openDirectStore } from "../../../testing/store-writer.ts";
import { parseSurfaceName } from "../../../vocabulary/ids.ts";
import { directPlace } from "../../../vocabulary/place.ts";
import type { RecoverRow } from "../../store.ts";

const RECOVER: RecoverRow = { nowMs: STORE_TIME_MS + 60_000, maxInboxAgeMs: 600_000, maxPartAgeMs: 900_000, maxAttempts: 2 };
const ROOM = parseSurfaceName("parlour");

/** Change a row as damage would, behind the store's back. */
function damage(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

test("VS-021 TR-042 an answer that is for one person is on its way to that person's line in every row, also for the next process, which knows where the line was said", () => {
  using store = openDirectStore();
  const said = heard({ number: 1, public: true });
  const line = directPlace(ROOM, said.inbox.character, said.inbox.person);
  const { place: heardIn } = said.inbox;
  const row: HeardRow = { ...said, inbox: { ...said.inbox, place: line, heardIn } };
  store.run({ verb: "hear", row });
  assert.deepEqual(store.read.inbox(row.inbox.id), row.inbox);
  store.restart();
  assert.deepEqual(
    store.recover(RECOVER).recovery.open.map(({ place, heardIn: where, trigger }) => [place, where, trigger.text]),
    [[line, heardIn, "line 1"]],
  );
  assert.equal(store.run({ verb: "start", row: startRow(row, 1) }).started, true);
  const whole = answerRow(row, 2);
  store.run({ verb: "answer", row: { ...whole, event: { ...whole.event, place: line.id } } });
  store.restart();
  const { sending, queued } = store.recover(RECOVER).recovery;
  assert.deepEqual(
    [...sending, ...queued].map(({ place }) => place),
    [line, line],
  );
  assert.deepEqual(
    store.read.events(heardIn.id, 10).map(({ text }) => text),
    ["line 1"],
  );
});

test("VS-043 a row of the trust list that cannot be read trusts nobody, and is counted", () => {
  using store = openDirectStore();
  for (const at of [1, 2])
    store.run({ verb: "setTrust", row: { person: personOf(at), pseudonym: personOf(90 + at), role: "trusted", by: personOf(9), atMs: 1 } });
  assert.deepEqual(store.read.trusted(), [personOf(1), personOf(2)]);
  damage(store.path, `pragma ignore_check_constraints = on; update trust set role = 'everyone' where person = '${personOf(1)}'`);
  store.restart();
  assert.deepEqual(store.read.trusted(), [personOf(2)]);
  assert.equal(store.read.trust(personOf(1)), "guest");
  assert.equal(store.read.damagedTrust(), 1);
});
