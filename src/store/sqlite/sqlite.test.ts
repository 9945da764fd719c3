import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { isRuntimeError } from "../../foundation/errors.ts";
import { silentLog } from "../../foundation/log.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { answerRow, decisionRow, heard, messageIdOf, personOf, settleRow, startRow, suppressedRow } from "../../testing/store-rows.ts";
import { LOCAL_OWNER } from "../../vocabulary/principal.ts";
import type { Store } from "../store.ts";
import { connectWriter } from "./file/connect.ts";
import { HEARTBEAT_MS } from "./file/lease.ts";
import { SCHEMA_VERSION } from "./file/schema.ts";
import { openStore } from "./sqlite.ts";

const never = new AbortController().signal;
const clock = new ManualClock();

function folder(context: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), "troupe-store-"));
  context.after(() => rmSync(made, { recursive: true, force: true }));
  return join(made, "state");
}

const open = (directory: string, maxPageCount?: number): Promise<Store> =>
  openStore({ directory, clock, log: silentLog, ...(maxPageCount === undefined ? {} : { forTests: { maxPageCount } }) }, never);

/** Open, write a little, close. */
async function written(directory: string): Promise<void> {
  await using store = await open(directory);
  await store.hear(heard({ number: 1 }));
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test("TR-040 the state folder is 0700 and every file in it 0600, also where they were not", async (context) => {
  const directory = folder(context);
  mkdirSync(directory, { mode: 0o755 });
  chmodSync(directory, 0o755);
  await using store = await open(directory);
  await store.hear(heard({ number: 1 }));
  assert.equal(modeOf(directory), 0o700);
  const names = readdirSync(directory);
  assert.deepEqual(names.toSorted(), ["epoch.json", "troupe.db", "troupe.db-shm", "troupe.db-wal"]);
  for (const name of names) assert.equal(modeOf(join(directory, name)), 0o600, name);
  await store[Symbol.asyncDispose]();
  chmodSync(join(directory, "troupe.db"), 0o644);
  await using again = await open(directory);
  assert.equal(modeOf(join(directory, "troupe.db")), 0o600);
  assert.equal(again.generation, 2);
});

test("TR-040 the database runs with WAL, FULL and secure_delete, and its tables are strict", async (context) => {
  const directory = folder(context);
  await written(directory);
  // They hold for a connection, so it is the writer's own kind that is asked.
  const db = connectWriter(join(directory, "troupe.db"), null);
  const pragma = (name: string): unknown => db.prepare(`pragma ${name}`).get()?.[name];
  assert.deepEqual(["journal_mode", "synchronous", "secure_delete", "wal_autocheckpoint"].map(pragma), ["wal", 2, 1, 1_000]);
  const tables = db
    .prepare("select name, strict from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite%'")
    .all();
  assert.ok(tables.length >= 16);
  for (const { name, strict } of tables) assert.equal(strict, 1, String(name));
  db.close();
});

test("TR-040 what was dropped is gone from the files, not only from the tables", async (context) => {
  const directory = folder(context);
  const store = await open(directory);
  const row = heard({ number: 1, text: "the canary sings at noon" });
  await store.hear(row);
  await store.close({ inbox: row.inbox.id, turn: null, end: "silent", reason: "", atMs: 1, record: null });
  const cut = {
    decisionsBeforeMs: 0,
    publicBeforeMs: 0,
    directBeforeMs: clock.nowMs() + 1,
    deliveriesBeforeMs: 0,
    membersBeforeMs: 0,
    toldBeforeMs: 0,
    sessionsBeforeMs: 0,
  };
  assert.deepEqual(await store.retain(cut), { dropped: 1 });
  await store[Symbol.asyncDispose]();
  assert.deepEqual(readdirSync(directory), ["epoch.json", "troupe.db"]);
  assert.ok(!readFileSync(join(directory, "troupe.db")).includes("canary"));
});

test("V1 V2 a batch keeps the order of the calls, and each verb sees those before it", async (context) => {
  await using store = await open(folder(context));
  const rows = Array.from({ length: 2_500 }, (_, number) => heard({ number }));
  const order: number[] = [];
  const calls = rows.map(async (row, index) => {
    const result = await store.hear(row);
    order.push(index);
    return result;
  });
  const last = store.start(startRow(heard({ number: 2_499 })));
  assert.deepEqual(await last, { started: true, absorbed: [] });
  assert.equal(order.length, 2_500, "the start resolved before what was called before it");
  assert.deepEqual(
    await Promise.all(calls),
    rows.map((_, index) => ({ kind: "fresh", seq: index + 1 })),
  );
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
});

test("V2 V3 a verb that fails for a reason of its own is undone whole, and its neighbours stand", async (context) => {
  await using store = await open(folder(context));
  const first = heard({ number: 1 });
  const second = heard({ number: 2 });
  // Its event would be kept; its inbox row breaks a rule of the table, so that nothing of it may stay.
  const broken = { ...second, inbox: { ...second.inbox, atMs: Number.NaN } };
  const outcomes = await Promise.allSettled([
    store.hear(first),
    store.hear(broken),
    store.start(startRow(first)),
    store.hear(heard({ number: 3 })),
  ]);
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status),
    ["fulfilled", "rejected", "fulfilled", "fulfilled"],
  );
  const rejected = outcomes[1];
  assert.ok(rejected?.status === "rejected" && isRuntimeError(rejected.reason, "internal") && !rejected.reason.message.includes("line 2"));
  assert.equal(store.read.event(second.event.id), null);
  assert.equal(store.read.delivered(first.decision.surface, "d-2"), null);
  assert.equal(store.read.explain(second.event.id), null);
  assert.equal(store.read.event(messageIdOf(3))?.seq, 2);
  assert.deepEqual(await store.hear(second), { kind: "fresh", seq: 3 });
});

