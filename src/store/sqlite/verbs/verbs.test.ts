import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { sha256Hex } from "../../../foundation/ids.ts";
import {
  NOTHING_OLD,
  RECORD,
  STORE_TIME_MS,
  answerRow,
  decisionRow,
  heard,
  messageIdOf,
  personOf,
  settleRow,
  startRow,
  suppressedRow,
  turnIdOf,
} from "../../../testing/store-rows.ts";
import type { HeardRow } from "../../../testing/store-rows.ts";
import type { DirectStore } from "../../../testing/store-writer.ts";
import { openDirectStore } from "../../../testing/store-writer.ts";
import { parseApprovalId, parseMessageId, parseSurfaceName, partIdOf } from "../../../vocabulary/ids.ts";
import { SEALED } from "../../../vocabulary/label.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { MemberRow } from "../../guest-store.ts";
import type { CloseRow, RecoverRow, SettleRow } from "../../store.ts";
import { MAX_PENDING_APPROVALS } from "./approval-verbs.ts";
import { MAX_DECISIONS } from "./retain-verb.ts";

const RECOVER: RecoverRow = { nowMs: STORE_TIME_MS + 60_000, maxInboxAgeMs: 600_000, maxPartAgeMs: 900_000, maxAttempts: 2 };
const ROOM = parseSurfaceName("parlour");

const hear = (store: DirectStore, row: HeardRow) => store.run({ verb: "hear", row });
const start = (store: DirectStore, row: HeardRow, attempt = 1) => store.run({ verb: "start", row: startRow(row, attempt) }).started;
const answer = (store: DirectStore, row: HeardRow, count = 1, attempt = 1) =>
  store.run({ verb: "answer", row: answerRow(row, count, attempt) });
const settle = (store: DirectStore, row: SettleRow) => store.run({ verb: "settle", row }).settled;
const recover = (store: DirectStore, row: Partial<RecoverRow> = {}) => store.recover({ ...RECOVER, ...row }).recovery;
const close = (store: DirectStore, row: HeardRow, how: Partial<CloseRow> = {}) =>
  store.run({
    verb: "close",
    row: { inbox: row.inbox.id, turn: null, end: "failed", reason: "test", atMs: STORE_TIME_MS + 50, record: null, ...how },
  }).closed;

/** Rows of a statement, straight from the file. */
function rows(store: DirectStore, sql: string): unknown[] {
  const db = new DatabaseSync(store.path, { readOnly: true });
  const all = db
    .prepare(sql)
    .all()
    .map((row) => ({ ...row }));
  db.close();
  return all;
}

/** Change a row as damage would, behind the store's back. */
function damage(store: DirectStore, sql: string): void {
  const db = new DatabaseSync(store.path);
  db.exec(sql);
  db.close();
}

/** A message with its turn under way. */
function running(store: DirectStore, number: number, options: Partial<Parameters<typeof heard>[0]> = {}): HeardRow {
  const row = heard({ number, ...options });
  hear(store, row);
  assert.equal(start(store, row), true);
  return row;
}

test("TR-042 TR-052 a known delivery changes nothing and names the first copy, also after its line is gone", () => {
  using store = openDirectStore();
  const first = heard({ number: 1 });
  assert.deepEqual(hear(store, first), { kind: "fresh", seq: 1 });
  const copy = { ...heard({ number: 2 }), event: { ...heard({ number: 2 }).event, delivery: { surface: ROOM, id: "d-1" } } };
  assert.deepEqual(hear(store, copy), { kind: "duplicate", id: first.event.id });
  store.run({ verb: "retain", row: { ...NOTHING_OLD, directBeforeMs: STORE_TIME_MS + 1 } });
  assert.equal(store.read.event(first.event.id), null);
  assert.deepEqual(hear(store, copy), { kind: "duplicate", id: first.event.id });
  assert.equal(store.read.delivered(ROOM, "d-1"), first.event.id);
  assert.equal(store.read.event(copy.event.id), null);
  assert.equal(store.read.inbox(copy.inbox.id), null);
});

