import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../foundation/clock.ts";
import { silentLog } from "../../foundation/log.ts";
import { messageIdOf, personOf } from "../../testing/store-rows.ts";
import { directPlace } from "../../vocabulary/place.ts";
import { parseCharacterId, parseSurfaceName } from "../../vocabulary/ids.ts";
import type { Store } from "../store.ts";
import { openStore } from "./sqlite.ts";
import { Writer } from "./writer.ts";

const CHILD = fileURLToPath(new URL("../../testing/store-child.ts", import.meta.url));
const never = new AbortController().signal;
const open = (directory: string): Promise<Store> => openStore({ directory, clock: systemClock, log: silentLog }, never);

interface Child extends AsyncDisposable {
  readonly process: ChildProcess;
  /** Its next line. */
  line(): Promise<string>;
  kill(): Promise<void>;
}

function start(args: readonly string[], uid?: number): Child {
  const child = spawn(process.execPath, [CHILD, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const exit = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const kill = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await exit;
  };
  return {
    process: child,
    line: async () => {
      const next = await lines.next();
      return next.done === true ? "" : next.value;
    },
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

function folder(context: { after(action: () => void): void }): string {
  const made = mkdtempSync(join(tmpdir(), "troupe-store-"));
  context.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Numbers below 1 from a seed, the same each time. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test("TR-042 V1 after kill -9 at any moment every acknowledged verb is there, nothing is torn, and the next start takes over at once", async (context) => {
  const root = folder(context);
  const directory = join(root, "state");
  const ledgerPath = join(root, "ledger");
  writeFileSync(ledgerPath, "");
  const random = seeded(20_260_101);
  let first = 0;
  for (let kill = 1; kill <= 8; kill += 1) {
    const child = start(["write", directory, ledgerPath, String(first)]);
    assert.equal(await child.line(), "ready");
    await systemClock.sleep(Math.floor(random() * 150), never);
    await child.kill();
    first = await checkAfterKill(directory, ledgerPath, kill * 2);
  }
  assert.ok(first > 200, `only ${first} messages were heard`);
});

/** Reopen, compare with the ledger, recover; gives the next message's number. */
async function checkAfterKill(directory: string, ledgerPath: string, generation: number): Promise<number> {
  await using store = await open(directory);
  assert.equal(store.generation, generation);
  const count = checkFile(join(directory, "troupe.db"));
  const acknowledged = readFileSync(ledgerPath, "utf8").split("\n").slice(0, -1);
  for (const line of acknowledged) checkAcknowledged(store, line);
  // Heard in the order of the calls: what is there has no gap, so each acknowledged verb has all before it.
  for (let number = 0; number < count; number += 1) assert.ok(store.read.event(messageIdOf(number)) !== null, `gap at ${number}`);
  await finish(store);
  return count;
}

/** The file is sound and holds whole verbs only: an answer has its line, its part and its ended row, or none of them (V2). */
function checkFile(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true });
  const count = (what: string): number => Number(db.prepare(`select count(*) as n from ${what}`).get()?.["n"]);
  assert.equal(db.prepare("pragma integrity_check").get()?.["integrity_check"], "ok");
  const answered = count("inbox where state = 'ended' and end = 'answered'");
  assert.deepEqual([count("event where author_kind = 'character'"), count("part")], [answered, answered]);
  const heardLines = count("event where author_kind = 'person'");
  assert.deepEqual([count("inbox"), count("decision"), count("event where delivery is not null")], [heardLines, heardLines, heardLines]);
  db.close();
  return heardLines;
}

/** What the ledger says came true is there. */
function checkAcknowledged(store: Store, line: string): void {
  const [what, digits = ""] = line.split(" ");
  const told = store.read.explain(messageIdOf(Number(digits)));
  assert.ok(told !== null, `message ${digits} is lost`);
  if (what !== "h") assert.equal(told.end, "answered", line);
  if (what === "s") assert.equal(told.parts[0]?.state, "delivered", line);
}

/** What the road does after a start: settle what was on its way, then end what may run again. */
async function finish(store: Store): Promise<void> {
  const recovery = await store.recover({ nowMs: 1_800_000_001_000, maxInboxAgeMs: 600_000, maxPartAgeMs: 900_000, maxAttempts: 2 });
  for (const part of recovery.sending)
    await store.settle({ part: part.id, state: "unknown", reason: "restart", platformId: null, atMs: 1, next: null, rest: null });
  for (const row of recovery.open)
    await store.close({ inbox: row.id, turn: null, end: "interrupted", reason: "test", atMs: 1, record: null });
  assert.deepEqual(store.read.counts(), { inbox: { open: 0, running: 0, suspended: 0 }, parts: { queued: 0, sending: 0 } });
}

test("TR-041 of two processes that open one folder at the same moment exactly one wins, and the other hears who", async (context) => {
  for (let round = 0; round < 4; round += 1) {
    const directory = folder(context);
    await using first = start(["hold", directory]);
    await using second = start(["hold", directory]);
    const said = await Promise.all([first.line(), second.line()]);
    const opened = said.filter((line) => line === "opened 1");
    const busy = said.filter((line) => line.startsWith("state_busy "));
    assert.deepEqual([opened.length, busy.length], [1, 1], said.join(" / "));
    const winner = said[0] === "opened 1" ? first : second;
    assert.match(busy[0] ?? "", new RegExp(`process ${winner.process.pid} `));
    assert.ok(busy[0]?.includes(directory));
  }
});

test("TR-041 a folder is free as soon as its holder was killed, and after an orderly end", async (context) => {
  const directory = folder(context);
  const holder = start(["hold", directory]);
  assert.equal(await holder.line(), "opened 1");
  await assert.rejects(open(directory), { code: "state_busy" });
  await holder.kill();
  const store = await open(directory);
  assert.equal(store.generation, 2);
  await store[Symbol.asyncDispose]();
  const next = start(["hold", directory]);
  assert.equal(await next.line(), "opened 3");
  next.process.stdin?.end();
  await once(next.process, "exit");
  assert.equal(next.process.exitCode, 0);
});

test("TR-041 a killed holder that its parent has not looked at yet holds nothing", async (context) => {
  const directory = folder(context);
  const holder = start(["hold", directory]);
  assert.equal(await holder.line(), "opened 1");
  holder.process.kill("SIGKILL");
  // No turn of the event loop passes until the writer is open, so this process has not collected the dead child.
  const status = `/proc/${holder.process.pid}/stat`;
  const until = performance.now() + 2_000;
  while (!/\) [ZX] /.test(readFileSync(status, "utf8")) && performance.now() < until);
  const writer = new Writer({
    path: join(directory, "troupe.db"),
    owner: "o-test",
    nowMs: systemClock.nowMs(),
    maxPageCount: null,
    key: null,
    restored: false,
  });
  assert.match(readFileSync(status, "utf8"), /\) [ZX] /);
  assert.equal(writer.generation, 2);
  writer.close();
  await holder.kill();
});