test("V2 a row that cannot cross to the writer fails alone", async (context) => {
  await using store = await open(folder(context));
  const odd = { ...heard({ number: 2 }), extra: () => 1 };
  const outcomes = await Promise.allSettled([store.hear(heard({ number: 1 })), store.hear(odd), store.hear(heard({ number: 3 }))]);
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  assert.equal(store.read.event(messageIdOf(2)), null);
});

test("V4 TR-085 a full disk rejects the verb and all behind it; what was acknowledged is there", async (context) => {
  const directory = folder(context);
  await written(directory);
  const pages = statSync(join(directory, "troupe.db")).size / 4_096;
  const store = await open(directory, pages + 4);
  const kept: number[] = [];
  const text = "x".repeat(2_000);
  let failure: unknown;
  for (let number = 2; number < 200 && failure === undefined; number += 1) {
    await store.hear(heard({ number, text })).then(
      () => kept.push(number),
      (error: unknown) => (failure = error),
    );
  }
  assert.ok(isRuntimeError(failure, "disk_full") && failure.message.includes(join(directory, "troupe.db")), String(failure));
  assert.ok(kept.length > 0 && kept.length < 100);
  // Small enough to fit, but behind the failure: if it went through, a resolved promise would no longer stand for all before it.
  await assert.rejects(store.setSetting("a", "b"), { code: "disk_full" });
  assert.equal(store.read.setting("a"), null);
  await store[Symbol.asyncDispose]();
  await using again = await open(directory);
  for (const number of kept) assert.equal(again.read.event(messageIdOf(number))?.text, text);
  assert.equal(again.read.event(messageIdOf(kept.length + 2)), null);
});

test("V4 the failing verb takes its whole batch with it", async (context) => {
  const directory = folder(context);
  await written(directory);
  const pages = statSync(join(directory, "troupe.db")).size / 4_096;
  await using store = await open(directory, pages + 4);
  const rows = Array.from({ length: 100 }, (_, index) => heard({ number: index + 2, text: "x".repeat(2_000) }));
  const outcomes = await Promise.allSettled(rows.map((row) => store.hear(row)));
  for (const outcome of outcomes) assert.ok(outcome.status === "rejected" && isRuntimeError(outcome.reason, "disk_full"));
  for (const row of rows) assert.equal(store.read.event(row.event.id), null);
});

test("TR-085 a disk that is full at the first start is one line, and the next start goes on", async (context) => {
  const directory = folder(context);
  await assert.rejects(open(directory, 5), (error) => isRuntimeError(error, "disk_full") && error.message.includes(directory));
  await written(directory);
});

