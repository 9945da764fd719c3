import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { silentLog } from "../../../foundation/log.ts";
import { ManualClock } from "../../../testing/manual-clock.ts";
import { STORE_TIME_MS, answerRow, heard, personOf, settleRow, startRow } from "../../../testing/store-rows.ts";
import type { HeardRow } from "../../../testing/store-rows.ts";
import { parseApprovalId } from "../../../vocabulary/ids.ts";
import type { Store } from "../../store.ts";
import { EPOCH_FILE, readEpochFile } from "./epoch-file.ts";
import { HEARTBEAT_MS } from "./lease.ts";
import { openStore } from "../sqlite.ts";

const never = new AbortController().signal;
const KEY = new Uint8Array(32).fill(9);
const RECOVER = { nowMs: STORE_TIME_MS + 1_000, maxInboxAgeMs: 600_000, maxPartAgeMs: 900_000, maxAttempts: 2 };

function folder(context: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), "troupe-epoch-"));
  context.after(() => rmSync(made, { recursive: true, force: true }));
  return join(made, "state");
}

const open = (directory: string, how: { restored?: boolean; clock?: ManualClock } = {}): Promise<Store> =>
  openStore(
    {
      directory,
      clock: how.clock ?? new ManualClock(STORE_TIME_MS),
      log: silentLog,
      installation: { key: KEY, restored: how.restored ?? false },
    },
    never,
  );

/** Take what stands in the database files, as a copy of the folder would. */
function takeCopy(directory: string): () => void {
  const names = ["troupe.db", "troupe.db-wal"].filter((name) => existsSync(join(directory, name)));
  const kept = names.map((name) => [name, readFileSync(join(directory, name))] as const);
  return () => {
    for (const name of ["troupe.db", "troupe.db-wal", "troupe.db-shm"]) rmSync(join(directory, name), { force: true });
    for (const [name, bytes] of kept) writeFileSync(join(directory, name), bytes, { mode: 0o600 });
    // The process that held it then is gone; here it is this one.
    const db = new DatabaseSync(join(directory, "troupe.db"));
    db.exec("update lease set owner = '', pid = 0; pragma wal_checkpoint(passive)");
    db.close();
  };
}

async function answered(store: Store, row: HeardRow, parts = 1): Promise<void> {
  await store.hear(row);
  await store.start(startRow(row));
  await store.answer(answerRow(row, parts));
}

/** Everything that SE-099 names, in a database. */
async function fill(store: Store): Promise<void> {
  await answered(store, heard({ number: 1, person: 1, text: "zebrawords" }));
  await store.settle(settleRow(heard({ number: 1, person: 1 })));
  await answered(store, heard({ number: 2, person: 2 }), 3);
  await store.hear(heard({ number: 3, person: 3 }));
  const asked = heard({ number: 4, person: 4 });
  await store.hear(asked);
  await store.start(startRow(asked));
  const question = { digest: "d", call: "c", state: "s", expiresAtMs: STORE_TIME_MS + 9e8 };
  await store.suspend({
    turn: startRow(asked).turn,
    inbox: asked.inbox.id,
    approval: parseApprovalId("a-0001"),
    question,
    person: personOf(4),
    atMs: STORE_TIME_MS,
  });
  await store.setTrust({ person: personOf(5), role: "trusted", by: personOf(0), atMs: STORE_TIME_MS });
  await store.setTrust({ person: personOf(6), role: "blocked", by: personOf(0), atMs: STORE_TIME_MS });
}

/** No authority of the copy is left in the store. */
async function isDisarmed(store: Store): Promise<void> {
  const recovery = await store.recover(RECOVER);
  assert.deepEqual([recovery.sending, recovery.queued, recovery.open], [[], [], []], "nothing is run or sent");
  const told = store.read.explain(heard({ number: 2 }).event.id);
  assert.deepEqual(
    told?.parts.map(({ state }) => state),
    ["unknown", "unknown", "unknown"],
  );
  assert.equal(store.read.explain(heard({ number: 3 }).event.id)?.end, "interrupted");
  assert.equal(store.read.pendingApproval(parseApprovalId("a-0001")), null);
  const answer = {
    approval: parseApprovalId("a-0001"),
    digest: "d",
    person: personOf(4),
    answer: "yes",
    atMs: STORE_TIME_MS,
    inbox: heard({ number: 9 }).inbox.id,
  };
  assert.deepEqual(await store.resume(answer), { resumed: false });
  assert.deepEqual([store.read.trust(personOf(5)), store.read.trust(personOf(6))], ["guest", "blocked"]);
  assert.ok(store.read.charged(`calls:person:${personOf(7)}`, Math.floor(STORE_TIME_MS / 86_400_000) * 86_400_000) > 1e9, "today is spent");
  assert.equal(store.read.charged(`calls:person:${personOf(7)}`, STORE_TIME_MS + 86_400_000), 0, "tomorrow is not");
}