test("TR-042 a turn's whole result is one commit, fenced by turn, generation and end", () => {
  using store = openDirectStore();
  const row = running(store, 1);
  assert.deepEqual(answer(store, row, 1, 2), { stored: false, seq: 0 }, "another turn's");
  store.restart();
  assert.deepEqual(answer(store, row), { stored: false, seq: 0 }, "an older generation's");
  assert.deepEqual(
    recover(store).open.map((open) => [open.id, open.attempts]),
    [[row.inbox.id, 1]],
  );
  assert.deepEqual(answer(store, row), { stored: false, seq: 0 }, "not running");
  assert.equal(start(store, row, 2), true);
  assert.deepEqual(answer(store, row, 3, 2), { stored: true, seq: 2 });
  assert.deepEqual(answer(store, row, 3, 2), { stored: false, seq: 0 }, "ended");
  assert.equal(close(store, row), false);
  const line = store.read.event(answerRow(row, 3, 2).event.id);
  assert.deepEqual([line?.state, line?.seq, line?.turn], ["pending", 2, turnIdOf(1, 2)]);
  const told = store.read.explain(row.event.id);
  assert.deepEqual([told?.end, told?.inboxState, told?.attempts, told?.turn?.id], ["answered", "ended", 2, turnIdOf(1, 2)]);
  assert.deepEqual(
    told?.parts.map((part) => part.state),
    ["sending", "queued", "queued"],
  );
});

test("MC-060 TR-059 a fixed notice ends its row as refused or failed, with its reason, and still is said", () => {
  using store = openDirectStore();
  const row = running(store, 1);
  store.run({ verb: "answer", row: { ...answerRow(row), end: "refused", reason: "budget", record: null } });
  settle(store, settleRow(row));
  const told = store.read.explain(row.event.id);
  assert.deepEqual([told?.end, told?.endReason, told?.turn?.record], ["refused", "budget", null]);
  assert.equal(store.read.event(answerRow(row).event.id)?.state, "said");
});

test("TR-042 a row starts at most as often as allowed, and each start is paid once", () => {
  using store = openDirectStore();
  const row = heard({ number: 1 });
  assert.equal(start(store, row), false, "not heard");
  hear(store, row);
  assert.equal(start(store, row), true);
  assert.equal(start(store, row, 2), false, "running");
  store.restart();
  recover(store);
  assert.equal(store.run({ verb: "start", row: { ...startRow(row, 2), maxAttempts: 1 } }).started, false, "started as often as allowed");
  assert.equal(start(store, row, 2), true);
  store.restart();
  assert.deepEqual([recover(store).interrupted, recover(store).interrupted], [1, 0]);
  assert.equal(start(store, row, 3), false, "ended");
  assert.equal(store.read.charged(`calls:person:${row.inbox.person}`, STORE_TIME_MS), 2);
  assert.equal(store.read.charged(`calls:person:${row.inbox.person}`, STORE_TIME_MS + 1), 0);
  assert.deepEqual([store.read.explain(row.event.id)?.end, store.read.explain(row.event.id)?.endReason], ["interrupted", "restart"]);
});

test("TR-042 parts leave in order: a settled part puts exactly its successor on its way", () => {
  using store = openDirectStore();
  const row = running(store, 1);
  answer(store, row, 3);
  const states = (): unknown => store.read.explain(row.event.id)?.parts.map((part) => part.state);
  const part = (index: number, how: Partial<SettleRow> = {}): SettleRow => ({ ...settleRow(row, index, 3), ...how });
  assert.equal(settle(store, part(0, { next: partIdOf(turnIdOf(1), 2) })), false, "skips one");
  assert.equal(settle(store, part(0, { next: partIdOf(turnIdOf(2), 1) })), false, "another turn's");
  assert.equal(settle(store, part(1)), false, "waits, and was not sent");
  assert.equal(settle(store, part(0, { rest: "cancelled" })), false, "the rest cannot both go on and be given up");
  assert.deepEqual(states(), ["sending", "queued", "queued"]);
  assert.equal(settle(store, part(0)), true);
  assert.deepEqual(states(), ["delivered", "sending", "queued"]);
  assert.equal(settle(store, part(0)), false, "settled");
  assert.equal(settle(store, part(1, { state: "failed", reason: "gone", next: null, rest: "cancelled" })), true);
  assert.deepEqual(states(), ["delivered", "failed", "cancelled"]);
  assert.equal(store.read.event(answerRow(row).event.id)?.state, "said");
});

