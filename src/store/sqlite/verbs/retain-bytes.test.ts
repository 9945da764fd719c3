import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import fc from "fast-check";
import { NOTHING_OLD, STORE_TIME_MS, answerRow, heard, personOf, settleRow, startRow } from "../../../testing/store-rows.ts";
import type { HeardRow } from "../../../testing/store-rows.ts";
import type { DirectStore } from "../../../testing/store-writer.ts";
import { openDirectStore } from "../../../testing/store-writer.ts";
import { parseCharacterId } from "../../../vocabulary/ids.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { RetentionRow } from "../../store.ts";
import { connectReader } from "../file/connect.ts";
import { MAX_AMBIENT_BYTES, MAX_CONVERSATION_BYTES, MAX_MEMORY_BYTES } from "./retain-verb.ts";
import { LINE_BYTES } from "../rows/line-bytes.ts";
import { MIGRATIONS, migrate } from "../file/schema.ts";
import { Statements } from "../rows/statements.ts";

const MEBI = 1_048_576;
const WEIGHT = `octet_length(body) + octet_length(action) + ${LINE_BYTES}`;

interface Place {
  readonly id: string;
  readonly lines: number;
  readonly bytes: number;
  readonly touchedMs?: number;
  readonly author?: string;
  readonly ambient?: boolean;
}

let serial = 0;

/** Put lines of a place in as if they had been said: `bytes` of words in each. */
function fill(store: DirectStore, { id, lines, bytes, touchedMs = 0, author = "room:ann", ambient = false }: Place): void {
  using db = new DatabaseSync(store.path);
  const witnesses = ambient ? "[]" : '["mirelle"]';
  const weight = lines * (bytes + LINE_BYTES);
  db.prepare("insert into place(id, used_at_ms) values (?, ?) on conflict do nothing").run(id, STORE_TIME_MS);
  const place = Number(db.prepare("select n from place where id = ?").get(id)?.["n"]);
  const first = Number(db.prepare("select coalesce(max(seq), 0) as last from event where place = ?").get(place)?.["last"] ?? 0);
  db.prepare(
    `insert into conversation(place, seq, touched_at_ms, exchanged_at_ms, bytes, ambient_bytes) values (?, ?, ?, 0, ?, ?) on conflict(place) do update
       set seq = seq + excluded.seq, touched_at_ms = excluded.touched_at_ms, bytes = bytes + excluded.bytes, ambient_bytes = ambient_bytes + excluded.ambient_bytes`,
  ).run(place, lines, STORE_TIME_MS + touchedMs, weight, ambient ? weight : 0);
  db.prepare(
    `with recursive c(i) as (select 1 union all select i + 1 from c where i < ?)
     insert into event(id, place, seq, at_ms, author_kind, author, author_name, body, action, state, witnesses, audience, influence)
     select 'm-y' || ? || 'z' || i, ?, ? + i, ?, 'person', ?, 'Ann', printf('%0*d', ?, i), '', 'said', ?, '[]', '[]' from c`,
  ).run(lines, String((serial += 1)), place, first, STORE_TIME_MS, author, bytes, witnesses);
}

function all(store: DirectStore, sql: string): readonly Readonly<Record<string, unknown>>[] {
  using db = connectReader(store.path);
  return db
    .prepare(sql)
    .all()
    .map((row) => ({ ...row }));
}

function retainAll(store: DirectStore, row: RetentionRow = NOTHING_OLD): void {
  while (store.run({ verb: "retain", row }).dropped > 0);
}

/** Every place that weighs itself wrong. */
const wrong = (store: DirectStore): readonly unknown[] =>
  all(
    store,
    `select place, bytes, ambient_bytes, w, a from (select place, bytes, ambient_bytes,
       (select coalesce(sum(${WEIGHT}), 0) from event where event.place = conversation.place) as w,
       (select coalesce(sum(${WEIGHT}), 0) from event where event.place = conversation.place and witnesses = '[]') as a from conversation)
     where bytes <> w or ambient_bytes <> a`,
  );

