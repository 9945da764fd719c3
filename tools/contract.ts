/**
 * The contract's ids against the tests that keep them. `docs/contract-ids.yaml` holds the promises; this tool finds the tests.
 *
 * `node tools/contract.ts --write` writes `docs/contract.md`; `--check` says what is stale. `tools/run-tests.ts all` calls
 * {@link checkContract} with the titles that really passed.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { parse } from "yaml";
import { children, nameOf, parseSource, walk } from "./syntax.ts";
import type { SyntaxNode } from "./syntax.ts";

const IDS_FILE = "docs/contract-ids.yaml";
const DOCUMENT = "docs/contract.md";
const ID = /^(?:AE|CH|MC|SE|TR|VS)-\d{3}$/;
/** Ids at the start of a title: `MC-074 TR-072 refuses ...`, also with commas or slashes between. */
const LEADING_IDS = /^(?:(?:AE|CH|MC|SE|TR|VS)-\d{3}[,;:/ ]*)+/;
/** Stands for a part of a title that is computed when the test runs. */
const HOLE = "…";

export interface Promises {
  /** Id to the promise in one line: some passing test must start with the id. */
  readonly tested: ReadonlyMap<string, string>;
  /** Id to what it says and why no test can show it. */
  readonly documentary: ReadonlyMap<string, string>;
}

/** A test's own title as it stands in the source, with {@link HOLE} for computed parts. */
export interface TestTitle {
  readonly file: string;
  readonly title: string;
}

/** Read the promises. Ids that are no ids are reported by name. */
export function parsePromises(text: string): Promises {
  const raw: unknown = parse(text);
  return { tested: mapOf(raw, "tested"), documentary: mapOf(raw, "documentary") };
}

function mapOf(raw: unknown, key: string): Map<string, string> {
  const value = typeof raw === "object" && raw !== null ? (raw as Record<string, unknown>)[key] : undefined;
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  for (const [id, promise] of entries) {
    if (!ID.test(id)) throw new SyntaxError(`${IDS_FILE}: ${id} is no id of the contract`);
    if (typeof promise !== "string" || promise.trim() === "") throw new SyntaxError(`${IDS_FILE}: ${id} has no text`);
  }
  return new Map(entries.map(([id, promise]) => [id, String(promise).trim()]));
}

/** The ids that a title starts with. */
export function idsOf(title: string): readonly string[] {
  return LEADING_IDS.exec(title)?.[0].match(/[A-Z]{2}-\d{3}/g) ?? [];
}

/** Titles of `test`, `it`, `describe` and `suite` calls (also `x.test(...)`) in one file. */
export function titlesIn(file: string, text: string): readonly TestTitle[] {
  const titles: TestTitle[] = [];
  walk(parseSource(file, text).program, (node) => {
    if (node.type !== "CallExpression") return;
    const callee = node["callee"] as SyntaxNode;
    const name = callee.type === "MemberExpression" ? nameOf(callee["property"] as SyntaxNode) : nameOf(callee);
    if (name === null || !["test", "it", "describe", "suite"].includes(name)) return;
    const title = titleOf(children(node, "arguments")[0]);
    if (title !== null) titles.push({ file, title });
  });
  return titles;
}

function titleOf(argument: SyntaxNode | undefined): string | null {
  if (argument === undefined) return null;
  if (argument.type !== "TemplateLiteral") return nameOf(argument);
  return children(argument, "quasis")
    .map((quasi) => (quasi["value"] as { cooked: string }).cooked)
    .join(HOLE);
}

/** All titles of the repository that start with an id. */
export function readTitles(): readonly TestTitle[] {
  const files = globSync(["src/**/*.test.ts", "test/**/*.test.ts", "tools/**/*.test.ts"]).toSorted();
  return files.flatMap((file) => titlesIn(file, readFileSync(file, "utf8"))).filter(({ title }) => idsOf(title).length > 0);
}

