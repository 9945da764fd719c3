import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync, chmodSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { isRuntimeError } from "../../foundation/errors.ts";
import { stampOf } from "../files/bounded-file.ts";
import { EXAMPLE_YAML } from "./example.ts";
import { loadConfig } from "../load.ts";
import { folderAsText } from "../../testing/folder-as-text.ts";
import type { Setup } from "./write-setup.ts";
import { writeSetup } from "./write-setup.ts";

const KEY = "k-0123456789abcdefghij";
const WITH_MODEL = `${EXAMPLE_YAML}models:\n  hosts:\n    far: { api: openai, url: "http://127.0.0.1:9/v1", key_file: ./.troupe/secrets/far.key, models: [m] }\n`;

function home(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "troupe-setup-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

function setupIn(folder: string, more: Partial<Setup> = {}): Setup {
  return {
    path: join(folder, "troupe.yaml"),
    text: EXAMPLE_YAML,
    basedOn: null,
    stateDirectory: join(folder, ".troupe"),
    files: [],
    derived: () => [],
    options: { cwd: folder, environment: {} },
    ...more,
  };
}

test("a first file is private, and loads to just what the built-in example gives", () => {
  using here = home();
  const example = loadConfig({ cwd: here.path, environment: {} });
  const path = join(here.path, "troupe.yaml");
  assert.deepEqual(writeSetup(setupIn(here.path)), { kind: "written", path });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(here.path), ["troupe.yaml"], "no state folder is made for nothing");
  const loaded = loadConfig({ cwd: here.path, environment: {} });
  assert.deepEqual({ ...loaded.config, source: null }, { ...example.config, source: null });
});

