import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { TestContext } from "node:test";
import fc from "fast-check";
import { silentLog } from "../../../foundation/log.ts";
import { sha256Hex } from "../../../foundation/ids.ts";
import { ManualClock } from "../../../testing/manual-clock.ts";
import { STORE_TIME_MS, answerRow, heard, personOf, settleRow, startRow, suppressedRow } from "../../../testing/store-rows.ts";
import type { HeardRow } from "../../../testing/store-rows.ts";
import { parseApprovalId, parseInviteId, parseSurfaceName } from "../../../vocabulary/ids.ts";
import { publicPlace } from "../../../vocabulary/place.ts";
import type { AnswerRow, Store } from "../../store.ts";
import { openStore } from "../sqlite.ts";

const never = new AbortController().signal;
const ROOM = parseSurfaceName("parlour");
const PLACE = publicPlace(ROOM).id;
const KEY = new Uint8Array(32).fill(3);

function folder(context: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), "troupe-forget-"));
  context.after(() => rmSync(made, { recursive: true, force: true }));
  return join(made, "state");
}

const open = (directory: string, how: { restored?: boolean } = {}): Promise<Store> =>
  openStore({ directory, clock: new ManualClock(STORE_TIME_MS), log: silentLog, installation: { key: KEY, ...how } }, never);

/** Every file under a folder whose bytes hold a text. */
function filesWith(directory: string, text: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text))
    .map((entry) => entry.name);
}

/** A person's line with its own canary, in a place. */
const said = (number: number, person: number, how: { public?: boolean } = { public: true }): HeardRow => {
  const row = heard({ number, person, text: `zebra${person}words ${"x".repeat(number % 300)} of ${number}`, ...how });
  const name = `Quagga${person}name`;
  return {
    ...row,
    event: {
      ...row.event,
      author: { kind: "person", principal: personOf(person), name },
      delivery: { surface: ROOM, id: `${personOf(person)}:${number}` },
    },
    inbox: { ...row.inbox, trigger: { ...row.inbox.trigger, displayName: name } },
  };
};

/** A character's answer that words of these people shaped. */
const shaped = (row: HeardRow, by: readonly number[], parts = 1): AnswerRow => {
  const answer = answerRow(row, parts);
  const text = `${answer.event.id} ${by.map((person) => `zebra${person}words`).join(" ")}`;
  return {
    ...answer,
    event: { ...answer.event, text, influence: by.map(personOf).toSorted() },
    parts: answer.parts.map((part) => ({ ...part, body: text })),
  };
};

async function exchange(store: Store, row: HeardRow, by: readonly number[]): Promise<AnswerRow> {
  await store.hear(row);
  await store.start(startRow(row));
  const answer = shaped(row, by);
  await store.answer(answer);
  await store.settle(settleRow(row));
  return answer;
}

const member = (person: number) => ({
  id: personOf(person),
  surface: ROOM,
  name: `Quagga${person}name`,
  foldedName: `quagga${person}name`,
  secretHash: sha256Hex(`secret ${person}`),
  atMs: STORE_TIME_MS,
});

