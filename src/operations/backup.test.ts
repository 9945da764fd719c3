import assert from "node:assert/strict";
import { test } from "node:test";
import { isRuntimeError } from "../foundation/errors.ts";
import type { Archives, BackupAnswer, RestoreAnswer } from "./backup.ts";
import { bindBackup, bindCopyDatabase, restore } from "./backup.ts";
import { LOCAL_ACTOR } from "./local-actor.ts";
import { createOperations } from "./operations.ts";

const { signal } = new AbortController();

function answer(names: readonly string[]): BackupAnswer {
  const files = names.map((name) => ({ name, bytes: 1, sha256: "0".repeat(64) }));
  return { file: "/home/a.tar", version: "1", madeAtMs: 0, withSecrets: false, files };
}

function restored(names: readonly string[]): RestoreAnswer {
  return { backup: answer(names), folder: "/new", restored: { approvals: 0, parts: 0, messages: 0, trusted: 0 } };
}

/** Both commands over archives that are not there; `asked` tells what was asked of them. */
function commands(): { readonly asked: string[]; run(name: string, args: unknown): Promise<unknown> } {
  const asked: string[] = [];
  const archives: Archives = {
    pack: () => Promise.resolve(answer([])).finally(() => asked.push("pack")),
    check: () => Promise.resolve(answer([])).finally(() => asked.push("check")),
    restore: () => Promise.resolve(restored([])).finally(() => asked.push("restore")),
    exists: (path) => path === "/home" || path === "/home/.troupe",
    isProtected: (path) => path.startsWith("/home/.troupe"),
  };
  const remote = (name: string): Promise<unknown> =>
    Promise.resolve({ path: "/home/.troupe/copy-1.db", epoch: 1, schema: 1 }).finally(() => asked.push(name));
  const operations = createOperations(bindBackup({ cwd: "/home", archives, remote }));
  return { asked, run: (name, args) => operations.run(name, args, LOCAL_ACTOR, signal) };
}

test("TR-095 a backup into a folder that is not there names that folder, and asks nobody for a copy", async () => {
  const { asked, run } = commands();
  await assert.rejects(run("backup", { file: "/nodir/x" }), (error) => {
    assert.ok(isRuntimeError(error, "usage"));
    assert.equal(error.message, "Cannot make /nodir/x: there is no folder /nodir");
    return true;
  });
  assert.deepEqual(asked, []);
  await run("backup", { file: "x" });
  assert.deepEqual(asked, ["copy-database", "pack"]);
});

test("TR-095 TR-043 a backup into the state folder is refused: what forgetting erases must not stand in it", async () => {
  const { asked, run } = commands();
  await assert.rejects(run("backup", { file: ".troupe/mine.tar" }), (error) => {
    assert.ok(isRuntimeError(error, "usage"));
    assert.equal(error.message, "Cannot make /home/.troupe/mine.tar: it lies in the state folder; name a file elsewhere");
    return true;
  });
  assert.deepEqual(asked, []);
});

test("TR-095 a copy of the database goes where the runtime says; nobody can name a place for it", async () => {
  const { run } = commands();
  await assert.rejects(run("backup", { file: "x", to: "/tmp/public" }), (error) => isRuntimeError(error, "usage"));

  const made: unknown[] = [];
  const operations = createOperations([
    bindCopyDatabase(() => Promise.resolve({ path: "/s/copy.db", epoch: 1, schema: 1 }).finally(() => made.push(1))),
  ]);
  await assert.rejects(operations.run("copy-database", { to: "/tmp/public.db" }, LOCAL_ACTOR, signal), (error) =>
    isRuntimeError(error, "usage"),
  );
  assert.deepEqual(made, []);
});

test("TR-095 a restore either looks through or restores: both or neither is a usage error", async () => {
  const { asked, run } = commands();
  for (const args of [{ file: "x" }, { file: "x", check: true, to: "/new" }])
    await assert.rejects(run("restore", args), (error) => isRuntimeError(error, "usage"));
  assert.deepEqual(asked, []);
  await run("restore", { file: "x", check: true });
  await run("restore", { file: "x", to: "/new" });
  assert.deepEqual(asked, ["check", "restore"]);
});

test("TR-095 a restore ends with how to start what it restored", () => {
  const last = (names: readonly string[]): string | undefined => restore.present(restored(names)).lines.at(-1)?.text;
  assert.equal(last(["troupe.db", "config/troupe.yaml"]), "Start it: troupe run --config /new/troupe.yaml");
  assert.equal(last(["troupe.db"]), "Start it: troupe run --state /new/.troupe");
});
