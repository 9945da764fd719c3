import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { COMMANDS } from "../../src/wiring/commands/commands.ts";
import { checkCommands, checkForeignWords, checkLinks, commandsOf, linksOf } from "./documents.ts";
import { tableOf } from "./import-table.ts";
import { linesOf } from "./tree.ts";

const read = (path: string): string => readFileSync(path, "utf8");
const documents = globSync(["*.md", "docs/**/*.md", "src/**/*.md"]).map((path) => ({ path, text: read(path) }));
const scripts: ReadonlySet<string> = new Set(Object.keys((JSON.parse(read("package.json")) as { scripts: object }).scripts));

test("every link of the documents leads somewhere", () => {
  assert.ok(documents.length >= 12 && documents.flatMap(({ text }) => linksOf(text)).length > 8);
  assert.deepEqual(linesOf(documents.flatMap((document) => checkLinks(document, read))), []);
  const check = (text: string): string => linesOf(checkLinks({ path: "docs/x.md", text }, read)).join();
  assert.match(check("[a](nowhere.md)"), /nowhere.md, which is not there/);
  assert.match(check("[a](../README.md#no-such-heading)"), /no such heading/);
  assert.equal(check("[a](../README.md#licence) [b](https://example.org/x) `[c](nowhere.md)`"), "");
});

test("every command that the documents name exists", () => {
  assert.ok(documents.flatMap(({ text }) => commandsOf(text)).length > 20);
  assert.deepEqual(linesOf(documents.flatMap((document) => checkCommands(document, scripts))), []);
  const check = (text: string): string => linesOf(checkCommands({ path: "x.md", text }, scripts)).join();
  assert.match(check("```sh\nnpm ci && npm run fly\n```"), /npm run fly/);
  assert.match(check("run `node tools/nowhere.ts`"), /nowhere.ts is not there/);
});

test("the README's two commands are what a clean machine runs", () => {
  const commands = read("README.md");
  for (const line of ["npm ci && npm start", "npm ci && npm test"]) assert.ok(commands.includes(`\`\`\`sh\n${line}\n\`\`\``), line);
  assert.match(read(".ci/run"), /^npm ci$/m);
  assert.match(read(".ci/run"), /^npm test$/m);
});

test("the README's table of commands is the list of commands", () => {
  const rows = read("README.md").match(/^\| `[a-z`, -]+` \|/gm) ?? [];
  const named = rows.flatMap((row) => row.match(/[a-z-]+/g) ?? []);
  assert.deepEqual(named.toSorted(), COMMANDS.map(({ name }) => name).toSorted());
});

test("no text of the repository holds machine paths, foreign hosts or who wrote it", () => {
  const tracked = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" }).split("\0");
  const texts = tracked.filter(
    (path) => path !== "" && existsSync(path) && !/\.(?:png|ico|woff2)$|^package-lock\.json$|^test\/architecture\/documents/.test(path),
  );
  assert.ok(texts.length > 80, `${texts.length} files`);
  assert.deepEqual(linesOf(texts.flatMap((path) => checkForeignWords({ path, text: read(path) }))), []);
  for (const text of ["see /home/ann/troupe", "from ../shared/facts", "made by an AI", "http://localhost:4873/zod"]) {
    assert.notDeepEqual(checkForeignWords({ path: "x.md", text }), [], text);
  }
});

test("src/README.md shows the import rules as they are", () => {
  assert.ok(read("src/README.md").includes(tableOf()), "write the table of test/architecture/rules.ts into src/README.md:\n" + tableOf());
});

test("every folder and document that the maps name is there", () => {
  const named = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/`((?:src|test|tools|docs|bin)\/[\w./-]*)`/g)].map(([, file = ""]) => ({ path, file })),
  );
  assert.ok(named.length > 20);
  assert.deepEqual(
    named.filter(({ file }) => !existsSync(file)).map(({ path, file }) => `${path} names ${file}`),
    [],
  );
});

test("every decision has a number of its own, and its file and heading say the same", () => {
  const decisions = globSync("docs/decisions/*.md").toSorted();
  assert.ok(decisions.length > 10);
  for (const [index, path] of decisions.entries()) {
    assert.match(path, new RegExp(`/${String(index + 1).padStart(4, "0")}-`));
    assert.ok(read(path).startsWith(`# ${index + 1}. `), path);
  }
});
