import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { NOTHING_OLD, RECORD, STORE_TIME_MS, answerRow, heard, messageIdOf, personOf, startRow } from "../../../testing/store-rows.ts";
import type { DirectStore } from "../../../testing/store-writer.ts";
import { openDirectStore } from "../../../testing/store-writer.ts";
import type { SessionId } from "../../../vocabulary/ids.ts";
import { parseCharacterId, parseMessageId, parseSessionId, parseSurfaceName } from "../../../vocabulary/ids.ts";
import type { Influence } from "../../../vocabulary/label.ts";
import { directPlace } from "../../../vocabulary/place.ts";
import { LOCAL_OWNER } from "../../../vocabulary/principal.ts";
import type { PrincipalId } from "../../../vocabulary/principal.ts";
import type { VoiceRecord } from "../../../vocabulary/reply.ts";
import type { EntryBody, NewEntry } from "../../../vocabulary/calls/session.ts";
import { RESULT_STATUSES, SESSION_CEILINGS } from "../../../vocabulary/calls/session.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";

const MIRELLE = parseCharacterId("mirelle");
const TERMINAL = parseSurfaceName("terminal");
const DAY_MS = 86_400_000;
const lineOf = (person: PrincipalId = LOCAL_OWNER) => directPlace(TERMINAL, MIRELLE, person).id;
const sessionIdOf = (number: number): SessionId => parseSessionId(`s-${String(number).padStart(6, "0")}`);

function begun(store: DirectStore, number: number, person: PrincipalId = LOCAL_OWNER, atMs: number = STORE_TIME_MS): SessionId {
  return store.run({ verb: "openSession", row: { id: sessionIdOf(number), character: MIRELLE, place: lineOf(person), person, atMs } }).id;
}

const labelOf = (influence: readonly Influence[]): string => JSON.stringify({ influence, readers: [`person:${LOCAL_OWNER}`] });

function entry(body: EntryBody, influence: readonly Influence[] = [LOCAL_OWNER]): NewEntry {
  return { body, root: messageIdOf(1), label: labelOf(influence) };
}

const said = (text: string, influence?: readonly Influence[]): NewEntry =>
  entry({ kind: "said", text, by: parseMessageId("m-000001") }, influence);

function append(store: DirectStore, session: SessionId, after: number, entries: readonly NewEntry[]): string {
  return store.run({ verb: "appendEntries", row: { session, after, entries, atMs: STORE_TIME_MS, charges: [] } }).kind;
}

const bodies = (store: DirectStore, id: SessionId): readonly EntryBody[] =>
  store.read.sessions.entries(id, 0, SESSION_CEILINGS.entries).map(({ body }) => body);

test("TR-040 a line has one session in use, which a restart finds again", () => {
  using store = openDirectStore();
  const first = begun(store, 1);
  assert.equal(begun(store, 2), first);
  assert.equal(append(store, first, 0, [said("good evening")]), "appended");
  store.restart();
  assert.equal(begun(store, 3), first);
  assert.notEqual(begun(store, 4, personOf(1)), first, "another line is another session");
  const facts = store.read.sessions.current(lineOf()) ?? assert.fail();
  assert.deepEqual([facts.id, facts.last, facts.current, facts.parent], [first, 1, true, null]);
});

test("TR-040 an entry is kept only behind the one its writer knows, all of a commit or none, and counts are raised with it", () => {
  using store = openDirectStore();
  const id = begun(store, 1);
  const row = { session: id, atMs: STORE_TIME_MS, charges: [{ scope: "calls:install", windowStartMs: 0, amount: 1 }] };
  assert.deepEqual(store.run({ verb: "appendEntries", row: { ...row, after: 0, entries: [said("one"), said("two")] } }), {
    kind: "appended",
    last: 2,
  });
  for (const after of [0, 1, 3])
    assert.deepEqual(store.run({ verb: "appendEntries", row: { ...row, after, entries: [said("late")] } }), { kind: "stale" });
  assert.equal(append(store, sessionIdOf(9), 0, [said("nowhere")]), "stale");
  assert.deepEqual(
    bodies(store, id).map((body) => (body.kind === "said" ? body.text : "")),
    ["one", "two"],
  );
  store.run({ verb: "retain", row: NOTHING_OLD });
  assert.equal(store.read.charged("calls:install", 0), 1);
});

test("TR-057 a history that is full takes no more and loses nothing", () => {
  using store = openDirectStore();
  const id = begun(store, 1);
  const large = said("x".repeat(SESSION_CEILINGS.entryBytes - 64));
  let after = 0;
  while (append(store, id, after, [large]) === "appended") after += 1;
  assert.equal(after, Math.floor(SESSION_CEILINGS.bytes / (SESSION_CEILINGS.entryBytes - 64 + '["","m-000001"]'.length)));
  assert.equal(store.read.sessions.facts(id)?.last, after);
  assert.throws(() => append(store, id, after, [said("x".repeat(SESSION_CEILINGS.entryBytes))]), { code: "invalid_argument" });
});