test("the models that the file shows as a comment load when the marks are taken away", () => {
  using here = home();
  writeSetup(setupIn(here.path));
  const path = join(here.path, "troupe.yaml");
  const [before, comment = ""] = readFileSync(path, "utf8").split(/(?=^# models:$)/m);
  writeFileSync(path, `${before}${comment.replace(/^# /gm, "")}`);
  assert.equal(loadConfig({ cwd: here.path, environment: {} }).config.models.defaultModel, "local/my-model");
  const hosted = comment.replace(/^# /gm, "").replace(/^( *)# (?=hosted)/m, "$1");
  writeFileSync(path, `${before}${hosted.replace("https://…", "https://models.example.org")}`);
  const environment = { HOSTED_KEY: KEY };
  assert.equal(loadConfig({ cwd: here.path, environment }).config.models.hosts.get("hosted")?.models.size, 1);
});

test("TR-041 a setup never touches what is there, whatever it is, and leaves nothing behind", () => {
  for (const make of [
    (path: string) => writeFileSync(path, "mine"),
    (path: string) => mkdirSync(path),
    (path: string) => symlinkSync("/nowhere", path),
  ]) {
    using here = home();
    make(join(here.path, "troupe.yaml"));
    const before = folderAsText(here.path);
    const files = [{ name: "secrets/far.key", text: `${KEY}\n`, replaces: false }];
    assert.equal(writeSetup(setupIn(here.path, { files, text: WITH_MODEL })).kind, "exists");
    assert.equal(folderAsText(here.path), before);
  }
});

test("TR-041 a file that changed since it was read is left as it is", () => {
  using here = home();
  const path = join(here.path, "troupe.yaml");
  writeFileSync(path, EXAMPLE_YAML);
  const basedOn = stampOf(path);
  writeFileSync(path, `${EXAMPLE_YAML}# mine\n`);
  const before = folderAsText(here.path);
  assert.equal(writeSetup(setupIn(here.path, { basedOn, text: WITH_MODEL })).kind, "exists");
  assert.equal(folderAsText(here.path), before);
});

test("TR-041 a file that another program changes while this one is being written is left to it", () => {
  using here = home();
  const path = join(here.path, "troupe.yaml");
  writeFileSync(path, EXAMPLE_YAML);
  const theirs = `${EXAMPLE_YAML}# theirs\n`;
  const setup = setupIn(here.path, {
    basedOn: stampOf(path),
    text: `${EXAMPLE_YAML}# mine\n`,
    derived: () => {
      writeFileSync(path, theirs);
      return [{ name: "known.json", text: "new", replaces: true }];
    },
  });
  assert.equal(writeSetup(setup).kind, "exists");
  assert.equal(readFileSync(path, "utf8"), theirs);
  assert.deepEqual(readdirSync(here.path), ["troupe.yaml"], "and nothing else stays");
});

test("TR-041 MC-088 key, trials and configuration appear together, each private; a file's own mode stays", () => {
  using here = home();
  const path = join(here.path, "troupe.yaml");
  writeFileSync(path, EXAMPLE_YAML);
  chmodSync(path, 0o640);
  mkdirSync(join(here.path, ".troupe"), { mode: 0o700 });
  writeFileSync(join(here.path, ".troupe", "known.json"), "old", { mode: 0o600 });
  const setup = setupIn(here.path, {
    basedOn: stampOf(path),
    text: WITH_MODEL,
    files: [{ name: "secrets/far.key", text: `${KEY}\n`, replaces: false }],
    derived: ({ models }) => [{ name: "known.json", text: String(models.defaultModel), replaces: true }],
  });
  assert.equal(writeSetup(setup).kind, "written");
  assert.equal(statSync(path).mode & 0o777, 0o640);
  assert.equal(statSync(join(here.path, ".troupe", "secrets")).mode & 0o777, 0o700);
  assert.equal(statSync(join(here.path, ".troupe", "secrets", "far.key")).mode & 0o777, 0o600);
  assert.equal(readFileSync(join(here.path, ".troupe", "known.json"), "utf8"), "far/m");
  assert.equal(loadConfig({ cwd: here.path, environment: {} }).config.models.hosts.get("far")?.key?.reveal(), KEY);
  assert.deepEqual(readdirSync(here.path).toSorted(), [".troupe", "troupe.yaml"]);
  assert.deepEqual(readdirSync(join(here.path, ".troupe")).toSorted(), ["known.json", "secrets"]);
});

test("TR-085 whatever fails takes everything back: a text that breaks a rule, a key that is there, a folder that cannot be made", () => {
  const key = { name: "secrets/far.key", text: `${KEY}\n`, replaces: false };
  const cases: readonly {
    readonly more: Partial<Setup>;
    readonly code: "config_invalid" | "state_unwritable";
    readonly prepare?: (folder: string) => void;
  }[] = [
    { more: { files: [key], text: `${WITH_MODEL}nonsense: 1\n` }, code: "config_invalid" },
    { more: { files: [{ ...key, text: "short\n" }], text: WITH_MODEL }, code: "config_invalid" },
    {
      more: {
        files: [{ ...key, name: "known.json" }, key],
        text: WITH_MODEL,
        derived: () => [{ name: "known.json", text: "new", replaces: true }],
      },
      code: "state_unwritable",
      prepare: (folder) => {
        mkdirSync(join(folder, ".troupe", "secrets"), { recursive: true, mode: 0o700 });
        writeFileSync(join(folder, ".troupe", "secrets", "far.key"), "another\n", { mode: 0o600 });
      },
    },
    {
      more: {
        files: [key],
        text: WITH_MODEL,
        derived: () => [
          { name: "known.json", text: "new", replaces: true },
          { name: "in/the/way.json", text: "", replaces: true },
        ],
      },
      code: "state_unwritable",
      prepare: (folder) => {
        mkdirSync(join(folder, ".troupe"), { mode: 0o700 });
        writeFileSync(join(folder, ".troupe", "known.json"), "old", { mode: 0o600 });
        writeFileSync(join(folder, ".troupe", "in"), "a file");
      },
    },
    { more: { stateDirectory: "/dev/null/state", files: [key], text: WITH_MODEL }, code: "state_unwritable" },
  ];
  for (const { more, code, prepare } of cases) {
    using here = home();
    prepare?.(here.path);
    const before = folderAsText(here.path);
    assert.throws(
      () => writeSetup(setupIn(here.path, more)),
      (error) => isRuntimeError(error, code) && !error.message.includes(".tmp"),
    );
    assert.equal(folderAsText(here.path), before);
  }
  assert.throws(
    () => writeSetup(setupIn("/nonexistent/folder")),
    (error) => isRuntimeError(error, "state_unwritable"),
  );
});
