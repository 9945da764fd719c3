import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { parseSource, walk } from "../../tools/syntax.ts";
import type { SourceFile } from "../../tools/syntax.ts";
import { checkComments, checkErrors, checkEscapes, checkMarkup, checkTime } from "./constructs.ts";
import type { Finding } from "./tree.ts";
import { linesOf, madeUp, readTree } from "./tree.ts";

type Check = (file: SourceFile) => readonly Finding[];

const RUNTIME = readTree().filter(({ path }) => !path.startsWith("src/console/ui/"));

function assertRule(check: Check, files: readonly SourceFile[], caught: readonly string[], fine: readonly string[]): void {
  assert.deepEqual(linesOf(files.flatMap(check)), []);
  for (const text of caught) assert.notDeepEqual(check(madeUp("src/road/x.tsx", text)), [], `not caught: ${text}`);
  for (const text of fine) assert.deepEqual(check(madeUp("src/road/x.tsx", text)), [], `wrongly caught: ${text}`);
}

test("the checks of constructs see the tree", () => {
  let nodes = 0;
  for (const file of readTree()) walk(file.program, () => (nodes += 1));
  assert.ok(readTree().length > 30 && RUNTIME.length > 30 && nodes > 10_000, `${readTree().length} files, ${nodes} nodes`);
  assert.ok(readTree().some(({ comments }) => comments.length > 0));
});

test("SE-092 no text becomes code and no module is reached around the imports", () => {
  assertRule(
    checkEscapes,
    readTree(),
    [
      'eval("1")',
      'globalThis.eval("1")',
      'const e: unknown = eval; (e as (t: string) => void)("1");',
      'new Function("return 1")',
      'Function("return 1")()',
      'import { createRequire } from "node:module";',
      'process.getBuiltinModule("fs")',
      'process["getBuiltinModule"]("fs")',
      'process.binding("fs")',
      'process.dlopen({ exports: {} }, "x.node")',
      'require("node:fs")',
    ],
    ["class Evaluation { evaluate(): void {} }", 'const text = "eval(1)"; // new Function', "type F = Function;"],
  );
});

test("only the clock reads the time and sets timers", () => {
  assertRule(
    checkTime,
    readTree(),
    [
      "setTimeout(() => 1, 5)",
      "Date.now()",
      "const now = Date.now;",
      "performance.now()",
      "new Date()",
      "AbortSignal.timeout(5)",
      "globalThis.x = setInterval;",
      "process.hrtime.bigint()",
    ],
    ["new Date(0)", "clock.nowMs()", 'const text = "Date.now()";'],
  );
  assert.deepEqual(checkTime(madeUp("src/foundation/clock.ts", "Date.now()")), []);
});

test("SE-103 nothing in the page turns text into markup", () => {
  const page = readTree().filter(({ path }) => path.startsWith("src/console/ui/"));
  assert.ok(page.length > 0);
  assertRule(
    checkMarkup,
    readTree(),
    [
      "element.innerHTML = text",
      '<b dangerouslySetInnerHTML={{ __html: "x" }} />',
      'element.insertAdjacentHTML("beforeend", t)',
      "document.write(t)",
      'element["innerHTML"] = t; const innerHTML = 1;',
    ],
    ["element.textContent = text", "<b>{text}</b>"],
  );
});

test("what is thrown is a RuntimeError", () => {
  assertRule(
    checkErrors,
    RUNTIME,
    [
      'throw new Error("x")',
      'Promise.reject(new TypeError("x"))',
      'throw Error("x")',
      'throw "text"',
      "throw new Failure()",
      "throw { code: 1 }",
      "throw `x`",
    ],
    [
      'throw new RuntimeError("internal", "Cannot go on: x")',
      "try { f(); } catch (error) { throw error; }",
      "throw abortReason(signal)",
      "if (x instanceof Error) f();",
    ],
  );
});

test("no comment marks unfinished work or switches a rule off without a reason", () => {
  const all = globSync(["src/**/*.{ts,tsx}", "test/**/*.ts", "tools/**/*.ts", "bench/**/*.ts"]).map((path) =>
    parseSource(path, readFileSync(path, "utf8")),
  );
  assert.ok(all.length > readTree().length);
  assertRule(
    checkComments,
    all,
    [`// ${"TO"}DO later`, `/* FIX${"ME"} */`, "// oxlint-disable-next-line no-empty", "/* eslint-disable */", "// @ts-ignore"],
    ["// oxlint-disable-next-line no-empty -- the brand's own mint", "// a todo list of the person"],
  );
});

test("no test is skipped, singled out or marked as to do by its call", () => {
  const caught = (text: string): boolean => /\b(?:test|it|describe|suite)\.(?:skip|only|todo)\(/.test(text);
  const files = globSync(["src/**/*.test.ts", "test/**/*.test.ts", "tools/**/*.test.ts"]);
  assert.ok(files.length > 3);
  assert.ok(caught(`test.${"skip"}("x", () => {})`) && caught(`it.${"only"}("x")`));
  assert.deepEqual(
    files.filter((path) => caught(readFileSync(path, "utf8"))),
    [],
  );
});