test("MC-070 conversations together stay within their bytes: the least recently used go first, whole, and guests' push out only guests'", () => {
  using store = openDirectStore();
  const each = 3.5 * MEBI;
  const lines = 56;
  for (let at = 0; at < 12; at += 1)
    fill(store, { id: `direct:mirelle:room:p${at}`, lines, bytes: each / lines - LINE_BYTES, touchedMs: at });
  for (const [id, touchedMs] of [
    ["direct:mirelle:local:owner", -9],
    ["direct:mirelle:discord:7", -8],
    ["public:inn", -7],
    ["direct:mirelle:room:invited", -6],
  ] as const)
    fill(store, { id, lines, bytes: each / lines - LINE_BYTES, touchedMs });
  using db = new DatabaseSync(store.path);
  db.prepare(
    `insert into invite(id, surface, name, folded_name, code_hash, by_person, at_ms, expires_at_ms, member, claim_hash, redeemed_at_ms)
     values ('i-1', 'inn', 'I', 'i', ?, 'local:owner', 0, ?, 'room:invited', ?, 1)`,
  ).run("0".repeat(64), STORE_TIME_MS * 2, "1".repeat(64));
  retainAll(store);
  const left = all(
    store,
    "select place.id as place, count(*) as lines from event join place on place.n = event.place group by 1 order by 1",
  );
  assert.deepEqual(
    left.map(({ place }) => place),
    [
      "direct:mirelle:discord:7",
      "direct:mirelle:local:owner",
      ...[10, 11, 3, 4, 5, 6, 7, 8, 9].map((at) => `direct:mirelle:room:p${at}`).toSpliced(0, 0, "direct:mirelle:room:invited"),
      "public:inn",
    ],
  );
  assert.ok(
    left.every((row) => row["lines"] === lines),
    "whole",
  );
  assert.ok(9 * each <= MAX_MEMORY_BYTES / 2 && 10 * each > MAX_MEMORY_BYTES / 2);
  assert.deepEqual(wrong(store), []);
});

test("MC-070 one conversation stays within its bytes: its oldest lines go, and no other's", () => {
  using store = openDirectStore();
  fill(store, { id: "public:inn", lines: 100, bytes: 65_280 });
  fill(store, { id: "public:garden", lines: 10, bytes: 100 });
  retainAll(store);
  const [inn] = all(
    store,
    "select min(seq) as first, max(seq) as last, sum(octet_length(body)) as bytes from event join place on place.n = event.place where place.id = 'public:inn'",
  );
  assert.deepEqual([inn?.["first"], inn?.["last"]], [100 - MAX_CONVERSATION_BYTES / 65_536 + 1, 100]);
  assert.deepEqual(all(store, "select count(*) as n from event join place on place.n = event.place where place.id = 'public:garden'"), [
    { n: 10 },
  ]);
});

test("SE-090 MC-070 a guest's talk to nobody pushes out only that guest's, a crowd's only such talk, and what a character heard stays", () => {
  using store = openDirectStore();
  const heardLines: Place = { id: "public:inn", lines: 40, bytes: 1_000 };
  fill(store, heardLines);
  fill(store, { id: "public:inn", lines: 20, bytes: 500, author: "room:ben", ambient: true });
  fill(store, { id: "public:inn", lines: 400, bytes: 8_000, author: "room:flood", ambient: true });
  retainAll(store);
  const kept = (author: string): unknown => all(store, `select count(*) as n from event where author = '${author}'`)[0]?.["n"];
  assert.deepEqual([kept("room:ann"), kept("room:ben")], [40, 20]);
  assert.equal(kept("room:flood"), Math.floor(MAX_AMBIENT_BYTES.person / (8_000 + LINE_BYTES)));
  for (let guest = 0; guest < 20; guest += 1)
    fill(store, { id: "public:inn", lines: 15, bytes: 8_000, author: `room:g${guest}`, ambient: true });
  retainAll(store);
  assert.equal(kept("room:ann"), 40);
  const [ambient] = all(store, `select sum(${WEIGHT}) as bytes from event where witnesses = '[]'`);
  assert.ok(Number(ambient?.["bytes"]) <= MAX_AMBIENT_BYTES.place && Number(ambient?.["bytes"]) > MAX_AMBIENT_BYTES.place - 9_000);
  assert.equal(kept("room:g19"), 15, "the newest stay");
  assert.deepEqual(wrong(store), []);
});