test("TR-042 a part that waits is claimed only when it is the next, and may be given up without being sent", () => {
  using store = openDirectStore();
  const row = running(store, 1);
  answer(store, row, 3);
  const part = (index: number) => partIdOf(turnIdOf(1), index);
  const claim = (index: number) => store.run({ verb: "claim", row: { part: part(index), atMs: STORE_TIME_MS } }).claimed;
  assert.equal(claim(1), false, "one is on its way");
  assert.equal(settle(store, { ...settleRow(row, 0, 3), next: null }), true);
  assert.equal(store.read.event(answerRow(row).event.id)?.state, "pending");
  assert.equal(claim(2), false, "not the next");
  assert.equal(claim(1), true);
  assert.equal(claim(1), false, "claimed");
  assert.equal(settle(store, { ...settleRow(row, 2, 3), state: "expired" }), true);
  assert.equal(settle(store, { ...settleRow(row, 1, 3), next: null }), true);
  assert.deepEqual(store.read.counts().parts, { queued: 0, sending: 0 });
  assert.equal(store.read.event(answerRow(row).event.id)?.state, "said");
});

test("TR-040 TR-042 the line is said when a part arrived or may have, else unsaid, and each body goes when its part is settled", () => {
  using store = openDirectStore();
  const cases = [
    { states: ["delivered", "failed"], line: "said" },
    { states: ["failed", "unknown"], line: "said" },
    { states: ["failed", "expired"], line: "unsaid" },
    { states: ["cancelled", "failed"], line: "unsaid" },
  ] as const;
  cases.forEach(({ states, line }, number) => {
    const row = running(store, number);
    answer(store, row, 2);
    settle(store, { ...settleRow(row, 0, 2), state: states[0] });
    assert.equal(store.read.event(answerRow(row).event.id)?.state, "pending");
    assert.deepEqual(rows(store, "select idx from part where body <> ''"), [{ idx: 1 }]);
    settle(store, { ...settleRow(row, 1, 2), state: states[1] });
    assert.equal(store.read.event(answerRow(row).event.id)?.state, line);
    assert.deepEqual(rows(store, "select count(*) as n from part where body <> ''"), [{ n: 0 }]);
  });
});

test("a row that ends without a reply ends once, keeps its reason and lets its words go", () => {
  using store = openDirectStore();
  const row = running(store, 1);
  assert.equal(close(store, row, { turn: turnIdOf(2) }), false, "another turn's");
  assert.equal(close(store, row, { turn: turnIdOf(1), end: "silent", reason: "chose_silence", record: RECORD }), true);
  assert.equal(close(store, row), false);
  assert.equal(start(store, row, 2), false);
  const told = store.read.explain(row.event.id);
  assert.deepEqual(
    [told?.end, told?.endReason, told?.turn?.record, told?.turn?.endedAtMs],
    ["silent", "chose_silence", RECORD, STORE_TIME_MS + 50],
  );
  assert.deepEqual(rows(store, "select trigger_text, trigger_name from inbox"), [{ trigger_text: null, trigger_name: null }]);
  const waiting = heard({ number: 3 });
  hear(store, waiting);
  assert.equal(close(store, waiting, { end: "cancelled" }), true);
  assert.equal(store.read.explain(waiting.event.id)?.turn, null);
});

const QUESTION = { digest: sha256Hex("call"), call: '{"tool":"send"}', state: '{"step":2}', expiresAtMs: STORE_TIME_MS + 300_000 };
const approvalOf = (number: number) => parseApprovalId(`a-${String(number).padStart(6, "0")}`);

/** Put a running message aside. */
function suspend(store: DirectStore, row: HeardRow, number: number, attempt = 1): boolean {
  return store.run({
    verb: "suspend",
    row: {
      turn: turnIdOf(number, attempt),
      inbox: row.inbox.id,
      approval: approvalOf(number),
      question: QUESTION,
      person: personOf(9),
      atMs: STORE_TIME_MS + 20,
    },
  }).suspended;
}