/** The document: one row an id, with the tests whose titles start with it. */
export function renderContract(promises: Promises, titles: readonly TestTitle[]): string {
  const lines = [
    "# The contract, id by id",
    "",
    "Written by `node tools/contract.ts --write` from `docs/contract-ids.yaml` and the titles of the tests; do not edit by hand.",
    "`npm test` compares it with the titles of the tests that passed: a claimed id without a passing test is red.",
    "",
    "| id | promise | tests |",
    "| --- | --- | --- |",
  ];
  for (const [id, promise] of [...promises.tested].toSorted(byId)) {
    const tests = titles.filter(({ title }) => idsOf(title).includes(id)).map(({ title, file }) => `${cell(title)} (\`${file}\`)`);
    lines.push(`| ${id} | ${cell(promise)} | ${tests.length === 0 ? "none yet" : [...new Set(tests)].toSorted().join("<br>")} |`);
  }
  lines.push(
    "",
    "## Documentary",
    "",
    "Rules that no test can show; why stands beside each.",
    "",
    "| id | rule and reason |",
    "| --- | --- |",
  );
  for (const [id, why] of [...promises.documentary].toSorted(byId)) lines.push(`| ${id} | ${cell(why)} |`);
  return `${lines.join("\n")}\n`;
}

function byId([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}

function cell(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

/** Ids that tests name and nobody promised, and documentary ids that are tested after all. */
export function findUnpromised(promises: Promises, titles: readonly TestTitle[]): readonly string[] {
  const named = new Map(titles.flatMap(({ title, file }) => idsOf(title).map((id) => [id, file] as const)));
  return [...named]
    .filter(([id]) => !promises.tested.has(id))
    .map(([id, file]) => `${file} tests ${id}, which ${IDS_FILE} does not list under "tested"`)
    .toSorted();
}

/** Promised ids without a passing test, and titles of the document that did not pass. */
export function findUnkept(promises: Promises, titles: readonly TestTitle[], passed: readonly string[]): readonly string[] {
  const segments = new Set(passed.flatMap((title) => title.split(" > ")));
  const kept = new Set([...segments].flatMap(idsOf));
  const missing = [...promises.tested.keys()].filter((id) => !kept.has(id)).map((id) => `${id} is promised and no passing test names it`);
  const silent = titles.filter(({ title }) => !passedTitle(title, segments));
  return [...missing, ...silent.map(({ title, file }) => `${file}: "${title}" did not run and pass`)];
}

function passedTitle(title: string, segments: ReadonlySet<string>): boolean {
  if (!title.includes(HOLE)) return segments.has(title);
  const fixed = title.split(HOLE).map((text) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&"));
  const pattern = new RegExp(`^${fixed.join("[^]*")}$`);
  return [...segments].some((segment) => pattern.test(segment));
}

/** What is wrong with the contract after a run of all tests: empty when every promise was kept and the document is fresh. */
export function checkContract(passed: readonly string[]): readonly string[] {
  const promises = parsePromises(readFileSync(IDS_FILE, "utf8"));
  const titles = readTitles();
  return [...findUnkept(promises, titles, passed), ...findStale(promises, titles)];
}

/** What the sources alone tell: unlisted ids, and a document that was not written again. */
export function findStale(promises: Promises, titles: readonly TestTitle[]): readonly string[] {
  const stale =
    readFileSync(DOCUMENT, "utf8") === renderContract(promises, titles) ? [] : [`${DOCUMENT} is stale: node tools/contract.ts --write`];
  return [...findUnpromised(promises, titles), ...stale];
}

function main(word: string | undefined): number {
  const promises = parsePromises(readFileSync(IDS_FILE, "utf8"));
  const titles = readTitles();
  if (word === "--write") writeFileSync(DOCUMENT, renderContract(promises, titles));
  else if (word !== "--check") {
    process.stderr.write("usage: node tools/contract.ts --write|--check\n");
    return 2;
  }
  const problems = findStale(promises, titles);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length === 0 ? 0 : 1;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) process.exitCode = main(process.argv[2]);
