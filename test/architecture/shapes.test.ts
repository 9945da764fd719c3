import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { walk } from "../../tools/syntax.ts";
import {
  checkDocumented,
  checkDoors,
  checkSizes,
  doorsOf,
  isFunction,
  MAX_COMPOSE_LINES,
  MAX_FILE_LINES,
  MAX_FUNCTION_LINES,
} from "./shapes.ts";
import { linesOf, madeUp, readTree } from "./tree.ts";

/** Folders that have nothing to open, and why. */
const WITHOUT_DOOR: Readonly<Record<string, string>> = {
  foundation: "primitives, each a file",
  vocabulary: "types and parsers without state",
  testing: "pieces for tests, each a file",
  wiring: "the steps of compose.ts",
  characters: "pure functions of card, configuration and what is visible",
  observe: "views over the store, each with an owner of its own",
};
/** Door files that are not named as their folder: the port is what the folder is known for. */
const DOOR_NAMES: Readonly<Record<string, string>> = { surfaces: "surface.ts" };

const lines = (count: number): string => "f();\n".repeat(count);

test("no file and no function is over its bound", () => {
  assert.deepEqual(linesOf(readTree().flatMap(checkSizes)), []);
  let functions = 0;
  for (const file of readTree()) walk(file.program, (node) => (functions += isFunction(node) ? 1 : 0));
  assert.ok(functions > 200, `only ${functions} functions were seen`);
});

test("the size check reports what is one line over, and nothing that is just within", () => {
  assert.deepEqual(checkSizes(madeUp("src/road/x.ts", lines(MAX_FILE_LINES))), []);
  assert.match(linesOf(checkSizes(madeUp("src/road/x.ts", lines(MAX_FILE_LINES + 1)))).join(), /has 401 lines/);
  assert.deepEqual(checkSizes(madeUp("src/compose.ts", lines(MAX_COMPOSE_LINES))), []);
  assert.match(linesOf(checkSizes(madeUp("src/compose.ts", lines(MAX_COMPOSE_LINES + 1)))).join(), /has 151 lines/);
  const body = (count: number): string => `const a = () => {\n${lines(count - 2)}};`;
  assert.deepEqual(checkSizes(madeUp("src/road/x.ts", body(MAX_FUNCTION_LINES))), []);
  assert.match(linesOf(checkSizes(madeUp("src/road/x.ts", body(MAX_FUNCTION_LINES + 1)))).join(), /function at line 1 has 61 lines/);
});

test("every door takes at most six needs and a signal", () => {
  assert.deepEqual(linesOf(readTree().flatMap(checkDoors)), []);
  assert.ok(readTree().flatMap(doorsOf).length >= 5, "the check saw too few doors");
});

test("the door check counts needs and refuses those it can't count", () => {
  const needs = (count: number): string => Array.from({ length: count }, (_, index) => `n${index}: string;`).join("");
  const door = (type: string, more = ""): string => `${type}\nexport function openRoad(needs: RoadNeeds${more}): void {}`;
  assert.deepEqual(checkDoors(madeUp("src/road/road.ts", door(`interface RoadNeeds {${needs(6)}}`, ", signal: AbortSignal"))), []);
  assert.match(linesOf(checkDoors(madeUp("src/road/road.ts", door(`interface RoadNeeds {${needs(7)}}`)))).join(), /needs 7 things/);
  assert.match(linesOf(checkDoors(madeUp("src/road/road.ts", door(`type RoadNeeds = {${needs(7)}};`)))).join(), /needs 7 things/);
  assert.match(
    linesOf(checkDoors(madeUp("src/road/road.ts", door("import type { RoadNeeds } from './x.ts';")))).join(),
    /does not stand beside/,
  );
  assert.match(
    linesOf(checkDoors(madeUp("src/road/road.ts", door("interface RoadNeeds {}", ", a: 1, b: 2")))).join(),
    /takes 2 parameters besides/,
  );
});

test("every folder has one door file of its own name", () => {
  const folders = readdirSync("src", { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && WITHOUT_DOOR[entry.name] === undefined,
  );
  assert.ok(folders.length >= 8);
  const missing = folders.filter(({ name }) => !existsSync(`src/${name}/${DOOR_NAMES[name] ?? `${name}.ts`}`)).map(({ name }) => name);
  assert.deepEqual(missing, []);
});

test("every exported name says what it is, and nothing is exported unnamed", () => {
  assert.deepEqual(linesOf(readTree().flatMap(checkDocumented)), []);
  const check = (text: string): string => linesOf(checkDocumented(madeUp("src/road/x.ts", text))).join();
  assert.match(check("export const a: number = 1;"), /a has no doc comment/);
  assert.match(check("/** @internal */\nexport function b(): void {}"), /b has no doc comment/);
  assert.match(check("/** Of c. */\nconst c = 1;\nexport interface D { e: number }"), /D has no doc comment/);
  assert.match(check('export * from "./y.ts";'), /exports \*/);
  assert.match(check("export default 1;"), /default export/);
  assert.equal(check('/** Fine. */\n// oxlint-disable-next-line x -- y\nexport class A {}\nexport { b } from "./b.ts";'), "");
});