test("SE-091 a line goes on in a fork: the beginning, what is carried over, and the named notes; the old one rests whole", () => {
  using store = openDirectStore();
  const id = begun(store, 1);
  append(store, id, 0, [said("clean"), said("foreign", ["room:guest"].map(parsePrincipalId)), said("after")]);
  for (const name of ["kept", "left"])
    store.run({ verb: "keepNote", row: { session: id, name, text: name, label: labelOf([]), atMs: STORE_TIME_MS } });
  const fork = {
    from: id,
    id: sessionIdOf(2),
    upTo: 1,
    carry: [entry({ kind: "note", text: "carried" })],
    notes: ["kept"],
    atMs: STORE_TIME_MS,
  };
  assert.deepEqual(store.run({ verb: "forkSession", row: { ...fork, upTo: 4 } }), { forked: false }, "no more than there is");
  assert.deepEqual(store.run({ verb: "forkSession", row: fork }), { forked: true });
  assert.deepEqual(store.run({ verb: "forkSession", row: { ...fork, id: sessionIdOf(3) } }), { forked: false }, "only of the one in use");
  const facts = store.read.sessions.current(lineOf()) ?? assert.fail();
  assert.deepEqual([facts.id, facts.last, facts.parent], [sessionIdOf(2), 2, { id, upTo: 1 }]);
  assert.deepEqual(bodies(store, facts.id), [said("clean").body, { kind: "note", text: "carried" }]);
  assert.deepEqual(
    store.read.sessions.notes(facts.id).map(({ name }) => name),
    ["kept"],
  );
  assert.equal(bodies(store, id).length, 3);
  assert.equal(append(store, facts.id, 2, [said("on")]), "appended");
});

test("a session holds so many notes of so many bytes, each by its name", () => {
  using store = openDirectStore();
  const session = begun(store, 1);
  const keep = (name: string, text: string | null): string =>
    store.run({ verb: "keepNote", row: { session, name, text, label: labelOf([LOCAL_OWNER]), atMs: STORE_TIME_MS } }).kind;
  for (let n = 0; n < SESSION_CEILINGS.notes; n += 1) assert.equal(keep(`note-${n}`, "x"), "kept");
  assert.equal(keep("one more", "x"), "full");
  assert.equal(keep("note-0", "another"), "kept", "in place of the first");
  assert.equal(keep("note-1", "x".repeat(SESSION_CEILINGS.noteBytes + 1)), "full");
  assert.equal(keep("note-1", null), "kept");
  assert.equal(keep("note-1", null), "gone");
  assert.deepEqual([store.read.sessions.note(session, "note-0")?.text, store.read.sessions.note(session, "note-1")], ["another", null]);
});

test("TR-043 a session lasts 14 days from its last use, and no more than 500 are kept, with everything in them", () => {
  using store = openDirectStore();
  const [old, young] = [begun(store, 1, personOf(1), STORE_TIME_MS - DAY_MS), begun(store, 2, personOf(2), STORE_TIME_MS)];
  store.run({ verb: "appendEntries", row: { session: old, after: 0, entries: [said("gone")], atMs: STORE_TIME_MS - DAY_MS, charges: [] } });
  store.run({ verb: "keepNote", row: { session: old, name: "n", text: "gone", label: labelOf([]), atMs: 0 } });
  store.run({ verb: "retain", row: { ...NOTHING_OLD, sessionsBeforeMs: STORE_TIME_MS } });
  assert.deepEqual(
    store.read.sessions.list(9).map(({ id }) => id),
    [young],
  );
  assert.deepEqual([bodies(store, old), store.read.sessions.notes(old)], [[], []]);
  for (let n = 0; n < SESSION_CEILINGS.sessions; n += 1) begun(store, 100 + n, personOf(100 + n), STORE_TIME_MS + 1 + n);
  while (store.run({ verb: "retain", row: NOTHING_OLD }).dropped > 0);
  const left = store.read.sessions.list(1_000);
  assert.equal(left.length, SESSION_CEILINGS.sessions);
  assert.ok(!left.some(({ id }) => id === young), "the one used longest ago");
});

test("TR-043 forgetting erases a person's sessions, and another's from the first words on that the person shaped", () => {
  using store = openDirectStore();
  const [own, other] = [begun(store, 1, personOf(1)), begun(store, 2)];
  append(store, own, 0, [said("mine", [personOf(1)])]);
  append(store, other, 0, [said("before"), said("quoted", [LOCAL_OWNER, personOf(1)]), said("after", [LOCAL_OWNER])]);
  for (const influence of [[personOf(1)], [LOCAL_OWNER]])
    store.run({ verb: "keepNote", row: { session: other, name: influence.join(), text: "x", label: labelOf(influence), atMs: 0 } });
  const subject = { person: personOf(1), pseudonym: parsePrincipalId("forgotten:abc"), atMs: STORE_TIME_MS };
  assert.equal(store.run({ verb: "countSmall", row: subject }).counts.answers, 3);
  assert.equal(store.run({ verb: "forgetEnd", row: subject }).counts.answers, 3);
  assert.equal(store.read.sessions.facts(own), null);
  assert.deepEqual(bodies(store, other), [said("before").body]);
  assert.equal(append(store, other, 3, [said("of a turn that had read it")]), "stale");
  assert.equal(append(store, other, 1, [said("anew")]), "appended");
  assert.deepEqual(
    store.read.sessions.notes(other).map(({ name }) => name),
    [LOCAL_OWNER],
  );
});

