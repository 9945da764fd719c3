import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { isRuntimeError } from "../foundation/errors.ts";
import { loadConfig } from "./load.ts";
import { scaffoldConfig } from "./scaffold.ts";

test("init writes a private, commented file that loads to just what the built-in example gives", () => {
  const cwd = mkdtempSync(join(tmpdir(), "troupe-init-"));
  try {
    const example = loadConfig({ cwd, environment: {} });
    const path = join(cwd, "troupe.yaml");
    assert.deepEqual(scaffoldConfig(cwd), { kind: "written", path });
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(cwd), ["troupe.yaml"]);
    const loaded = loadConfig({ cwd, environment: {} });
    assert.deepEqual({ ...loaded.config, source: null }, { ...example.config, source: null });
    assert.match(readFileSync(path, "utf8"), /^# models:$/m);
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
});

test("the models that the file shows as a comment load when the marks are taken away", () => {
  const cwd = mkdtempSync(join(tmpdir(), "troupe-init-"));
  try {
    scaffoldConfig(cwd);
    const path = join(cwd, "troupe.yaml");
    const [before, comment] = readFileSync(path, "utf8").split(/(?=^# models:$)/m);
    writeFileSync(path, `${before}${(comment ?? "").replace(/^# /gm, "")}`);
    assert.equal(loadConfig({ cwd, environment: {} }).config.models.defaultModel, "local/my-model");
    writeFileSync(
      path,
      `${before}${(comment ?? "")
        .replace(/^# /gm, "")
        .replace(/^( *)# (?=hosted)/m, "$1")
        .replace("https://…", "https://models.example.org")}`,
    );
    assert.equal(
      loadConfig({ cwd, environment: { HOSTED_KEY: "k-0123456789abcdefghij" } }).config.models.hosts.get("hosted")?.models.size,
      1,
    );
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
});

test("init never touches what is there, whatever it is, and leaves nothing behind", () => {
  for (const make of [
    (path: string) => writeFileSync(path, "mine"),
    (path: string) => mkdirSync(path),
    (path: string) => symlinkSync("/nowhere", path),
  ]) {
    const cwd = mkdtempSync(join(tmpdir(), "troupe-init-"));
    try {
      const path = join(cwd, "troupe.yaml");
      make(path);
      assert.deepEqual(scaffoldConfig(cwd), { kind: "exists", path });
      assert.deepEqual(readdirSync(cwd), ["troupe.yaml"]);
    } finally {
      rmSync(cwd, { recursive: true, force: true });
    }
  }
  assert.throws(
    () => scaffoldConfig("/nonexistent/folder"),
    (error) => isRuntimeError(error, "state_unwritable"),
  );
});
