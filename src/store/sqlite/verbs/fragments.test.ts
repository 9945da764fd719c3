import assert from "node:assert/strict";
import { test } from "node:test";
import { STORE_TIME_MS, answerRow, heard, personOf, startRow } from "../../../testing/store-rows.ts";
import type { HeardRow } from "../../../testing/store-rows.ts";
import type { DirectStore } from "../../../testing/store-writer.ts";
import { openDirectStore } from "../../../testing/store-writer.ts";
import { parseApprovalId, parseMessageId } from "../../../vocabulary/ids.ts";
import type { CloseRow } from "../../store.ts";

const RECOVER = { nowMs: STORE_TIME_MS + 60_000, maxInboxAgeMs: 600_000, maxPartAgeMs: 900_000, maxAttempts: 2 };
const APPROVAL = parseApprovalId("a-000001");
const RESUMED = parseMessageId("m-resumed");

/** Three lines of one person, heard and begun as one turn. */
function joined(store: DirectStore): readonly [HeardRow, HeardRow, HeardRow] {
  const lines = [heard({ number: 1 }), heard({ number: 2 }), heard({ number: 3 })] as const;
  for (const row of lines) store.run({ verb: "hear", row });
  const absorbed = [lines[1].inbox.id, lines[2].inbox.id];
  assert.deepEqual(store.run({ verb: "start", row: { ...startRow(lines[0]), absorbed } }), { started: true, absorbed });
  return lines;
}

const ends = (store: DirectStore, lines: readonly HeardRow[]) => lines.map(({ inbox }) => store.read.explain(inbox.id)?.end ?? null);
const closeRow = (row: HeardRow, how: Partial<CloseRow> = {}): CloseRow => ({
  inbox: row.inbox.id,
  turn: null,
  end: "failed",
  reason: "test",
  atMs: STORE_TIME_MS + 50,
  record: null,
  ...how,
});
const suspend = (store: DirectStore, row: HeardRow) =>
  store.run({
    verb: "suspend",
    row: {
      turn: startRow(row).turn,
      inbox: row.inbox.id,
      approval: APPROVAL,
      question: { digest: "d", call: "{}", state: "{}", expiresAtMs: STORE_TIME_MS + 1_000 },
      person: personOf(0),
      atMs: STORE_TIME_MS,
    },
  });

test("TR-042 TR-050 the lines of a turn end with its answer, in one commit and each once; each is explained by it", () => {
  using store = openDirectStore();
  const lines = joined(store);
  assert.equal(store.run({ verb: "answer", row: answerRow(lines[0], 2) }).stored, true);
  assert.deepEqual(ends(store, lines), ["answered", "answered", "answered"]);
  for (const { inbox } of lines) {
    const told = store.read.explain(inbox.id);
    assert.deepEqual([told?.decision.id, told?.turn?.id, told?.parts.length, told?.attempts], [inbox.id, startRow(lines[0]).turn, 2, 1]);
  }
  for (const row of lines) assert.equal(store.run({ verb: "close", row: closeRow(row) }).closed, false);
  assert.equal(store.read.charged(`calls:person:${personOf(0)}`, 0), 1, "one turn is paid once");
});

test("TR-050 whichever line of a turn is closed, the turn ends whole", () => {
  for (const named of [0, 1, 2] as const) {
    using store = openDirectStore();
    const lines = joined(store);
    assert.equal(store.run({ verb: "close", row: closeRow(lines[named], { end: "cancelled" }) }).closed, true);
    assert.deepEqual(ends(store, lines), ["cancelled", "cancelled", "cancelled"]);
    assert.equal(store.run({ verb: "answer", row: answerRow(lines[0]) }).stored, false, "its answer comes too late");
  }
});