const RESUMED = parseMessageId("m-resumed1");
const answerOf = (number: number, how = {}) =>
  ({
    verb: "resume",
    row: {
      approval: approvalOf(number),
      digest: QUESTION.digest,
      person: personOf(9),
      answer: "yes",
      atMs: STORE_TIME_MS + 100,
      inbox: RESUMED,
      ...how,
    },
  }) as const;

test("SE-084 a question is answered once, by its person, for its digest, in time", () => {
  using store = openDirectStore();
  const row = running(store, 1);
  assert.equal(suspend(store, row, 1, 2), false, "another turn's");
  assert.equal(suspend(store, row, 1), true);
  assert.equal(suspend(store, row, 1), false, "suspended");
  assert.deepEqual(store.read.pendingApproval(approvalOf(1)), {
    digest: QUESTION.digest,
    person: personOf(9),
    call: QUESTION.call,
    expiresAtMs: QUESTION.expiresAtMs,
  });
  for (const wrong of [
    { digest: sha256Hex("other") },
    { person: personOf(1) },
    { approval: approvalOf(2) },
    { atMs: QUESTION.expiresAtMs },
  ])
    assert.deepEqual(store.run(answerOf(1, wrong)), { resumed: false });
  assert.equal(store.read.inbox(RESUMED), null);
  assert.deepEqual(store.run(answerOf(1)), { resumed: true });
  assert.deepEqual(store.run(answerOf(1, { inbox: parseMessageId("m-resumed2") })), { resumed: false });
  assert.equal(store.read.pendingApproval(approvalOf(1)), null);
  const resumed = store.read.inbox(RESUMED);
  assert.deepEqual(resumed, {
    ...row.inbox,
    id: RESUMED,
    kind: "resume",
    atMs: STORE_TIME_MS + 100,
    resumed: { state: QUESTION.state, answer: "yes" },
  });
});

test("TR-007 TR-042 a message that was put aside ends with the row that goes on from it, in the same way and once", () => {
  using store = openDirectStore();
  const row = running(store, 1);
  suspend(store, row, 1);
  store.run(answerOf(1));
  assert.equal(close(store, row), false, "its fate is the resumed row's");
  store.restart();
  assert.deepEqual(
    recover(store).open.map((open) => [open.id, open.kind, open.resumed?.answer]),
    [[RESUMED, "resume", "yes"]],
  );
  const again = { ...row, inbox: { ...row.inbox, id: RESUMED } };
  store.run({ verb: "start", row: { ...startRow(row, 2), inbox: RESUMED } });
  assert.deepEqual(store.run({ verb: "answer", row: { ...answerRow(row, 1, 2), inbox: RESUMED } }), { stored: true, seq: 2 });
  for (const id of [row.event.id, RESUMED]) {
    const told = store.read.explain(id);
    assert.deepEqual([told?.decision.id, told?.inboxState, told?.end, told?.turn?.id], [row.event.id, "ended", "answered", turnIdOf(1, 2)]);
    assert.equal(told?.parts.length, 1);
  }
  assert.equal(close(store, again), false);
  assert.deepEqual(rows(store, "select count(*) as n from inbox where resumed_state is not null or trigger_text <> ''"), [{ n: 0 }]);
});

test("TR-042 a question that is cancelled or runs out ends its message", () => {
  using store = openDirectStore();
  const [cancelled, late, waiting] = [1, 2, 3].map((number) => {
    const row = running(store, number);
    suspend(store, row, number);
    return row;
  });
  assert.ok(cancelled && late && waiting);
  assert.equal(close(store, cancelled, { end: "cancelled" }), true);
  assert.deepEqual(store.run(answerOf(1)), { resumed: false });
  damage(store, `update approval set expires_at_ms = ${RECOVER.nowMs} where id = '${approvalOf(2)}'`);
  store.restart();
  const recovery = recover(store, { maxInboxAgeMs: 1 });
  assert.deepEqual([recovery.expired, recovery.open], [1, []]);
  assert.equal(store.read.explain(late.event.id)?.end, "expired");
  assert.equal(store.read.explain(waiting.event.id)?.inboxState, "suspended");
  assert.deepEqual(store.run(answerOf(3)), { resumed: true });
});