test("MC-070 a place's weight is right after whatever is said, answered, erased or dropped", () => {
  const step = fc.record({
    act: fc.constantFrom("hear", "ambient", "answer", "forget", "retain"),
    person: fc.integer({ min: 1, max: 3 }),
    text: fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
    open: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
      using store = openDirectStore();
      for (const [number, { act, person, text, open }] of steps.entries()) {
        const row = heard({ number, person, public: open, text, atMs: STORE_TIME_MS + number });
        if (act === "retain") retainAll(store, { ...NOTHING_OLD, directBeforeMs: STORE_TIME_MS + number / 2 });
        else if (act === "forget") forget(store, person, number);
        else store.run({ verb: "hear", row: act === "ambient" ? { ...row, inbox: null, event: { ...row.event, witnesses: [] } } : row });
        if (act === "answer") answer(store, row);
        assert.deepEqual(wrong(store), []);
      }
    }),
    { numRuns: 6 },
  );
});

function answer(store: DirectStore, row: HeardRow): void {
  const answered = answerRow(row);
  store.run({ verb: "start", row: startRow(row) });
  store.run({ verb: "answer", row: { ...answered, event: { ...answered.event, action: "nods" } } });
  store.run({ verb: "settle", row: settleRow(row, 0) });
}

function forget(store: DirectStore, person: number, number: number): void {
  const subject = { person: personOf(person), pseudonym: parsePrincipalId("forgotten:x"), atMs: STORE_TIME_MS + number };
  for (let after: number | null = 0; after !== null;)
    after = store.run({ verb: "forgetSlice", row: { ...subject, keep: null, dryRun: false, table: "event", after } }).next;
}

test("MC-070 a database of an earlier version learns what its conversations weigh", () => {
  using db = new DatabaseSync(":memory:");
  const sql = new Statements(db);
  const before = MIGRATIONS.findIndex((one) => one.sql.includes("ambient_bytes"));
  migrate(sql, MIGRATIONS.slice(0, before));
  db.exec(
    `insert into place(id, seq, touched_at_ms) values ('public:inn', 2, 0), ('public:empty', 0, 0);
     insert into event(id, place, seq, at_ms, author_kind, author, author_name, body, action, state, witnesses, audience, influence) values
       ('m-0001', 'public:inn', 1, 0, 'person', 'room:ann', 'Ann', 'né', 'x', 'said', '["mirelle"]', '[]', '[]'),
       ('m-0002', 'public:inn', 2, 0, 'person', 'room:ann', 'Ann', 'no', '', 'said', '[]', '[]', '[]')`,
  );
  migrate(sql);
  const rows = db.prepare("select id, bytes, ambient_bytes from conversation join place on place.n = conversation.place order by id").all();
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [
      { id: "public:empty", bytes: 0, ambient_bytes: 0 },
      { id: "public:inn", bytes: 6 + 2 * LINE_BYTES, ambient_bytes: 2 + LINE_BYTES },
    ],
  );
});

test("TR-043 TR-091 whom a disclosure reached is known for ninety days, and of a room's guest as long as it is a member", () => {
  using store = openDirectStore();
  const mirelle = parseCharacterId("mirelle");
  using db = new DatabaseSync(store.path);
  const DAY = 86_400_000;
  const tell = db.prepare("insert into told(person, character, turn, at_ms) values (?, 'mirelle', 't-0001', ?)");
  for (const [person, days] of [
    ["discord:1", 91],
    ["discord:2", 89],
    ["room:gone", 2],
    ["room:member", 2],
    ["room:fresh", 0],
  ] as const)
    tell.run(person, STORE_TIME_MS - days * DAY);
  db.prepare("insert into principal(id, surface, name, folded_name, at_ms, seen_at_ms) values ('room:member', 'inn', 'M', 'm', 0, ?)").run(
    STORE_TIME_MS,
  );
  retainAll(store, { ...NOTHING_OLD, membersBeforeMs: STORE_TIME_MS - DAY, toldBeforeMs: STORE_TIME_MS - 90 * DAY });
  const told = ["discord:1", "discord:2", "room:gone", "room:member", "room:fresh"].map((one) =>
    store.read.told(parsePrincipalId(one), mirelle),
  );
  assert.deepEqual(told, [false, true, false, true, true]);
});
