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
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isRuntimeError } from "../foundation/errors.ts";
import type { LogFile } from "./log-file.ts";
import { openLogFile } from "./log-file.ts";

interface Logged extends Disposable {
  readonly path: string;
  readonly folder: string;
  readonly elsewhere: string[];
  open(more?: { maxBytes?: number; keep?: number }): LogFile;
}

function logged(): Logged {
  const folder = mkdtempSync(join(tmpdir(), "troupe-log-"));
  const path = join(folder, "log", "troupe.log");
  const elsewhere: string[] = [];
  return {
    path,
    folder,
    elsewhere,
    open: ({ maxBytes = 1_000, keep = 2 } = {}) => openLogFile({ path, maxBytes, keep }, (line) => elsewhere.push(line)),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const line = (number: number): string => `${JSON.stringify({ at: "now", number: String(number).padStart(6, "0") })}\n`;
const modeOf = (path: string): number => statSync(path).mode & 0o777;

test("TR-095 a full log file is put aside: each stays under its size, only so many are kept, and no kept line is torn or twice", () => {
  using here = logged();
  using log = here.open();
  const count = 400;
  for (let at = 0; at < count; at += 1) log.write(line(at));
  assert.deepEqual(readdirSync(join(here.folder, "log")).toSorted(), ["troupe.log", "troupe.log.1", "troupe.log.2"]);
  const files = [`${here.path}.2`, `${here.path}.1`, here.path];
  const lines = files.flatMap((file) => {
    assert.ok(statSync(file).size <= 1_000);
    assert.equal(modeOf(file), 0o600);
    return readFileSync(file, "utf8").split(/(?<=\n)/);
  });
  const kept = Array.from({ length: lines.length }, (_, at) => line(count - lines.length + at));
  assert.deepEqual(lines, kept, "the newest lines, in order, whole");
  assert.ok(log.rotations > 2);
  assert.deepEqual([log.dropped, here.elsewhere], [0, []]);
});

test("TR-095 a later start goes on where the file ends, and makes a file that others could read private", () => {
  using here = logged();
  {
    using first = here.open();
    first.write(line(1));
  }
  chmodSync(here.path, 0o644);
  using second = here.open({ keep: 0 });
  second.write(line(2));
  assert.equal(readFileSync(here.path, "utf8"), line(1) + line(2));
  assert.equal(modeOf(here.path), 0o600);
  for (let at = 0; at < 100; at += 1) second.write(line(at));
  assert.deepEqual(readdirSync(join(here.folder, "log")), ["troupe.log"], "keep 0 keeps the present one alone");
});

test("TR-095 what the file cannot take is counted and goes the other way; writing never fails", () => {
  using here = logged();
  using log = here.open();
  log.write(`${"x".repeat(2_000)}\n`);
  assert.deepEqual([log.dropped, here.elsewhere.length], [1, 1]);
  log.write(line(1));
  rmSync(join(here.folder, "log"), { recursive: true });
  for (let at = 0; at < 60; at += 1) log.write(line(at));
  assert.ok(log.dropped > 1, "its folder is gone, so a new file cannot be opened");
  mkdirSync(join(here.folder, "log"));
  log.write(line(2));
  assert.equal(readFileSync(here.path, "utf8"), line(2), "with its folder back it goes on");
});

test("TR-085 a log file that is a link, a folder or a pipe's place is one clear line, and nothing is written through it", () => {
  for (const make of [(path: string) => symlinkSync(join(path, "..", "..", "elsewhere"), path), (path: string) => mkdirSync(path)]) {
    using here = logged();
    mkdirSync(join(here.folder, "log"));
    make(here.path);
    assert.throws(
      () => here.open(),
      (error) => isRuntimeError(error, "state_unwritable") && /correct log\.file$|no regular file$/.test(error.message),
    );
    assert.equal(existsSync(join(here.folder, "elsewhere")), false);
  }
  using here = logged();
  writeFileSync(join(here.folder, "log"), "a file");
  assert.throws(
    () => here.open(),
    (error) => isRuntimeError(error, "state_unwritable"),
  );
});