test("MC-040 no more than 4,096 questions wait", () => {
  using store = openDirectStore();
  const row = running(store, 1);
  damage(
    store,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MAX_PENDING_APPROVALS})
     insert into approval(id, inbox, turn, digest, call, state_json, person, state, created_at_ms, expires_at_ms, settled_at_ms)
       select 'a-x' || i, null, 't-none', '', '', '', 'local:owner', 'pending', 0, 0, null from n`,
  );
  assert.equal(suspend(store, row, 1), false);
  assert.equal(store.read.pendingApproval(approvalOf(1)), null);
  assert.equal(store.read.explain(row.event.id)?.inboxState, "running");
  damage(store, "update approval set state = 'expired' where id = 'a-x1'");
  assert.equal(suspend(store, row, 1), true);
});

test("TR-042 TR-044 recovery: parts in order of place, line and index; what is too old is closed; twice changes nothing", () => {
  using store = openDirectStore();
  const made = [5, 6, 7].map((number) => running(store, number, { person: 9 - number }));
  const old = running(store, 8, { atMs: STORE_TIME_MS - 2_000_000 });
  for (const row of [...made.toReversed(), old]) answer(store, row, 2);
  const stale = heard({ number: 20, atMs: STORE_TIME_MS - 700_000 });
  const staleRunning = running(store, 21, { atMs: STORE_TIME_MS - 700_000 });
  hear(store, stale);
  const waiting = heard({ number: 22 });
  hear(store, waiting);
  store.restart();
  const recovery = recover(store);
  const turns = [turnIdOf(7), turnIdOf(6), turnIdOf(5)];
  assert.deepEqual(
    recovery.sending.map((part) => part.id),
    turns.map((turn) => partIdOf(turn, 0)),
  );
  assert.deepEqual(
    recovery.queued.map((part) => part.id),
    turns.map((turn) => partIdOf(turn, 1)),
  );
  assert.deepEqual(recovery.sending[2], answerRow(made[0] ?? waiting, 2).parts[0]);
  assert.deepEqual(recovery.open, [{ ...waiting.inbox, attempts: 0 }]);
  assert.deepEqual([recovery.expired, recovery.interrupted], [2, 0]);
  for (const row of [stale, staleRunning]) assert.equal(store.read.explain(row.event.id)?.end, "expired");
  // It was on its way when the process died, so people may have it: it counts as said, and is never sent again.
  assert.deepEqual(
    store.read.explain(old.event.id)?.parts.map((part) => [part.state, part.reason]),
    [
      ["unknown", "too_old"],
      ["expired", "too_old"],
    ],
  );
  assert.equal(store.read.event(answerRow(old).event.id)?.state, "said");
  const before = rows(store, "select * from inbox union all select * from inbox");
  assert.deepEqual({ ...recover(store), expired: 2 }, recovery);
  assert.deepEqual(rows(store, "select * from inbox union all select * from inbox"), before);
});

test("MC-099 recovery leaves the turns of its own generation alone", () => {
  using store = openDirectStore();
  const row = running(store, 1);
  assert.deepEqual(recover(store).open, []);
  assert.deepEqual(answer(store, row), { stored: true, seq: 2 });
});

test("TR-042 recovery settles a line whose parts are all final", () => {
  using store = openDirectStore();
  const row = running(store, 1);
  answer(store, row);
  damage(store, "update part set state = 'delivered', settled_at_ms = 1");
  store.restart();
  recover(store);
  assert.equal(store.read.event(answerRow(row).event.id)?.state, "said");
  assert.deepEqual(rows(store, "select body, action from part"), [{ body: null, action: null }]);
});

test("TR-085 a row that cannot be read is set aside and counted; the rest goes on", () => {
  using store = openDirectStore();
  const [bad, good] = [heard({ number: 1 }), heard({ number: 2 })];
  hear(store, bad);
  hear(store, good);
  const sent = running(store, 3);
  answer(store, sent);
  damage(
    store,
    `update inbox set role = 'king' where n = (select n from event where id = '${bad.inbox.id}'); update inbox set surface = '?' where state = 'ended'`,
  );
  store.restart();
  const { recovery, setAside } = store.recover(RECOVER);
  assert.deepEqual([recovery.open.map((row) => row.id), recovery.sending, setAside], [[good.inbox.id], [], 2]);
  assert.deepEqual([store.read.explain(bad.event.id)?.end, store.read.explain(bad.event.id)?.endReason], ["failed", "unreadable"]);
  assert.equal(store.read.event(answerRow(sent).event.id)?.state, "unsaid");
});

test("TR-085 a damaged row is the fault of the verb that meets it, and the store goes on", () => {
  using store = openDirectStore();
  hear(store, heard({ number: 1 }));
  damage(store, "update event set id = '?'");
  assert.throws(() => hear(store, heard({ number: 1 })), { code: "invalid_argument" });
  assert.equal(store.read.delivered(ROOM, "d-1"), null);
  assert.equal(hear(store, heard({ number: 2 })).kind, "fresh");
});

test("TR-030 an item whose labels are missing or malformed is sealed as a whole", () => {
  using store = openDirectStore();
  const row = heard({ number: 1, public: true });
  hear(store, row);
  const good = store.read.event(row.event.id);
  assert.deepEqual({ ...good, seq: 0 }, row.event);
  for (const column of ["witnesses", "audience", "influence"])
    for (const text of ["", "null", "{}", '["anyone", 1]', '["Anyone"]', '["person:nobody"]', "[", '["place:elsewhere"]']) {
      damage(store, `update event set ${column} = '${text}' where id = '${row.event.id}'`);
      const read = store.read.event(row.event.id);
      assert.deepEqual({ witnesses: read?.witnesses, audience: read?.audience, influence: read?.influence }, SEALED, `${column} ${text}`);
      damage(store, `update event set witnesses = '["mirelle"]', audience = '["place:public:parlour"]', influence = '["room:person0"]'`);
      assert.deepEqual({ ...store.read.event(row.event.id), seq: 0 }, row.event);
    }
});

test("TR-003 a sender's suppressed messages beyond ten a minute share a row that counts them", () => {
  using store = openDirectStore();
  const note = (number: number, options: { person?: number; atMs?: number } = {}) =>
    store.run({ verb: "note", row: suppressedRow({ number, ...options }) });
  const minute = STORE_TIME_MS - (STORE_TIME_MS % 60_000);
  for (let number = 0; number < 50; number += 1) note(number, { atMs: minute + number * 1_000 });
  note(60, { person: 1, atMs: minute });
  note(61, { atMs: minute + 60_000 });
  store.run({ verb: "note", row: decisionRow({ number: 62, atMs: minute }) });
  note(0, { atMs: minute });
  const kept = rows(
    store,
    "select person, minute, outcome, count(*) as n, sum(count) as total from decision group by 1, 2, 3 order by n desc, 1, 2",
  );
  assert.deepEqual(kept, [
    { person: "room:person0", minute: minute / 60_000, outcome: "suppressed", n: 11, total: 50 },
    { person: "room:person0", minute: null, outcome: "admitted", n: 1, total: 1 },
    { person: "room:person0", minute: minute / 60_000 + 1, outcome: "suppressed", n: 1, total: 1 },
    { person: "room:person1", minute: minute / 60_000, outcome: "suppressed", n: 1, total: 1 },
  ]);
  assert.equal(store.read.explain(messageIdOf(10))?.count, 40);
  assert.equal(store.read.explain(messageIdOf(9))?.count, 1);
});

test("TR-003 a line that shares a decision is explained by it", () => {
  using store = openDirectStore();
  for (let number = 0; number < 14; number += 1)
    store.run({ verb: "hear", row: { ...heard({ number, public: true }), decision: suppressedRow({ number }), inbox: null } });
  assert.deepEqual([store.read.explain(messageIdOf(13))?.decision.id, store.read.explain(messageIdOf(13))?.count], [messageIdOf(10), 4]);
  assert.equal(store.read.explain(messageIdOf(99)), null);
});

test("TR-003 SE-094 an explanation holds ids, codes and counts, and no words", () => {
  using store = openDirectStore();
  const row = running(store, 1, { text: "the canary sings" });
  store.run({
    verb: "answer",
    row: { ...answerRow(row, 2), parts: answerRow(row, 2).parts.map((part) => ({ ...part, body: "canary", action: "canary" })) },
  });
  const told = store.read.explain(row.event.id);
  assert.deepEqual(store.read.explain(answerRow(row).event.id), told, "by the id of the answer's line too");
  assert.ok(told !== null && !JSON.stringify(told).includes("canary"));
  assert.deepEqual([told.decision, told.count, told.turn?.record, told.turn?.packet], [row.decision, 1, RECORD, RECORD.packet]);
  assert.deepEqual(told.turn?.gate, [{ code: "secret_redacted", count: 1 }]);
  assert.equal(store.read.spokenBy(turnIdOf(1)), "understudy");
  assert.equal(store.read.spokenBy(turnIdOf(2)), null);
});

test("TR-003 TR-043 retention drops what is old, at most 200,000 decisions stay, and open work never goes", () => {
  using store = openDirectStore();
  const done = running(store, 1, { public: true });
  answer(store, done);
  const open = running(store, 2);
  const everything = STORE_TIME_MS + 1_000_000;
  const talk = { publicBeforeMs: everything, directBeforeMs: everything, deliveriesBeforeMs: everything };
  const all = { ...NOTHING_OLD, ...talk, decisionsBeforeMs: everything, membersBeforeMs: everything, toldBeforeMs: everything };
  store.run({ verb: "retain", row: { ...NOTHING_OLD, publicBeforeMs: everything } });
  assert.equal(store.read.event(done.event.id), null);
  assert.equal(store.read.event(answerRow(done).event.id)?.state, "pending", "its part is on its way");
  assert.ok(store.read.event(open.event.id));
  store.run({ verb: "retain", row: all });
  assert.equal(rows(store, "select * from part").length, 1);
  assert.equal(rows(store, "select * from turns").length, 2);
  assert.equal(settle(store, settleRow(done)), true);
  store.run({ verb: "retain", row: all });
  assert.deepEqual(rows(store, "select id from inboxes"), [{ id: open.inbox.id }]);
  assert.equal(rows(store, "select * from part union all select * from part").length, 0);
  assert.deepEqual(rows(store, "select id from turns"), [{ id: turnIdOf(2) }]);
  assert.equal(rows(store, "select id from event").length, 0);
  damage(
    store,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MAX_DECISIONS} + 7)
     insert into decision(id, at_ms, surface, place, person, outcome, gate, rule, config_key, minute, shared, count)
     select 'm-x' || i, ${everything}, 'parlour', (select min(n) from place), 'room:x', 'admitted', '', '', '', 0, 0, 1 from n`,
  );
  assert.equal(store.run({ verb: "retain", row: NOTHING_OLD }).dropped, 7);
  assert.equal(store.run({ verb: "retain", row: NOTHING_OLD }).dropped, 0);
  assert.deepEqual(rows(store, "select count(*) as n, min(id) = 'm-x10' as oldest_went from decision where id <= 'm-x10'"), [
    { n: 1, oldest_went: 1 },
  ]);
  assert.deepEqual(rows(store, "select count(*) as n from decision"), [{ n: MAX_DECISIONS }]);
});

