import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../foundation/clock.ts";
import { silentLog } from "../../foundation/log.ts";
import { STORE_TIME_MS, heard, messageIdOf, personOf } from "../../testing/store-rows.ts";
import { copyDatabase } from "../sqlite/file/copy-database.ts";
import { openStore } from "../sqlite/sqlite.ts";
import { checkBackup, packBackup, restoreBackup } from "./backup.ts";
import { readTarHeader, tarHeader } from "./tar.ts";

const CHILD = fileURLToPath(new URL("../../testing/store-child.ts", import.meta.url));
const never = new AbortController().signal;
const clock = systemClock;
const HOW = { version: "0.1.0", madeAtMs: STORE_TIME_MS };

function folder(context: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), "troupe-backup-"));
  context.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** A state folder with one line in it, and a configuration beside. */
async function installation(root: string): Promise<{ readonly state: string; readonly config: string; readonly key: string }> {
  const state = join(root, ".troupe");
  {
    await using store = await openStore(
      { directory: state, clock, log: silentLog, installation: { key: new Uint8Array(32).fill(4) } },
      never,
    );
    await store.hear(heard({ number: 1, person: 1, text: "zebrawords" }));
    await store.setTrust({ person: personOf(2), role: "trusted", by: personOf(0), atMs: 1 });
  }
  const config = join(root, "troupe.yaml");
  writeFileSync(config, "characters: {}\n");
  const key = join(state, "install.key");
  writeFileSync(key, new Uint8Array(32).fill(4), { mode: 0o600 });
  return { state, config, key };
}

async function packed(root: string, how: { secrets?: boolean } = {}): Promise<string> {
  const { state, config, key } = await installation(root);
  const databaseCopy = join(root, "copy.db");
  const copy = copyDatabase(join(state, "troupe.db"), databaseCopy, STORE_TIME_MS);
  const file = join(root, "backup.tar");
  await packBackup(file, { databaseCopy, copy, config, installKey: how.secrets === true ? key : null }, HOW, never);
  assert.ok(!existsSync(databaseCopy));
  return file;
}

test("TR-095 a backup is one private file with a manifest, configuration in it, and no secret unless asked", async (context) => {
  const root = folder(context);
  const file = await packed(root);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const manifest = await checkBackup(file, never);
  assert.deepEqual(
    manifest.files.map(({ name }) => name),
    ["troupe.db", "config/troupe.yaml"],
  );
  assert.equal(manifest.withSecrets, false);
  assert.ok(!readFileSync(file).includes(Buffer.alloc(32, 4)));
  const secret = await packed(folder(context), { secrets: true });
  assert.deepEqual(
    (await checkBackup(secret, never)).files.map(({ name }) => name),
    ["troupe.db", "config/troupe.yaml", "secrets/install.key"],
  );
  const listed = spawnSync("tar", ["tf", secret], { encoding: "utf8" });
  assert.equal(listed.stdout, "troupe.db\nconfig/troupe.yaml\nsecrets/install.key\nmanifest.json\n", "any tar reads it");
});

test("TR-095 a backup that lacks a byte, has another, or is no backup is refused whole", async (context) => {
  const root = folder(context);
  const file = await packed(root);
  const whole = readFileSync(file);
  for (const at of [0, 100, 136, 600, 40_000, whole.length - 1_200]) {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ 0x55;
    writeFileSync(file, bytes);
    await assert.rejects(checkBackup(file, never), { code: "state_corrupt" }, String(at));
  }
  writeFileSync(file, whole);
  await checkBackup(file, never);
  for (const bytes of [whole.length - 1_800, 5_000, 512, 10, 0]) {
    truncateSync(file, bytes);
    await assert.rejects(checkBackup(file, never), { code: "state_corrupt" }, String(bytes));
    const to = join(root, "to");
    await assert.rejects(restoreBackup(file, { folder: to, besides: null, clock }, never), { code: "state_corrupt" });
    assert.ok(!existsSync(to));
    writeFileSync(file, whole);
  }
  await assert.rejects(checkBackup(join(root, "missing"), never), { code: "not_found" });
});

test("TR-095 a name that leads out of the archive is neither written nor read", () => {
  for (const name of ["../x", "/etc/passwd", "a/../b", "a/b/c", "", ".hidden", "x".repeat(90)])
    assert.throws(() => tarHeader({ name, bytes: 1 }, 0), { code: "invalid_argument" }, name);
  const block = tarHeader({ name: "config/troupe.yaml", bytes: 7 }, STORE_TIME_MS);
  assert.deepEqual(readTarHeader(block), { name: "config/troupe.yaml", bytes: 7 });
  const link = Uint8Array.from(block);
  link[156] = 0x32;
  assert.throws(() => readTarHeader(link), { code: "state_corrupt" });
});

