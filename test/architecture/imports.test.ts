import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { checkImports, importsOf } from "./imports.ts";
import { FOLDER_RULES, MINTS, ROOT_RULES } from "./rules.ts";
import { linesOf, madeUp, readTree } from "./tree.ts";

const FOREIGN: readonly (readonly [path: string, text: string, problem: RegExp])[] = [
  ["src/foundation/x.ts", 'import { a } from "../vocabulary/ids.ts";', /foundation may not import vocabulary\/ids.ts/],
  ["src/vocabulary/x.ts", 'import { a } from "node:fs";', /vocabulary may not import node:fs/],
  ["src/responder/x.ts", 'import type { Store } from "../store/store.ts";', /responder may not import store\/store.ts/],
  ["src/responder/x.ts", 'import { z } from "zod";', /responder may not import the package zod/],
  ["src/road/3-turns/x.ts", 'import { openStore } from "../../store/store.ts";', /road may not import store\/store.ts \(as a value\)/],
  ["src/road/3-turns/x.ts", 'import type { A } from "../../store/sqlite/engine.ts";', /road may not import store\/sqlite/],
  ["src/road/1-admission/x.ts", 'import type { A } from "../4-delivery/gate.ts";', /later stage/],
  ["src/road/2-lanes/x.ts", 'import type { A } from "../road.ts";', /door/],
  ["src/chronicle/x.ts", 'import { DatabaseSync } from "node:sqlite";', /chronicle may not import node:sqlite/],
  ["src/surfaces/room/x.ts", 'import { a } from "../terminal/terminal.ts";', /surfaces\/room may not import surfaces\/terminal/],
  ["src/surfaces/room/x.ts", 'import { createServer } from "node:http";', /may not import node:http/],
  ["src/console/x.ts", 'import { a } from "../store/store.ts";', /console may not import store/],
  ["src/console/ui/x.ts", 'import { a } from "../../foundation/ids.ts";', /as a value/],
  ["src/models/x.ts", 'import { a } from "../config/load.ts";', /models may not import config\/load.ts \(as a value\)/],
  ["src/operations/x.ts", 'import { spawn } from "node:child_process";', /child_process/],
  ["src/authority/x.ts", 'import { mintVisible } from "../vocabulary/visible.ts";', /mintVisible may be imported by chronicle/],
  ["src/road/1-admission/x.ts", 'export { mintOrigin } from "../../vocabulary/origin.ts";', /mintOrigin may be imported by authority/],
  ["src/main.ts", 'import { a } from "./store/store.ts";', /main.ts may not import store/],
  ["src/operations/x.ts", "const name: string = String(1); export const m: unknown = await import(name);", /computed import/],
  ["src/observe/x.ts", 'type A = import("../road/road.ts").Road; export type B = A;', /observe may not import road/],
  ["src/road/x.ts", 'import type { Composed } from "../compose.ts";', /road may not import compose.ts/],
  ["src/console/x.ts", 'import { a } from "../wiring/pages.ts";', /console may not import wiring/],
  ["src/nowhere/x.ts", "export const a: number = 1;", /no import rule/],
  ["src/web/x.ts", 'import { a } from "../../tools/prepare.mjs";', /leaves src/],
];

const FINE: readonly (readonly [path: string, text: string])[] = [
  ["src/road/3-turns/x.ts", 'import type { Store } from "../../store/store.ts"; import { a } from "../1-admission/y.ts";'],
  ["src/road/road.ts", 'import { a } from "./4-delivery/deliver.ts";'],
  ["src/chronicle/x.ts", 'import { mintVisible } from "../vocabulary/visible.ts";'],
  ["src/compose.ts", 'import { openRoad } from "./road/road.ts"; import { openStore } from "./store/store.ts";'],
  ["src/store/worker.ts", 'import { DatabaseSync } from "node:sqlite"; import { parentPort } from "node:worker_threads";'],
];

test("VS-040 SE-092 TR-001 every file imports only what its folder may", () => {
  assert.deepEqual(linesOf(readTree().flatMap(checkImports)), []);
});

test("the import check really saw imports of every kind", () => {
  const all = readTree().flatMap(importsOf);
  assert.ok(all.filter(({ specifier }) => specifier?.startsWith(".")).length > 50);
  assert.ok(all.some(({ specifier }) => specifier?.startsWith("node:")));
  assert.ok(all.some(({ typeOnly }) => typeOnly));
});

for (const [path, text, problem] of FOREIGN) {
  test(`the import check reports ${path}: ${text}`, () => {
    assert.match(linesOf(checkImports(madeUp(path, text))).join("\n"), problem);
  });
}

test("the import check leaves alone what is allowed", () => {
  for (const [path, text] of FINE) assert.deepEqual(checkImports(madeUp(path, text)), [], `${path}: ${text}`);
});

test("every folder and file of src/ has a rule, and every rule of an existing folder is one", () => {
  for (const entry of readdirSync("src", { withFileTypes: true })) {
    if (entry.name === "testing" || /README\.md$|\.test\.ts$/.test(entry.name)) continue;
    const rules = entry.isDirectory() ? FOLDER_RULES : ROOT_RULES;
    assert.ok(rules[entry.name] !== undefined, `src/${entry.name} has no import rule`);
  }
});

test("TR-002 the mints still exist under the names that the rules guard", () => {
  const exported = readTree()
    .filter(({ path }) => path.startsWith("src/vocabulary/") || path.startsWith("src/web/"))
    .map((file) => file.text)
    .join("\n");
  for (const [mint, folder] of Object.entries(MINTS)) {
    assert.match(exported, new RegExp(`export function ${mint}\\(`));
    assert.ok(existsSync(`src/${folder}`), `src/${folder}`);
  }
});
