import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";

const RUNNER = resolve("tools/run-tests.ts");

/** Run the runner over made-up files in an empty folder. */
function runOver(
  files: Readonly<Record<string, string>>,
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
): { readonly status: number | null; readonly output: string } {
  const folder = mkdtempSync(join(tmpdir(), "troupe-runner-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, name, ".."), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    // Inside a test run node would take the inner run for a part of the outer one.
    const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, [RUNNER, ...words], {
      cwd: folder,
      encoding: "utf8",
      env: { ...env, ...more },
      timeout: 60_000,
    });
    return { status, output: stdout + stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const HEAD = 'import { describe, test } from "node:test"; import assert from "node:assert/strict";\n';

test("the runner is green for passing tests and says how many there were", () => {
  const { status, output } = runOver(
    { "a.test.mjs": `${HEAD}test("one", () => {}); test("two", { skip: "no browser here" }, () => {});` },
    ["unit", "*.test.mjs"],
  );
  assert.equal(status, 0, output);
  assert.match(output, /^# tests 2$/m);
  assert.match(output, /^# pass 1$/m);
  assert.match(output, /^# fail 0$/m);
  assert.match(output, /^# skipped 1$/m);
  assert.match(output, /skipped: two \(no browser here\)/);
  assert.match(output, /TROUPE_TEST_SEED=\d+/);
});

test("the runner shows what failed, where, and what the file wrote", () => {
  const text = `${HEAD}describe("suite", () => { test("bad", () => { console.log("a word before"); assert.equal(1, 2); }); });`;
  const { status, output } = runOver({ "a.test.mjs": text }, ["unit", "a.test.mjs"]);
  assert.equal(status, 1);
  assert.match(output, /✖ suite > bad/);
  assert.match(output, /1 !== 2/);
  assert.match(output, /a word before/);
  assert.match(output, /^# fail 1$/m);
});

test("the runner is red for a file that dies, and shows its last words", () => {
  const { status, output } = runOver({ "a.test.mjs": "throw new TypeError('dead on arrival');" }, ["unit", "a.test.mjs"]);
  assert.equal(status, 1);
  assert.match(output, /dead on arrival/);
});

const RED: readonly (readonly [what: string, text: string, problem: RegExp])[] = [
  ["a skip without a reason", `${HEAD}test("x", { skip: true }, () => {}); test("y", () => {});`, /"x" is skipped without a reason/],
  ["a test that is still to do", `${HEAD}test("x", { todo: true }, () => {}); test("y", () => {});`, /"x" is marked as to do/],
  ["a file without a test", "export {};", /holds no test/],
  ["an empty suite", `${HEAD}describe("nothing", () => {});`, /no test ran and passed/],
];
for (const [what, text, problem] of RED) {
  test(`the runner is red for ${what}`, () => {
    const { status, output } = runOver({ "a.test.mjs": text }, ["unit", "a.test.mjs"]);
    assert.equal(status, 1, output);
    assert.match(output, problem);
  });
}

test("the runner is red where a pattern matches nothing and where a test file belongs to no set", () => {
  const alone = runOver({}, ["unit", "nowhere/*.test.mjs"]);
  assert.equal(alone.status, 1);
  assert.match(alone.output, /nowhere\/\*\.test\.mjs matches no file/);
  const stray = runOver({ "src/a.test.ts": `${HEAD}test("one", () => {});`, "elsewhere/b.test.mjs": "" }, ["unit"]);
  assert.equal(stray.status, 1);
  assert.match(stray.output, /elsewhere\/b\.test\.mjs belongs to no set/);
});

test("the runner stops a file whose process does not end, names it, and is red", () => {
  const text = `${HEAD}test("quick", () => { setInterval(() => {}, 1_000); });`;
  const { status, output } = runOver({ "a.test.mjs": text }, ["unit", "a.test.mjs"], { TROUPE_TEST_TIMEOUT_MS: "500" });
  assert.equal(status, 1);
  assert.match(output, /had not ended: a\.test\.mjs/);
});

test("the runner refuses an unknown set", () => {
  assert.equal(runOver({}, ["everything"]).status, 2);
});