const text = fc.string({ unit: "binary", maxLength: 40 }).filter((one) => one.isWellFormed() && !one.includes("\0"));
const body: fc.Arbitrary<EntryBody> = fc.oneof(
  text.map((words): EntryBody => ({ kind: "said", text: words, by: parseMessageId("m-000001") })),
  fc
    .tuple(text, fc.array(fc.record({ id: text, name: text, arguments: text }, { noNullPrototype: true }), { maxLength: 3 }))
    .map(([words, calls]): EntryBody => ({ kind: "answered", text: words, calls })),
  text.map((call): EntryBody => ({ kind: "begun", call })),
  fc
    .record({ call: text, name: text, text, status: fc.constantFrom(...RESULT_STATUSES) }, { noNullPrototype: true })
    .map((fields): EntryBody => ({ kind: "result", ...fields })),
  text.map((words): EntryBody => ({ kind: "note", text: words })),
);

test("TR-040 property: what is read is what was kept, entry by entry and byte by byte, also after a restart", () => {
  using store = openDirectStore();
  let number = 0;
  fc.assert(
    fc.property(fc.array(fc.array(body, { maxLength: 4 }), { maxLength: 6 }), (commits) => {
      number += 1;
      const id = begun(store, number, personOf(number));
      let after = 0;
      for (const one of commits) {
        assert.equal(
          append(
            store,
            id,
            after,
            one.map((each) => entry(each)),
          ),
          "appended",
        );
        after += one.length;
      }
      if (number % 20 === 0) store.restart();
      const kept = store.read.sessions.entries(id, 0, 100);
      assert.deepEqual(
        kept.map((one) => [one.seq, one.body, one.label]),
        commits.flat().map((one, at) => [at + 1, one, labelOf([LOCAL_OWNER])]),
      );
    }),
    { numRuns: 60 },
  );
});

test("SE-091 each label of a history comes once, with when it came in, read on from where it was", () => {
  using store = openDirectStore();
  const id = begun(store, 1);
  const at = (after: number, atMs: number, influence: readonly Influence[]): unknown =>
    store.run({ verb: "appendEntries", row: { session: id, after, entries: [said("x", influence)], atMs, charges: [] } });
  at(0, 10, [LOCAL_OWNER]);
  at(1, 20, [personOf(1)]);
  at(2, 30, [LOCAL_OWNER]);
  at(3, 40, [personOf(1)]);
  const own = labelOf([LOCAL_OWNER]);
  const others = labelOf([personOf(1)]);
  assert.deepEqual(store.read.sessions.labels(id, 0), [
    { label: own, sinceMs: 10 },
    { label: others, sinceMs: 20 },
  ]);
  assert.deepEqual(store.read.sessions.labels(id, 2), [
    { label: own, sinceMs: 30 },
    { label: others, sinceMs: 40 },
  ]);
  assert.deepEqual(store.read.sessions.labels(sessionIdOf(9), 0), []);
});

test("TR-092 what a session came to is the sum of its own turns; what went along with a fork is counted where it was said", () => {
  using store = openDirectStore();
  const id = begun(store, 1);
  const record = (costMicros: number | null): VoiceRecord => ({ ...RECORD, usage: { promptTokens: 100, completionTokens: 7, costMicros } });
  for (const [number, cost] of [
    [1, 40],
    [2, null],
    [3, 5],
  ] as const) {
    const row = heard({ number });
    store.run({ verb: "hear", row });
    store.run({ verb: "start", row: startRow(row) });
    store.run({ verb: "answer", row: { ...answerRow(row), record: record(cost) } });
    const root = row.inbox.id;
    if (number < 3)
      append(store, id, (number - 1) * 2, [
        { ...said("x"), root },
        { ...said("y"), root },
      ]);
  }
  const spent = { turns: 2, promptTokens: 200, completionTokens: 14, costMicros: 40, unpricedTurns: 1 };
  assert.deepEqual(store.read.sessions.spent(id), spent);
  const fork = sessionIdOf(2);
  store.run({ verb: "forkSession", row: { from: id, id: fork, upTo: 2, carry: [], notes: [], atMs: STORE_TIME_MS } });
  assert.equal(store.read.sessions.spent(fork).turns, 0);
  append(store, fork, 2, [{ ...said("z"), root: messageIdOf(3) }]);
  assert.deepEqual(store.read.sessions.spent(fork), { turns: 1, promptTokens: 100, completionTokens: 7, costMicros: 5, unpricedTurns: 0 });
  assert.deepEqual(store.read.sessions.spent(id), spent);
});