test("TR-095 SE-099 TR-043 a restore takes only an empty folder, takes all authority, and keeps who was forgotten here since forgotten", async (context) => {
  const root = folder(context);
  const file = await packed(root);
  const state = join(root, ".troupe");
  await assert.rejects(restoreBackup(file, { folder: root, besides: null, clock }, never), { code: "usage" });
  assert.ok(existsSync(file));
  {
    await using store = await openStore(
      { directory: state, clock, log: silentLog, installation: { key: new Uint8Array(32).fill(4) } },
      never,
    );
    await store.forget({ person: personOf(1), atMs: STORE_TIME_MS, request: null });
  }
  const alone = join(root, "alone");
  mkdirSync(alone);
  const first = await restoreBackup(file, { folder: alone, besides: null, clock }, never);
  assert.deepEqual(first.restored, { approvals: 0, parts: 0, messages: 1, trusted: 1 });
  assert.deepEqual(readdirSync(alone).toSorted(), [".troupe", "troupe.yaml"]);
  assert.ok(readFileSync(join(alone, ".troupe", "troupe.db")).includes("zebrawords"), "nobody here knows of the forgetting");
  const beside = join(root, "beside");
  await restoreBackup(file, { folder: beside, besides: state, clock }, never);
  for (const name of readdirSync(join(beside, ".troupe")))
    assert.ok(!readFileSync(join(beside, ".troupe", name)).includes("zebrawords"), name);
  await using opened = await openStore({ directory: join(beside, ".troupe"), clock, log: silentLog }, never);
  assert.equal(opened.restored, null, "what was restored simply starts");
  assert.equal(opened.read.trust(personOf(2)), "guest");
});

test("TR-095 SE-099 a backup taken while a process writes loses nothing that was acknowledged before it, and restores to nothing that is sent twice", async (context) => {
  const root = folder(context);
  const state = join(root, ".troupe");
  const ledger = join(root, "ledger");
  writeFileSync(ledger, "");
  const child = spawn(process.execPath, [CHILD, "write", state, ledger, "0"], { stdio: ["pipe", "pipe", "inherit"] });
  const exit = once(child, "exit");
  await once(child.stdout, "data");
  const acknowledged = (): string[] => readFileSync(ledger, "utf8").split("\n").slice(0, -1);
  for (let round = 0; round < 2; round += 1) {
    const heardBefore = (round + 1) * 300;
    while (acknowledged().length < heardBefore) await systemClock.sleep(2, never);
    const before = acknowledged();
    const databaseCopy = join(root, `copy-${round}.db`);
    const copy = copyDatabase(join(state, "troupe.db"), databaseCopy, STORE_TIME_MS);
    // The process goes on writing meanwhile.
    while (acknowledged().length <= before.length) await systemClock.sleep(2, never);
    const file = join(root, `backup-${round}.tar`);
    await packBackup(file, { databaseCopy, copy, config: null, installKey: null }, HOW, never);
    await checkRestored(file, join(root, `restored-${round}`), before);
  }
  child.kill("SIGKILL");
  await exit;
});

async function checkRestored(file: string, to: string, before: readonly string[]): Promise<void> {
  const { restored } = await restoreBackup(file, { folder: to, besides: null, clock }, never);
  await using store = await openStore({ directory: join(to, ".troupe"), clock, log: silentLog }, never);
  const again = await store.recover({ nowMs: STORE_TIME_MS + 1, maxInboxAgeMs: 1e9, maxPartAgeMs: 1e9, maxAttempts: 2 });
  assert.deepEqual([again.sending, again.queued, again.open], [[], [], []]);
  for (const line of before) {
    const [what, digits] = line.split(" ");
    const told = store.read.explain(messageIdOf(Number(digits)));
    assert.ok(told !== null && store.read.event(messageIdOf(Number(digits))) !== null, line);
    if (what !== "h") assert.equal(told.end, "answered", line);
    if (what === "s") assert.equal(told.parts[0]?.state, "delivered", line);
  }
  const db = new DatabaseSync(join(to, ".troupe", "troupe.db"), { readOnly: true });
  const count = (what: string): number => Number(db.prepare(`select count(*) as n from ${what}`).get()?.["n"]);
  assert.equal(db.prepare("pragma integrity_check").get()?.["integrity_check"], "ok");
  assert.equal(count("part where state = 'unknown'"), restored.parts);
  assert.equal(count("part where state not in ('delivered', 'unknown')"), 0);
  assert.equal(count("inbox where state <> 'ended'"), 0);
  assert.equal(count("event where state = 'pending'"), 0);
  db.close();
}
