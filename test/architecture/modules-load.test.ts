import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readTree } from "./tree.ts";

/** Files that are a process or a thread of their own: they run when they are loaded. Named so that a reader sees it. */
const ENTRY = /(?:^src\/main|-(?:worker|process|main|hooks|preload)|^src\/testing\/kill-at)\.ts$/;

interface Loaded {
  readonly output: string;
  readonly loaded: number;
  readonly problems: readonly string[];
}

function load(files: readonly string[]): Loaded {
  const child = spawnSync(process.execPath, ["test/architecture/load-modules.ts"], {
    input: files.join("\n"),
    encoding: "utf8",
    timeout: 60_000,
  });
  assert.equal(child.status, 0, child.stderr);
  const lines = child.stdout.trimEnd().split("\n");
  const result = JSON.parse(lines.at(-1) ?? "") as { loaded: number; problems: string[] };
  return { ...result, output: [...lines.slice(0, -1), child.stderr].join("\n").trim() };
}

test("every module loads, prints nothing and leaves nothing running", () => {
  const files = readTree().map(({ path }) => path);
  const modules = files.filter((path) => !ENTRY.test(path) && !path.startsWith("src/console/ui/"));
  assert.ok(modules.length > 40, `only ${modules.length} modules`);
  assert.ok(files.filter((path) => ENTRY.test(path)).length <= 8, "too many files run when they are loaded");
  const { loaded, problems, output } = load(modules);
  assert.equal(loaded, modules.length);
  assert.deepEqual(problems, []);
  assert.equal(output, "");
});

test("the check of loading reports a module that acts, prints or is broken", () => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-load-"));
  try {
    const write = (name: string, text: string): string => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    };
    const acting = [
      write("timer.mjs", "setTimeout(() => {}, 20);"),
      write("global.mjs", "globalThis.planted = 1;"),
      write("listener.mjs", 'process.on("exit", () => {});'),
      write("broken.mjs", 'import "./nowhere.mjs";'),
      write("printing.mjs", 'console.log("hello");'),
    ];
    const { problems, output } = load(acting);
    for (const name of ["timer", "global", "listener", "broken"])
      assert.ok(
        problems.some((problem) => problem.includes(name)),
        `${name} was not reported`,
      );
    assert.equal(output, "hello");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