test("TR-043 SE-080 forget leaves no byte of a person's words, name or id in any file of the state folder; others and the order stay", async (context) => {
  const directory = folder(context);
  await using store = await open(directory);
  const came = member(1);
  await store.keepInvite({
    ...came,
    id: parseInviteId("i-0001"),
    codeHash: sha256Hex("code"),
    by: personOf(0),
    expiresAtMs: STORE_TIME_MS + 9e9,
  });
  await store.redeemInvite({
    surface: ROOM,
    codeHash: sha256Hex("code"),
    claimHash: sha256Hex("claim"),
    member: came.id,
    secretHash: sha256Hex("secret"),
    atMs: STORE_TIME_MS,
  });
  await store.setOptedOut({ person: personOf(1), optedOut: true, atMs: STORE_TIME_MS });
  await store.setPresence({ place: PLACE, person: personOf(1), atMs: STORE_TIME_MS, leftAtMs: null });
  await exchange(store, said(1, 1), [1]);
  await exchange(store, said(2, 2), [1, 2]);
  const untouched = await exchange(store, said(3, 2, { public: false }), [2]);
  await exchange(store, said(4, 1, { public: false }), [1]);
  const waiting = said(5, 1);
  await store.hear(waiting);
  const suspended = said(6, 1);
  await store.hear(suspended);
  await store.start(startRow(suspended));
  await store.suspend({
    turn: startRow(suspended).turn,
    inbox: suspended.inbox.id,
    approval: parseApprovalId("a-0001"),
    question: { digest: "d", call: "zebra1words call", state: "zebra1words state", expiresAtMs: STORE_TIME_MS + 9e9 },
    person: personOf(1),
    atMs: STORE_TIME_MS,
  });
  for (let number = 10; number < 30; number += 1) await store.note(suppressedRow({ number, person: 1 }));
  await store.setTrust({ person: personOf(1), role: "blocked", by: personOf(1), atMs: STORE_TIME_MS });
  mkdirSync(join(directory, "cache"));
  writeFileSync(join(directory, "before-format-9.db"), "zebra1words of an earlier version");
  await store.copyAside(new AbortController().signal);
  assert.ok(filesWith(directory, "zebra1words").length > 0 && filesWith(directory, "Quagga1name").length > 0);

  const expected = await store.keptOf(personOf(1));
  const forgotten = await store.forget({ person: personOf(1), atMs: STORE_TIME_MS + 5, request: null });
  assert.deepEqual(forgotten.counts, { ...expected, answers: 3 });
  assert.deepEqual(forgotten.counts, { lines: 4, answers: 3, waiting: 2, members: 1, presence: 1, blocks: 1, decisions: 15 });
  assert.equal(forgotten.bytesGone, true);
  assert.equal(forgotten.turns.length, 3);
  for (const trace of ["zebra1words", "Quagga1name", "quagga1name", String(personOf(1))])
    assert.deepEqual(filesWith(directory, trace), [], trace);

  assert.deepEqual(
    store.read.events(PLACE, 50).map(({ seq, text }) => [seq, text]),
    [
      [2, ""],
      [3, said(2, 2).event.text],
      [4, ""],
    ],
  );
  assert.equal(store.read.event(untouched.event.id)?.text, untouched.event.text);
  assert.equal(store.read.trust(personOf(1)), "blocked", "a block outlives it");
  assert.equal(store.read.optedOut(personOf(1)), true, "and the wish not to be heard");
  await store.setOptedOut({ person: personOf(1), optedOut: false, atMs: STORE_TIME_MS });
  assert.equal(store.read.optedOut(personOf(1)), false, "until it is taken back");
  assert.deepEqual(store.read.invites(), []);
  assert.equal(store.read.charged(`calls:person:${personOf(1)}`, STORE_TIME_MS), 3, "budgets too");
  assert.equal(store.read.charged(`calls:person:${personOf(2)}`, STORE_TIME_MS), 2);
  assert.deepEqual(store.read.counts(), { inbox: { open: 0, running: 0, suspended: 0 }, parts: { queued: 0, sending: 0 } });
  assert.equal(store.read.explain(waiting.event.id)?.endReason, "forgotten");
  assert.match(String(store.read.explain(waiting.event.id)?.decision.person), /^forgotten:/);
  assert.deepEqual(await store.hear(said(40, 1)), { kind: "fresh", seq: 7 }, "who comes back is heard again");
  await store.setTrust({ person: personOf(1), role: "guest", by: personOf(2), atMs: STORE_TIME_MS });
  assert.equal(store.read.trust(personOf(1)), "guest", "and can be let in again");
});

test("TR-043 parts on their way lose their words: what waits is not sent, what may have been sent is unknown", async (context) => {
  await using store = await open(folder(context));
  const row = said(1, 2);
  await store.hear(row);
  await store.start(startRow(row));
  const answer = shaped(row, [1, 2], 3);
  await store.answer(answer);
  await store.forget({ person: personOf(1), atMs: STORE_TIME_MS, request: null });
  assert.deepEqual(
    store.read.explain(row.event.id)?.parts.map(({ state, reason }) => [state, reason]),
    [
      ["unknown", "forgotten"],
      ["cancelled", "forgotten"],
      ["cancelled", "forgotten"],
    ],
  );
  assert.deepEqual(await store.settle(settleRow(row, 0, 3)), { settled: false, line: null });
  assert.deepEqual([store.read.event(answer.event.id)?.state, store.read.event(answer.event.id)?.text], ["unsaid", ""]);
});

test("TR-043 an answer that was being made of the words while they were erased is never kept, and the request's own is", async (context) => {
  const directory = folder(context);
  await using store = await open(directory);
  const [mine, others, request] = [said(1, 1), said(2, 2), said(3, 1, { public: false })];
  for (const row of [mine, others, request]) {
    await store.hear(row);
    await store.start(startRow(row));
  }
  const erased = store.forget({ person: personOf(1), atMs: STORE_TIME_MS, request: request.inbox.id });
  assert.deepEqual(await store.answer(shaped(others, [1, 2])), { stored: false, seq: 0 });
  await erased;
  assert.deepEqual(await store.answer(shaped(mine, [1])), { stored: false, seq: 0 });
  assert.equal(store.read.explain(others.event.id)?.end, "cancelled");
  assert.equal(
    (await store.answer({ ...answerRow(request), event: { ...answerRow(request).event, text: "Done.", influence: [personOf(1)] } })).stored,
    true,
  );
  assert.deepEqual(filesWith(directory, "zebra1words"), []);
  await store.admitMember(member(1));
  const renewed = store.forget({ person: personOf(1), atMs: STORE_TIME_MS + 1, request: null });
  assert.deepEqual(await store.admitMember(member(1)), { admitted: false }, "nor is a membership renewed meanwhile");
  await renewed;
  assert.equal(store.read.member(personOf(1)), null);
  const late = said(4, 2);
  await store.hear(late);
  await store.start(startRow(late));
  assert.equal((await store.answer(shaped(late, [1, 2]))).stored, true, "words of a turn that began afterwards are new ones");
});