/** Opening is refused with this code, in one line that names the path and a cure, and no byte of the file changes. */
async function refused(directory: string, code: string, path: string = join(directory, "troupe.db")): Promise<void> {
  const database = join(directory, "troupe.db");
  const before = existsSync(database) && statSync(database).isFile() ? readFileSync(database) : null;
  await assert.rejects(open(directory), (error) => {
    assert.ok(isRuntimeError(error));
    assert.equal(error.code, code);
    assert.ok(error.message.includes(path) && !error.message.includes("\n"), error.message);
    assert.match(error.message, /TROUPE_STATE|backup|move it away/);
    return true;
  });
  if (before !== null) assert.deepEqual(readFileSync(database), before);
}

test("TR-085 a database of a newer version is left alone", async (context) => {
  const directory = folder(context);
  await written(directory);
  const db = new DatabaseSync(join(directory, "troupe.db"));
  db.exec(`update meta set value = '${SCHEMA_VERSION + 1}' where key = 'schema'`);
  db.close();
  await refused(directory, "state_newer");
});

test("TR-085 a damaged database is left alone: no database, cut, overwritten, without a version, or somebody else's", async (context) => {
  const damages: readonly ((path: string) => void)[] = [
    (path) => writeFileSync(path, "these are no pages at all, but text that somebody put here\n".repeat(200)),
    (path) => truncateSync(path, 4_096 * 3 + 100),
    (path) => writeFileSync(path, readFileSync(path).fill(0xa5, 4_096 * 2, 4_096 * 12)),
    // The last page is no table that opening reads: only a look at every page finds it.
    (path) => writeFileSync(path, readFileSync(path).fill(0xa5, statSync(path).size - 4_096)),
    (path) => statement(path, "delete from meta"),
    (path) => statement(path, "update meta set value = 'many' where key = 'schema'"),
    (path) => statement(path, "drop table meta"),
  ];
  for (const damage of damages) {
    const directory = folder(context);
    await written(directory);
    damage(join(directory, "troupe.db"));
    await refused(directory, "state_corrupt");
  }
});