const memberRow = (number: number, how: Partial<MemberRow> = {}): MemberRow => ({
  id: personOf(number),
  surface: ROOM,
  name: `Person ${number}`,
  foldedName: `person ${number}`,
  secretHash: sha256Hex(`secret ${number}`),
  atMs: STORE_TIME_MS,
  ...how,
});

test("SE-087 a folded name belongs to one member of a surface; a member is renewed, found by secret hash, and goes when idle", () => {
  using store = openDirectStore();
  const admit = (row: MemberRow) => store.run({ verb: "admitMember", row }).admitted;
  assert.equal(admit(memberRow(1)), true);
  assert.equal(admit(memberRow(1)), true, "renewed under its own name");
  assert.equal(admit(memberRow(2, { foldedName: "person 1" })), false);
  assert.equal(store.read.member(personOf(2)), null);
  assert.equal(admit(memberRow(2, { foldedName: "person 1", surface: parseSurfaceName("yard") })), true);
  assert.equal(admit(memberRow(1, { name: "Ann", foldedName: "ann", atMs: STORE_TIME_MS + 5 })), true);
  assert.deepEqual(store.read.memberBySecret(ROOM, sha256Hex("secret 1")), {
    ...memberRow(1, { name: "Ann", foldedName: "ann" }),
    seenAtMs: STORE_TIME_MS + 5,
  });
  assert.equal(store.read.memberBySecret(ROOM, sha256Hex("secret 2")), null, "another surface's");
  assert.equal(admit(memberRow(3, { foldedName: "person 1" })), true, "the old name is free");
  assert.equal(store.run({ verb: "retain", row: { ...NOTHING_OLD, membersBeforeMs: STORE_TIME_MS + 1 } }).dropped, 2);
  assert.deepEqual([store.read.member(personOf(1))?.name, store.read.member(personOf(3))], ["Ann", null]);
});