test("TR-043 in random worlds nothing of the forgotten is left in any file, and every line of the others is, in its order", async (context) => {
  const step = fc.record({
    person: fc.integer({ min: 1, max: 4 }),
    direct: fc.boolean(),
    with: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
    answered: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 120 }), async (steps) => {
      const directory = folder(context);
      await using store = await open(directory);
      const kept: { readonly place: string; readonly text: string }[] = [];
      const public1 = (row: HeardRow): string => row.event.place;
      for (const [number, one] of steps.entries()) {
        const row = said(number, one.person, { public: !one.direct });
        // A direct line has no other people's words in it (TR-030).
        const by = one.direct ? [one.person] : [...new Set([one.person, ...one.with])];
        if (one.answered) await exchange(store, row, by);
        else await store.hear(row);
        if (one.person !== 1) kept.push({ place: public1(row), text: row.event.text });
        if (one.person !== 1 && one.answered && !by.includes(1)) kept.push({ place: public1(row), text: shaped(row, by).event.text });
      }
      await store.forget({ person: personOf(1), atMs: STORE_TIME_MS, request: null });
      for (const trace of ["zebra1words", "Quagga1name", String(personOf(1))]) assert.deepEqual(filesWith(directory, trace), [], trace);
      for (const place of new Set(kept.map((one) => one.place))) {
        const there = store.read.events(kept.find((one) => one.place === place)?.place === PLACE ? PLACE : placeOf(store, place), 1_000);
        assert.deepEqual(
          there.map(({ text }) => text).filter((text) => text !== ""),
          kept.filter((one) => one.place === place).map(({ text }) => text),
        );
        assert.deepEqual(
          there.map(({ seq }) => seq),
          there.map(({ seq }) => seq).toSorted((a, b) => a - b),
        );
      }
    }),
    { numRuns: 12 },
  );
});

function placeOf(_store: Store, id: string): typeof PLACE {
  const found = [2, 3, 4].map((person) => said(1, person, { public: false }).event.place).find((place) => place === id);
  assert.ok(found);
  return found;
}

test("TR-043 a forgetting that was cut short anywhere is finished by the next start", async (context) => {
  const directory = folder(context);
  {
    await using store = await open(directory);
    await exchange(store, said(1, 1), [1]);
    await exchange(store, said(2, 2), [2]);
  }
  // As a crash leaves it: noted, and nothing erased yet.
  const { pseudonymsOf } = await import("../rows/pseudonym.ts");
  const db = new DatabaseSync(join(directory, "troupe.db"));
  db.prepare("insert into forgotten(hash, at_ms, done) values (?, ?, 0)").run(pseudonymsOf(KEY)(personOf(1)), STORE_TIME_MS);
  db.close();
  assert.ok(filesWith(directory, "zebra1words").length > 0);
  await using store = await open(directory);
  assert.deepEqual(filesWith(directory, "zebra1words"), []);
  assert.equal(store.read.event(said(2, 2).event.id)?.text, said(2, 2).event.text);
});

test("TR-043 every table of the database is either gone through or has nothing of people", async (context) => {
  const directory = folder(context);
  await (await open(directory))[Symbol.asyncDispose]();
  const db = new DatabaseSync(join(directory, "troupe.db"), { readOnly: true });
  const tables = db.prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite%' order by name").all();
  db.close();
  const gone = [
    "approval",
    "audit",
    "budget",
    "call_decision",
    "call_grant",
    "conversation",
    "decision",
    "delivery",
    "event",
    "inbox",
    "invite",
    "kept_answer",
    "opted_out",
    "part",
    "pause",
    "place",
    "presence",
    "principal",
    "schedule",
    "session",
    "session_entry",
    "session_note",
    "spend",
    "told",
    "trust",
    "turn",
  ];
  const without = ["answer_code", "endorsed", "forgotten", "lease", "meta", "setting", "surface_state"];
  assert.deepEqual(
    tables.map(({ name }) => name),
    [...gone, ...without].toSorted(),
    "a new table: teach forget-verbs.ts about it, then list it here",
  );
  assert.equal(statSync(join(directory, "epoch.json")).mode & 0o777, 0o600);
});