function statement(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

test("TR-085 a state folder that is a link, a file, or everybody's is refused, and so is a database that is no file", async (context) => {
  const directory = folder(context);
  mkdirSync(`${directory}-real`);
  symlinkSync(`${directory}-real`, directory);
  await refused(directory, "state_unwritable", directory);
  await refused(`${directory}/`, "state_unwritable", directory);
  assert.deepEqual(readdirSync(`${directory}-real`), []);
  const file = folder(context);
  writeFileSync(file, "a file");
  await refused(file, "state_unwritable", file);
  await refused(join(file, "deeper"), "state_unwritable", file);
  assert.equal(readFileSync(file, "utf8"), "a file");
  const shared = folder(context);
  mkdirSync(shared);
  chmodSync(shared, 0o1777);
  await refused(shared, "state_unwritable", shared);
  assert.equal(modeOf(shared), 0o777);
  const odd = folder(context);
  mkdirSync(join(odd, "troupe.db"), { recursive: true });
  await refused(odd, "state_unwritable");
});

test("TR-085 a page that is damaged while the store is open ends it with state_corrupt", async (context) => {
  const directory = folder(context);
  const path = join(directory, "troupe.db");
  const filled = await open(directory);
  await Promise.all(Array.from({ length: 300 }, (_, number) => filled.hear(heard({ number, text: "x".repeat(500) }))));
  await filled[Symbol.asyncDispose]();
  await using store = await open(directory);
  writeFileSync(path, readFileSync(path).fill(0xa5, 4_096 * 2, 4_096 * 60), { flag: "r+" });
  await assert.rejects(
    Promise.all(Array.from({ length: 50 }, (_, number) => store.hear(heard({ number: 1_000 + number })))),
    (error) => isRuntimeError(error, "state_corrupt") && error.message.includes(path),
  );
  await assert.rejects(store.setSetting("a", "b"), { code: "state_corrupt" });
});

test("TR-041 one store a folder, also within one process; the second hears who holds it", async (context) => {
  const directory = folder(context);
  const first = await open(directory);
  await assert.rejects(open(directory), (error) => isRuntimeError(error, "state_busy") && error.message.includes(` ${process.pid} `));
  await first.setSetting("a", "still mine");
  await first[Symbol.asyncDispose]();
  await using second = await open(directory);
  assert.equal(second.generation, 2);
  assert.equal(second.read.setting("a"), "still mine");
});

test("MC-099 a holder whose lease was taken over writes nothing more", async (context) => {
  const directory = folder(context);
  await using store = await open(directory);
  await store.setSetting("a", "before");
  statement(join(directory, "troupe.db"), "update lease set owner = 'o-other', generation = generation + 1");
  await assert.rejects(store.setSetting("a", "after"), { code: "state_busy" });
  assert.equal(store.read.setting("a"), "before");
});

test("TR-041 the holder says that it lives, without keeping the process alive or moving the generation", async (context) => {
  const directory = folder(context);
  const ticking = new ManualClock();
  await using store = await openStore({ directory, clock: ticking, log: silentLog }, never);
  const db = new DatabaseSync(join(directory, "troupe.db"), { readOnly: true });
  const heartbeat = (): unknown => db.prepare("select heartbeat_ms from lease").get()?.["heartbeat_ms"];
  assert.equal(heartbeat(), ticking.nowMs());
  for (let beat = 0; beat < 3; beat += 1) {
    await ticking.advance(HEARTBEAT_MS);
    await store.setSetting("a", String(beat));
    assert.equal(heartbeat(), ticking.nowMs());
  }
  db.close();
});

test("disposing flushes what was called, gives the lease back, folds the journal away and refuses what comes after", async (context) => {
  const directory = folder(context);
  const store = await open(directory);
  const row = heard({ number: 1 });
  const calls = [store.hear(row), store.start(startRow(row)), store.answer(answerRow(row)), store.settle(settleRow(row))];
  const disposed = store[Symbol.asyncDispose]();
  assert.equal(store[Symbol.asyncDispose](), disposed);
  await assert.rejects(store.setSetting("a", "b"), { code: "closed" });
  await disposed;
  assert.deepEqual(await Promise.all(calls), [
    { kind: "fresh", seq: 1 },
    { started: true, absorbed: [] },
    { stored: true, seq: 2 },
    { settled: true, line: "said" },
  ]);
  assert.throws(() => store.read.counts(), { code: "closed" });
  await assert.rejects(store.hear(row), { code: "closed" });
  assert.deepEqual(readdirSync(directory), ["epoch.json", "troupe.db"]);
  await using again = await open(directory);
  assert.equal(again.read.event(row.event.id)?.text, "line 1");
});

test("an aborted opening gives the lease back", async (context) => {
  const directory = folder(context);
  const controller = new AbortController();
  const opening = openStore({ directory, clock, log: silentLog }, controller.signal);
  controller.abort();
  await assert.rejects(opening, { code: "aborted" });
  await written(directory);
  await assert.rejects(openStore({ directory, clock, log: silentLog }, controller.signal), { code: "aborted" });
});

test("the reader sees committed rows and cannot write", async (context) => {
  const directory = folder(context);
  await using store = await open(directory);
  const pending = store.note(suppressedRow({ number: 1 }));
  assert.equal(store.read.explain(messageIdOf(1)), null);
  await pending;
  assert.equal(store.read.explain(messageIdOf(1))?.decision.reason, "ambient");
  await store.note(decisionRow({ number: 2 }));
  assert.deepEqual(store.read.recentDecisions(1), [messageIdOf(2)]);
});

test("TR-015 TR-073 what is held in memory of who may do what is looked up anew after each change", async (context) => {
  await using store = await open(folder(context));
  const by = { by: LOCAL_OWNER, atMs: 1 };
  const ann = personOf(1);
  const told = (): readonly unknown[] => [store.read.halted()?.atMs ?? null, store.read.pauses().length, store.read.trust(ann)];
  assert.deepEqual(told(), [null, 0, "guest"]);
  await store.halt({ ...by, via: "command" });
  assert.deepEqual(told(), [1, 0, "guest"]);
  await store.rearm(by);
  assert.deepEqual(told(), [null, 0, "guest"]);
  await store.pause({ character: null, place: null, untilMs: null, ...by });
  assert.deepEqual(told(), [null, 1, "guest"]);
  await store.unpause({ character: null, place: null, ...by });
  assert.deepEqual(told(), [null, 0, "guest"]);
  await store.setTrust({ person: ann, role: "trusted", ...by });
  assert.deepEqual(told(), [null, 0, "trusted"]);
});