test("SE-087 only the hash of a secret can be stored", () => {
  using store = openDirectStore();
  for (const secretHash of ["the secret itself", "A".repeat(64), "a".repeat(63), ""])
    assert.throws(() => store.run({ verb: "admitMember", row: memberRow(1, { secretHash }) }), { code: "internal" });
  assert.equal(store.run({ verb: "admitMember", row: memberRow(1, { secretHash: null }) }).admitted, true);
  assert.equal(store.read.member(personOf(1))?.secretHash, null);
});

test("TR-085 trust is what the list says; a row that says nothing known counts as guest", () => {
  using store = openDirectStore();
  const trust = (role: "trusted" | "blocked" | "guest") =>
    store.run({
      verb: "setTrust",
      row: { person: personOf(1), pseudonym: parsePrincipalId("forgotten:x"), role, by: personOf(0), atMs: STORE_TIME_MS },
    });
  assert.equal(store.read.trust(personOf(1)), "guest");
  trust("trusted");
  assert.equal(store.read.trust(personOf(1)), "trusted");
  trust("blocked");
  assert.equal(store.read.trust(personOf(1)), "blocked");
  damage(store, "pragma ignore_check_constraints = on; update trust set role = 'owner'");
  assert.equal(store.read.trust(personOf(1)), "guest");
  trust("guest");
  assert.deepEqual(rows(store, "select * from trust"), []);
});

