import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { isRuntimeError } from "../../foundation/errors.ts";
import { ensureStateDirectory, inspectStateDirectory } from "./state-directory.ts";

function folder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "troupe-state-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

test("a new state folder is private whatever the umask, with the folders above it made on the way", () => {
  using outer = folder();
  const path = join(outer.path, "deep", "state");
  const before = process.umask(0);
  try {
    assert.deepEqual(inspectStateDirectory(path), { kind: "can_be_made" });
    assert.deepEqual(readdirSync(outer.path), []);
    ensureStateDirectory(path);
  } finally {
    process.umask(before);
  }
  assert.equal(statSync(path).mode & 0o777, 0o700);
  assert.deepEqual(inspectStateDirectory(path), { kind: "there" });
  ensureStateDirectory(path);
});

test("TR-085 a file in the way, or a folder that everyone can write to, is refused in one clear line", () => {
  using outer = folder();
  const file = join(outer.path, "file");
  writeFileSync(file, "x");
  for (const path of [file, join(file, "state")]) {
    assert.throws(
      () => ensureStateDirectory(path),
      (error) => isRuntimeError(error, "state_unwritable") && !error.message.includes("\n"),
    );
    assert.equal(inspectStateDirectory(path).kind, "refused");
  }
  const open = join(outer.path, "open");
  mkdirSync(open);
  chmodSync(open, 0o777);
  assert.throws(
    () => ensureStateDirectory(open),
    (error) => isRuntimeError(error, "state_unwritable") && /chmod 700/.test(error.message),
  );
  const real = join(outer.path, "real");
  mkdirSync(real, { mode: 0o700 });
  symlinkSync(real, join(outer.path, "link"));
  assert.throws(
    () => ensureStateDirectory(join(outer.path, "link")),
    (error) => isRuntimeError(error, "state_unwritable") && /symbolic link/.test(error.message),
  );
  assert.deepEqual(
    [open, join(outer.path, "link"), real].map((path) => inspectStateDirectory(path).kind),
    ["refused", "refused", "there"],
    "what is found beforehand is what a start does",
  );
});

test("TR-085 a read-only folder is refused, as seen by a user who is not root", () => {
  using outer = folder();
  const readOnly = join(outer.path, "read-only");
  mkdirSync(readOnly, { mode: 0o755 });
  chmodSync(outer.path, 0o755);
  chmodSync(readOnly, 0o555);
  const code = `
    const { ensureStateDirectory, inspectStateDirectory } = await import(${JSON.stringify(new URL("./state-directory.ts", import.meta.url).href)});
    for (const path of ${JSON.stringify([readOnly, join(readOnly, "state")])}) {
      try { ensureStateDirectory(path); console.log("accepted"); } catch (error) { console.log(error.code, inspectStateDirectory(path).kind); }
    }`;
  const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const run = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    ...asNobody,
    cwd: "/",
    encoding: "utf8",
    timeout: 30_000,
  });
  assert.equal(run.stdout, "state_unwritable refused\nstate_unwritable refused\n", run.stderr);
});
