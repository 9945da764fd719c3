import assert from "node:assert/strict";
import { posix } from "node:path";
import { test } from "node:test";
import type { SourceFile } from "../../tools/syntax.ts";
import { importsOf } from "./imports.ts";
import { linesOf, madeUp, readTree } from "./tree.ts";
import type { Finding } from "./tree.ts";

/** Modules of Node with which a process or a cluster of them is started. */
const STARTERS = new Set(["node:child_process", "node:cluster"]);
/** What the running program is made of: everything composed, its threads, and what a terminal does without it. */
const ROOTS = [
  "src/compose.ts",
  "src/wiring/door.ts",
  "src/operations/local-commands.ts",
  "src/store/sqlite/writer-worker.ts",
  "src/store/sqlite/file/copier-worker.ts",
  "src/agents/hooks/hook-worker.ts",
];

/** Everything that files reach by imports of values, now or later, with the ways to start a process among it. */
function reach(
  roots: readonly string[],
  files: ReadonlyMap<string, SourceFile>,
): { readonly seen: number; readonly found: readonly Finding[] } {
  const seen = new Set<string>();
  const open = [...roots];
  const found: Finding[] = [];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const file = files.get(path);
    if (file === undefined || seen.has(path)) continue;
    seen.add(path);
    for (const { specifier, typeOnly } of importsOf(file)) {
      if (specifier === null || typeOnly) continue;
      if (STARTERS.has(specifier)) found.push({ path, problem: `reaches ${specifier}` });
      if (specifier.startsWith(".")) open.push(posix.join(posix.dirname(path), specifier));
    }
  }
  return { seen: seen.size, found };
}

const treeOf = (files: readonly SourceFile[]): ReadonlyMap<string, SourceFile> => new Map(files.map((file) => [file.path, file]));

test("TR-070 nothing that the running program is made of can start a process, whichever way a line, a tool or a hook takes", () => {
  const files = treeOf(readTree());
  for (const root of ROOTS) assert.ok(files.has(root), root);
  const { seen, found } = reach(ROOTS, files);
  assert.ok(seen > 400, `only ${seen} modules`);
  assert.deepEqual(linesOf(found), []);
});

test("TR-070 the check finds a process wherever it hides: behind a re-export, and behind an import that waits", () => {
  const demo = reach(["src/main.ts"], treeOf(readTree())).found.map(({ path }) => path);
  assert.deepEqual(demo, ["src/testing/demo-child.ts"], "the demonstration kills a child of its own, and only the command line plays it");
  const hidden = treeOf([
    madeUp("src/compose.ts", 'import { a } from "./a.ts"; export const b: unknown = a;'),
    madeUp("src/a.ts", 'export { c as a } from "./c.ts";'),
    madeUp("src/c.ts", 'export const c = async (): Promise<unknown> => await import("./d.ts");'),
    madeUp(
      "src/d.ts",
      'import { spawn } from "node:child_process"; import type { ChildProcess } from "node:child_process"; export const d: unknown = spawn;',
    ),
  ]);
  assert.deepEqual(reach(["src/compose.ts"], hidden).found, [{ path: "src/d.ts", problem: "reaches node:child_process" }]);
});