test("the reader pages through a place and finds ids by their beginning", () => {
  using store = openDirectStore();
  for (let number = 0; number < 10; number += 1) hear(store, heard({ number, public: true, person: number }));
  hear(store, heard({ number: 32 * 40 }));
  const place = heard({ number: 0, public: true }).event.place;
  const seqs = (events: readonly { seq: number }[]): readonly number[] => events.map((event) => event.seq);
  assert.deepEqual(seqs(store.read.events(place, 3)), [8, 9, 10]);
  assert.deepEqual(seqs(store.read.events(place, 3, 8)), [5, 6, 7]);
  assert.deepEqual(seqs(store.read.eventsAfter(place, 7, 2)), [8, 9]);
  assert.deepEqual(store.read.recentDecisions(2), [messageIdOf(32 * 40), messageIdOf(9)]);
  assert.deepEqual(store.read.idsStartingWith("m-00000"), [messageIdOf(0), messageIdOf(1)]);
  assert.deepEqual(store.read.idsStartingWith(messageIdOf(9)), [messageIdOf(9)]);
  assert.deepEqual(store.read.idsStartingWith("m-z"), []);
  assert.equal(store.read.inbox(messageIdOf(3))?.trigger.text, "line 3");
  store.run({ verb: "setPresence", row: { place, person: personOf(1), atMs: 1, leftAtMs: null } });
  store.run({ verb: "setPresence", row: { place, person: personOf(1), atMs: 1, leftAtMs: 2 } });
  assert.deepEqual(rows(store, "select left_at_ms from presence"), [{ left_at_ms: 2 }]);
});