test("TR-050 a line that was withdrawn is no part of the turn that begins after it", () => {
  using store = openDirectStore();
  const [first, second, third] = [heard({ number: 1 }), heard({ number: 2 }), heard({ number: 3 })];
  for (const row of [first, second, third]) store.run({ verb: "hear", row });
  store.run({ verb: "close", row: closeRow(second, { end: "cancelled" }) });
  const absorbed = [second.inbox.id, third.inbox.id];
  assert.deepEqual(store.run({ verb: "start", row: { ...startRow(first), absorbed } }), { started: true, absorbed: [third.inbox.id] });
  store.run({ verb: "answer", row: answerRow(first) });
  assert.deepEqual(ends(store, [first, second, third]), ["answered", "cancelled", "answered"]);
});

test("TR-042 TR-044 after a kill each line of a turn is open again, for itself", () => {
  using store = openDirectStore();
  const lines = joined(store);
  store.restart();
  const { recovery } = store.recover(RECOVER);
  assert.deepEqual(
    recovery.open.map(({ id, attempts }) => [id, attempts]),
    lines.map(({ inbox }) => [inbox.id, 1]),
  );
  // One of them ends alone now.
  store.run({ verb: "close", row: closeRow(lines[1], { end: "cancelled" }) });
  assert.deepEqual(ends(store, lines), [null, "cancelled", null]);
  store.run({ verb: "start", row: { ...startRow(lines[2], 2), absorbed: [] } });
  store.restart();
  assert.equal(store.recover(RECOVER).recovery.interrupted, 1, "the second attempt was the last");
  assert.deepEqual(ends(store, lines), [null, "cancelled", "interrupted"]);
});

test("TR-007 TR-042 the lines of a turn that waits for a person end with the row that goes on from it", () => {
  using store = openDirectStore();
  const lines = joined(store);
  assert.equal(suspend(store, lines[0]).suspended, true);
  assert.deepEqual(
    lines.map(({ inbox }) => store.read.explain(inbox.id)?.inboxState),
    ["suspended", "suspended", "suspended"],
  );
  const answered = { approval: APPROVAL, digest: "d", person: personOf(0), answer: "yes", atMs: STORE_TIME_MS, inbox: RESUMED };
  assert.deepEqual(store.run({ verb: "resume", row: answered }), { resumed: true });
  for (const row of lines) assert.equal(store.run({ verb: "close", row: closeRow(row) }).closed, false, "its fate is the resumed row's");
  store.run({ verb: "start", row: { ...startRow(lines[0], 2), inbox: RESUMED } });
  assert.equal(store.run({ verb: "answer", row: { ...answerRow(lines[0], 1, 2), inbox: RESUMED } }).stored, true);
  assert.deepEqual(ends(store, lines), ["answered", "answered", "answered"]);
  assert.deepEqual(store.read.counts().inbox, { open: 0, running: 0, suspended: 0 });
});

test("SE-084 TR-042 a question that runs out ends every line of its turn, and is told once", () => {
  using store = openDirectStore();
  const lines = joined(store);
  suspend(store, lines[0]);
  const lapse = (nowMs: number) => store.run({ verb: "lapse", row: { nowMs } }).lapsed;
  assert.deepEqual(lapse(STORE_TIME_MS + 999), []);
  const { asked } = store.read.calls;
  assert.deepEqual(asked(STORE_TIME_MS), [], "nobody who was an operator was asked");
  assert.deepEqual(store.run({ verb: "voidQuestions", row: { person: personOf(0), atMs: STORE_TIME_MS } }).ended, []);
  assert.deepEqual(
    lapse(STORE_TIME_MS + 1_000).map(({ id, person }) => [id, person]),
    lines.map(({ inbox }) => [inbox.id, inbox.person]),
  );
  assert.deepEqual(lapse(STORE_TIME_MS + 1_000), []);
  assert.deepEqual(ends(store, lines), ["expired", "expired", "expired"]);
  const late = { approval: APPROVAL, digest: "d", person: personOf(0), answer: "yes", atMs: STORE_TIME_MS, inbox: RESUMED };
  assert.deepEqual(store.run({ verb: "resume", row: late }), { resumed: false });
});
