import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { NOTHING_OLD, STORE_TIME_MS, decisionRow, heard, messageIdOf } from "../../../testing/store-rows.ts";
import type { HeardRow } from "../../../testing/store-rows.ts";
import { openDirectStore } from "../../../testing/store-writer.ts";
import { MAX_CONVERSATIONS, MAX_DROPPED_ROWS } from "./retain-verb.ts";

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
    ...NOTHING_OLD,
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
  const row = { ...NOTHING_OLD, decisionsBeforeMs: STORE_TIME_MS + 1 };
  const dropped = [1, 2, 3].map(() => store.run({ verb: "retain", row }).dropped);
  // The place goes with the last row that names it.
  assert.deepEqual(dropped, [MAX_DROPPED_ROWS, 11, 0]);
});

test("TR-052 a delivery is remembered as long as its line is there", () => {
  using store = openDirectStore();
  store.run({ verb: "hear", row: heard({ number: 1 }) });
  assert.equal(store.run({ verb: "retain", row: { ...NOTHING_OLD, deliveriesBeforeMs: STORE_TIME_MS + 1 } }).dropped, 0);
  assert.deepEqual(store.run({ verb: "hear", row: heard({ number: 1 }) }), { kind: "duplicate", id: messageIdOf(1) });
});

test("MC-070 over 4,096 conversations the least recently used go, whole, and a line on its way stays", () => {
  using store = openDirectStore();
  // Half of the table is the guests' (SE-090).
  const GUESTS = MAX_CONVERSATIONS / 2;
  const extra = 300;
  using db = new DatabaseSync(store.path);
  const rows = (sql: string): unknown[] =>
    db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  db.exec(
    `with recursive c(i) as (select 1 union all select i + 1 from c where i < ${GUESTS + extra})
     insert into place(id, used_at_ms) select 'direct:mirelle:room:p' || i, ${STORE_TIME_MS} + i from c;
     insert into conversation select n, 2, used_at_ms, 0, 0, 0 from place;
     insert into event(id, place, seq, at_ms, author_kind, author, author_name, body, action, state, witnesses, audience, influence)
       select 'm-x' || seqs.column1 || '-' || substr(id, 22), n, seqs.column1, ${STORE_TIME_MS}, 'person', 'room:ann', 'Ann', 'x', '',
         case when id = 'direct:mirelle:room:p7' then 'pending' else 'said' end, '[]', '[]', '[]'
       from place, (values (1), (2)) as seqs`,
  );
  while (store.run({ verb: "retain", row: NOTHING_OLD }).dropped > 0);
  const left = rows(
    "select count(distinct place) as places, count(*) as lines, min(cast(substr(place.id, 22) as integer)) as oldest from event join place on place.n = event.place",
  );
  assert.deepEqual(left, [{ places: GUESTS + 1, lines: 2 * (GUESTS + 1), oldest: 7 }]);
  assert.deepEqual(
    rows(`select count(*) as gone from event join place on place.n = event.place where place.id = 'direct:mirelle:room:p${extra}'`),
    [{ gone: 0 }],
  );
  assert.deepEqual(
    rows(`select count(*) as kept from event join place on place.n = event.place where place.id = 'direct:mirelle:room:p${extra + 1}'`),
    [{ kept: 2 }],
  );
});

test("SE-090 conversations of room guests push out only each other's", () => {
  using store = openDirectStore();
  using db = new DatabaseSync(store.path);
  db.exec(
    `insert into place(id, used_at_ms) values ('direct:mirelle:local:owner', ${STORE_TIME_MS - 1}), ('public:inn', ${STORE_TIME_MS - 1});
     with recursive c(i) as (select 1 union all select i + 1 from c where i < ${MAX_CONVERSATIONS})
       insert into place(id, used_at_ms) select 'direct:mirelle:room:p' || i, ${STORE_TIME_MS} + i from c;
     insert into conversation select n, 1, used_at_ms, 0, 0, 0 from place;
     insert into event(id, place, seq, at_ms, author_kind, author, author_name, body, action, state, witnesses, audience, influence)
       select 'm-x' || n, n, 1, ${STORE_TIME_MS}, 'person', 'room:ann', 'Ann', 'x', '', 'said', '[]', '[]', '[]' from place`,
  );
  while (store.run({ verb: "retain", row: NOTHING_OLD }).dropped > 0);
  const left = db
    .prepare(
      "select place.id from event join place on place.n = event.place where place.id in ('direct:mirelle:local:owner', 'public:inn') order by 1",
    )
    .all()
    .map((row) => row["id"]);
  assert.deepEqual(left, ["direct:mirelle:local:owner", "public:inn"]);
});