const UNPRIVILEGED = 65_534;
const isRoot = process.getuid?.() === 0;

/** Runs `hold` as a user without rights of their own; gives the one line it says. */
async function holdUnprivileged(directory: string): Promise<string> {
  await using child = start(["hold", directory], isRoot ? UNPRIVILEGED : undefined);
  child.process.stdin?.end();
  return await child.line();
}

test("TR-085 a read-only folder or database is one line with the path and the cure, and nothing changes", async (context) => {
  const root = folder(context);
  chmodSync(root, 0o755);
  const directory = join(root, "state");
  await (await open(directory))[Symbol.asyncDispose]();
  const database = join(directory, "troupe.db");
  if (isRoot) for (const path of [directory, database, join(directory, "epoch.json")]) chownSync(path, UNPRIVILEGED, UNPRIVILEGED);
  const before = readFileSync(database);
  const refused = async (path: string): Promise<void> => {
    const line = await holdUnprivileged(directory);
    assert.ok(line.startsWith("state_unwritable "), line);
    assert.ok(line.includes(path) && line.includes("TROUPE_STATE"), line);
    assert.deepEqual(readFileSync(database), before);
  };
  chmodSync(directory, 0o500);
  await refused(directory);
  chmodSync(directory, 0o700);
  chmodSync(database, 0o400);
  await refused(database);
  chmodSync(database, 0o600);
  assert.match(await holdUnprivileged(directory), /^opened 2$/);
  assert.equal(statSync(database).mode & 0o777, 0o600);
});

test("TR-085 a folder of somebody else's is refused", { skip: isRoot ? false : "needs a second user" }, async (context) => {
  const root = folder(context);
  chmodSync(root, 0o755);
  const directory = join(root, "state");
  await (await open(directory))[Symbol.asyncDispose]();
  assert.match(await holdUnprivileged(directory), /^state_unwritable .*TROUPE_STATE/);
  assert.match(await holdUnprivileged(join(directory, "deeper")), /^state_unwritable /);
});

test("TR-042 lines of a place keep their order over kills", async (context) => {
  const directory = folder(context);
  const ledgerPath = join(directory, "..", `${directory.split("/").at(-1)}-ledger`);
  context.after(() => rmSync(ledgerPath, { force: true }));
  const child = start(["write", directory, ledgerPath, "0"]);
  assert.equal(await child.line(), "ready");
  await systemClock.sleep(60, never);
  await child.kill();
  await using store = await open(directory);
  const place = directPlace(parseSurfaceName("parlour"), parseCharacterId("mirelle"), personOf(0));
  const lines = store.read.events(place.id, 1_000);
  assert.ok(lines.length > 0);
  assert.deepEqual(
    lines.map((line) => line.seq),
    lines.map((_, index) => index + 1),
  );
  const answered = lines.filter((line) => line.turn !== undefined);
  for (const line of answered) assert.ok(line.state === "said" || line.state === "pending");
});