test("SE-099 a database that is older than the folder knows is refused, whatever happened since, and nothing is changed", async (context) => {
  const since: readonly [string, (store: Store, clock: ManualClock) => Promise<void>][] = [
    ["a revoked trust", (store) => store.setTrust({ person: personOf(5), role: "guest", by: personOf(0), atMs: 1 })],
    ["a forgetting", async (store) => void (await store.forget({ person: personOf(1), atMs: STORE_TIME_MS, request: null }))],
    [
      "work, once a heartbeat came",
      async (store, clock) => {
        await answered(store, heard({ number: 8 }));
        await clock.advance(HEARTBEAT_MS);
        await store.setSetting("a", "b");
      },
    ],
    ["an orderly end alone", () => Promise.resolve()],
  ];
  for (const [what, happen] of since) {
    const directory = folder(context);
    const clock = new ManualClock(STORE_TIME_MS);
    const store = await open(directory, { clock });
    await fill(store);
    const putBack = takeCopy(directory);
    await happen(store, clock);
    // All but the last end as a crash does: the files as they are now, and no farewell.
    const crashed = what.startsWith("an orderly") ? null : readFileSync(join(directory, EPOCH_FILE));
    await store[Symbol.asyncDispose]();
    if (crashed !== null) writeFileSync(join(directory, EPOCH_FILE), crashed);
    putBack();
    const before = readFileSync(join(directory, "troupe.db"));
    await assert.rejects(open(directory), (error: Error & { code?: string }) => {
      assert.equal(error.code, "state_older", what);
      assert.match(error.message, /--restored/);
      assert.ok(!error.message.includes("\n"));
      return true;
    });
    assert.deepEqual(readFileSync(join(directory, "troupe.db")), before);
  }
});

test("SE-099 TR-043 with --restored an older copy opens without its authority, and who was forgotten since stays so", async (context) => {
  const directory = folder(context);
  const store = await open(directory);
  await fill(store);
  await store.calls.endorse({ sha256: "a".repeat(64), name: "card.json", by: personOf(0), atMs: 1 });
  const putBack = takeCopy(directory);
  await store.setTrust({ person: personOf(5), role: "guest", by: personOf(0), atMs: 1 });
  await store.forget({ person: personOf(1), atMs: STORE_TIME_MS, request: null });
  await store[Symbol.asyncDispose]();
  putBack();
  assert.ok(
    readFileSync(join(directory, "troupe.db")).includes("zebrawords") ||
      readFileSync(join(directory, "troupe.db-wal")).includes("zebrawords"),
  );
  {
    await using restored = await open(directory, { restored: true });
    assert.deepEqual(restored.restored, { approvals: 1, parts: 3, messages: 2, trusted: 1 });
    assert.equal(restored.read.event(heard({ number: 1 }).event.id), null);
    assert.deepEqual(restored.read.calls.endorsements(), [], "what was taken as own words then may be so no more");
    await isDisarmed(restored);
    for (const name of ["troupe.db", "troupe.db-wal"]) assert.ok(!readFileSync(join(directory, name)).includes("zebrawords"), name);
    await restored.setTrust({ person: personOf(5), role: "trusted", by: personOf(0), atMs: 2 });
    assert.equal(restored.read.trust(personOf(5)), "trusted", "confirmed");
  }
  await using after = await open(directory);
  assert.equal(after.restored, null, "from then on it is the newest");
  assert.equal(after.read.trust(personOf(5)), "trusted");
});

test("SE-099 a crash between database and second file, on either side, refuses nobody's own database", async (context) => {
  const directory = folder(context);
  await (await open(directory))[Symbol.asyncDispose]();
  const file = join(directory, EPOCH_FILE);
  const behind = readFileSync(file);
  await (await open(directory))[Symbol.asyncDispose]();
  // The database knows the new epoch, the file not yet.
  writeFileSync(file, behind);
  await (await open(directory))[Symbol.asyncDispose]();
  // A file that was being written.
  writeFileSync(`${file}.new`, '{"epo');
  await (await open(directory))[Symbol.asyncDispose]();
  rmSync(file);
  await (await open(directory))[Symbol.asyncDispose]();
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const { epoch } = readEpochFile(directory);
  rmSync(join(directory, "troupe.db"));
  await (await open(directory))[Symbol.asyncDispose]();
  assert.ok(readEpochFile(directory).epoch > epoch, "a new database goes on above what was");
});

test("SE-099 a second file that cannot be read is no leave to open anything", async (context) => {
  const directory = folder(context);
  await (await open(directory))[Symbol.asyncDispose]();
  for (const text of ["", "{}", '{"epoch":-1,"forgotten":[]}', '{"epoch":1,"forgotten":[["room:x",1]]}', '{"epoch":1e99,"forgotten":[]}']) {
    writeFileSync(join(directory, EPOCH_FILE), text);
    await assert.rejects(open(directory), { code: "state_corrupt" }, text);
  }
});

test("TR-095 SE-099 a copy made while verbs go on holds one moment whole, is private, and opens only as a restored one", async (context) => {
  const directory = folder(context);
  const elsewhere = folder(context);
  await using store = await open(directory);
  await fill(store);
  const more = Array.from({ length: 400 }, (_, number) => store.hear(heard({ number: 100 + number, person: 8 })));
  const { path: copy } = await store.copyAside(never);
  await Promise.all(more);
  assert.equal(statSync(copy).mode & 0o777, 0o600);
  assert.ok(!existsSync(`${copy}-wal`) && !existsSync(`${copy}-journal`));
  assert.equal(dirname(copy), directory, "in the state folder, whoever asks");
  const { path: another } = await store.copyAside(never);
  assert.notEqual(another, copy);
  cpSync(copy, join(elsewhere, "troupe.db"));
  await assert.rejects(open(elsewhere), { code: "state_older" });
  await using restored = await open(elsewhere, { restored: true });
  await isDisarmed(restored);
  assert.equal(restored.read.event(heard({ number: 1 }).event.id)?.text, "zebrawords");
});

test("TR-095 before a database is brought to another version a copy is put aside, which goes after a day", async (context) => {
  const directory = folder(context);
  await (await open(directory))[Symbol.asyncDispose]();
  // As version 1 left it.
  rmSync(join(directory, "troupe.db"));
  const { MIGRATIONS, SCHEMA_VERSION, migrate } = await import("./schema.ts");
  const { Statements } = await import("../rows/statements.ts");
  const db = new DatabaseSync(join(directory, "troupe.db"));
  migrate(new Statements(db), MIGRATIONS.slice(0, 1));
  db.exec("insert into setting(key, value) values ('a', 'kept')");
  db.close();
  rmSync(join(directory, EPOCH_FILE));
  await using store = await open(directory);
  const aside = join(directory, `before-format-${SCHEMA_VERSION}.db`);
  const old = new DatabaseSync(aside, { readOnly: true });
  assert.equal(old.prepare("select value from meta where key = 'schema'").get()?.["value"], "1");
  assert.equal(old.prepare("select value from setting where key = 'a'").get()?.["value"], "kept");
  old.close();
  assert.equal(statSync(aside).mode & 0o777, 0o600);
  const cut = {
    decisionsBeforeMs: 0,
    publicBeforeMs: 0,
    directBeforeMs: STORE_TIME_MS,
    deliveriesBeforeMs: 0,
    membersBeforeMs: 0,
    toldBeforeMs: 0,
    sessionsBeforeMs: 0,
  };
  utimesSync(aside, STORE_TIME_MS / 1_000, STORE_TIME_MS / 1_000);
  await store.retain(cut);
  assert.ok(existsSync(aside));
  await store.retain({ ...cut, directBeforeMs: STORE_TIME_MS + 1_000 });
  assert.ok(!existsSync(aside));
});
