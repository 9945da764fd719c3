/**
 * Run a set of tests with the Node that runs this file: `node tools/run-tests.ts unit|check|all|kill|load [file or pattern ...]`.
 *
 * R1  Red when a pattern matches no file, when a test file belongs to no set, when a file or the whole run has no test.
 * R2  Red when a test is skipped without a reason, or marked as to do.
 * R3  The closing lines are node's own (`# tests N`, `# pass N`, ...), so that a machine can read them.
 * R4  A file whose tests are over and whose process does not end is stopped and red: it left something running.
 * R5  A full run leaves the titles of its passing tests in `node_modules/.cache/troupe/passed.json`; with set `all` the contract is
 *     checked against them.
 *
 * Tests read `TROUPE_TEST_DEPTH` (`check` samples kill points and worlds, `all` walks them, `load` plays the load
 * whole) and `TROUPE_TEST_SEED` (printed below).
 */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { relative, resolve } from "node:path";
import { run } from "node:test";
import { inspect } from "node:util";
import { checkContract } from "./contract.ts";
import { isTestSet, TEST_SETS } from "./test-sets.ts";
import type { TestSet } from "./test-sets.ts";

const CACHE = "node_modules/.cache/troupe";
/** How long one test may take: the longer walks of kill points are tests of many minutes, nothing of the other sets is. */
const TEST_TIMEOUT_MS: Readonly<Record<TestSet, number>> = { unit: 120_000, check: 240_000, all: 600_000, kill: 7_200_000, load: 600_000 };
/** How long after that a file may still be there without a word. */
const GRACE_MS = 5_000;
/** What a line begins with that tells how far a long test is. */
const PROGRESS = /^(?:kill|load): /;
const MAX_OUTPUT_CHARACTERS = 6_000;
const IGNORED: readonly string[] = ["**/node_modules/**", "dist/**"];

interface Outcome {
  readonly passed: string[];
  readonly problems: string[];
  readonly counts: Record<"tests" | "suites" | "passed" | "failed" | "cancelled" | "skipped" | "todo", number>;
  durationMs: number;
}

/** The files of the patterns, and what is wrong with the patterns. */
function filesOf(patterns: readonly string[]): { files: string[]; problems: string[] } {
  const files = new Set<string>();
  const problems: string[] = [];
  for (const pattern of patterns) {
    const found = globSync(pattern, { exclude: IGNORED });
    if (found.length === 0) problems.push(`the pattern ${pattern} matches no file`);
    for (const file of found) files.add(file);
  }
  return { files: [...files].toSorted(), problems };
}

/** Test files that no set would ever run. */
function strays(): string[] {
  const known = new Set(filesOf(TEST_SETS.all).files);
  return globSync("**/*.test.{ts,tsx,mts,js,mjs}", { exclude: IGNORED })
    .filter((file) => !known.has(file))
    .map((file) => `${file} belongs to no set of tools/test-sets.ts`);
}

/** The titles from the outermost suite down to the present test, per file, as node reports them. */
class Titles {
  readonly #open = new Map<string, string[]>();

  start(file: string, nesting: number, name: string): void {
    const stack = this.#open.get(file) ?? [];
    stack.length = nesting;
    stack[nesting] = name;
    this.#open.set(file, stack);
  }

  full(file: string, nesting: number, name: string): string {
    return [...(this.#open.get(file) ?? []).slice(0, nesting), name].join(" > ");
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

interface Summary {
  readonly file: string | undefined;
  readonly success: boolean;
  readonly duration_ms: number;
  readonly counts: { readonly tests: number };
}

interface Ended {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly skip?: string | boolean | undefined;
  readonly todo?: string | boolean | undefined;
  readonly details: { readonly type?: string | undefined; readonly error?: Error | undefined };
}

function noteEnd(outcome: Outcome, titles: Titles, ended: Ended): void {
  const file = relative(process.cwd(), ended.file ?? "");
  const title = titles.full(file, ended.nesting, ended.name);
  if (ended.todo !== undefined && ended.todo !== false) outcome.problems.push(`${file}: "${title}" is marked as to do`);
  if (ended.skip !== undefined && ended.skip !== false) {
    if (typeof ended.skip !== "string" || ended.skip.trim() === "")
      outcome.problems.push(`${file}: "${title}" is skipped without a reason`);
    else print(`skipped: ${title} (${ended.skip})`);
  } else if (ended.details.error === undefined && ended.details.type !== "suite") {
    if (isFileItself(ended)) outcome.problems.push(`${file}: the file holds no test`);
    else outcome.passed.push(title);
  }
}

/** Node reports a file without tests as one test of the file's own name. */
function isFileItself(ended: Ended): boolean {
  return ended.nesting === 0 && ended.file !== undefined && (ended.name === ended.file || ended.file.endsWith(`/${ended.name}`));
}

function noteFailure(titles: Titles, ended: Ended): void {
  if (ended.details.error === undefined) return;
  const cause: unknown = ended.details.error.cause ?? ended.details.error;
  // A suite or file that failed only because something inside it failed adds nothing.
  if (/^\d+ subtests? failed$/.test(String(ended.details.error.message))) return;
  const file = relative(process.cwd(), ended.file ?? "");
  print(`\n✖ ${titles.full(file, ended.nesting, ended.name)}\n  at ${file}:${ended.line ?? 0}`);
  print(inspect(cause, { depth: 4 }).slice(0, MAX_OUTPUT_CHARACTERS).replaceAll(/^/gm, "  "));
}

/** What a file wrote, kept until the file turns out to be red. */
class Outputs {
  readonly #text = new Map<string, string>();

  add(file: string, text: string): void {
    const path = resolve(file);
    this.#text.set(path, `${this.#text.get(path) ?? ""}${text}`.slice(-MAX_OUTPUT_CHARACTERS));
  }

  print(file: string): void {
    const path = resolve(file);
    const text = this.#text.get(path)?.trim() ?? "";
    if (text !== "") print(`\n  output of ${relative(process.cwd(), path)}:\n${text.replaceAll(/^/gm, "  | ")}`);
    this.#text.delete(path);
  }
}

/** Follows one run's events: prints what a person needs, and counts the rest. */
class Follower {
  readonly outcome: Outcome = {
    passed: [],
    problems: [],
    counts: { tests: 0, suites: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 },
    durationMs: 0,
  };
  readonly #titles = new Titles();
  readonly #outputs = new Outputs();
  readonly #crashed: string[] = [];
  /** Files at work. Node holds back what later files say until the earlier ones are over, so only silence of all means anything. */
  readonly #working = new Set<string>();
  #heardAtMs = Date.now();

  async follow(files: string[], timeout: number): Promise<void> {
    const hung = new AbortController();
    const stream = run({ files, concurrency: Math.min(2, cpus().length), timeout, signal: hung.signal });
    stream.on("test:start", (data) => this.#titles.start(relative(process.cwd(), data.file ?? ""), data.nesting, data.name));
    stream.on("test:pass", (data) => noteEnd(this.outcome, this.#titles, data));
    stream.on("test:fail", (data) => this.#fail(data));
    stream.on("test:stdout", (data) => this.#hearOutput(data));
    stream.on("test:stderr", (data) => this.#outputs.add(data.file, data.message));
    stream.on("test:summary", (data) => this.#summary(data));
    for (const event of ["test:dequeue", "test:pass", "test:fail"] as const) {
      stream.on(event, (data: { readonly file?: string | undefined; readonly name: string }) => this.#hear(data.file ?? data.name));
    }
    const watch = setInterval(() => this.#findHung(timeout + GRACE_MS, hung), 1_000);
    stream.resume();
    await once(stream, "end");
    clearInterval(watch);
    // What a file wrote as it died arrives after the news of its death.
    for (const file of this.#crashed) this.#outputs.print(file);
  }

  #hear(file: string): void {
    this.#working.add(resolve(file));
    this.#heardAtMs = Date.now();
  }

  /** Keep what a file wrote, and pass on what it tells of a long walk. */
  #hearOutput({ file, message }: { readonly file: string; readonly message: string }): void {
    this.#outputs.add(file, message);
    this.#heardAtMs = Date.now();
    for (const line of message.split("\n")) if (PROGRESS.test(line)) print(line);
  }

  #findHung(silentMs: number, hung: AbortController): void {
    if (Date.now() - this.#heardAtMs < silentMs || hung.signal.aborted) return;
    const files = [...this.#working].map((file) => relative(process.cwd(), file)).join(", ");
    this.outcome.problems.push(`the run was stopped: nothing was heard for ${silentMs} ms, and these had not ended: ${files}`);
    hung.abort();
  }

  #fail(data: Ended): void {
    noteEnd(this.outcome, this.#titles, data);
    noteFailure(this.#titles, data);
    if (isFileItself(data) && data.file !== undefined) this.#crashed.push(data.file);
  }

  #summary(data: Summary): void {
    if (data.file === undefined) {
      Object.assign(this.outcome.counts, data.counts);
      this.outcome.durationMs = data.duration_ms;
      return;
    }
    this.#working.delete(resolve(data.file));
    this.#heardAtMs = Date.now();
    print(`${data.success ? "✔" : "✖"} ${relative(process.cwd(), data.file)} ${data.counts.tests} in ${Math.round(data.duration_ms)} ms`);
    if (!data.success) this.#outputs.print(data.file);
  }
}

async function runFiles(files: string[], timeout: number): Promise<Outcome> {
  const follower = new Follower();
  await follower.follow(files, timeout);
  return follower.outcome;
}

function printSummary(outcome: Outcome): void {
  const { counts } = outcome;
  print(`# tests ${counts.tests}`);
  print(`# suites ${counts.suites}`);
  print(`# pass ${counts.passed}`);
  print(`# fail ${counts.failed}`);
  print(`# cancelled ${counts.cancelled}`);
  print(`# skipped ${counts.skipped}`);
  print(`# todo ${counts.todo}`);
  print(`# duration_ms ${Math.round(outcome.durationMs)}`);
}

function setEnvironment(set: TestSet): void {
  process.env["TROUPE_TEST_DEPTH"] = set === "all" || set === "kill" || set === "load" ? set : "check";
  // The shipped build is what is killed and driven; it is made anew, since an old one would be tested in place of the sources.
  if (set === "all" || set === "kill" || set === "load") {
    execFileSync(process.execPath, ["tools/prepare.mjs", "--force"], { stdio: "inherit" });
    process.env["TROUPE_TEST_DIST"] ??= "1";
  }
  // Half of what a small test costs is stripping and compiling the same few hundred files: the first process keeps them for all others.
  process.env["NODE_COMPILE_CACHE"] ??= resolve(CACHE, "compile");
  process.env["TROUPE_TEST_SEED"] ??= String(Math.floor(Math.random() * 0x7fffffff));
  print(`node ${process.version}, set ${set}, TROUPE_TEST_SEED=${process.env["TROUPE_TEST_SEED"]}`);
}

/** Leave the titles where the contract's tool finds them, and hold the contract against them. */
function keepPassed(outcome: Outcome): void {
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(`${CACHE}/passed.json`, JSON.stringify(outcome.passed, null, 1));
  if (outcome.counts.failed === 0) outcome.problems.push(...checkContract(outcome.passed));
}

async function runSet(set: TestSet, only: readonly string[]): Promise<Outcome> {
  const whole = only.length === 0;
  const { files, problems } = filesOf(whole ? TEST_SETS[set] : only);
  if (whole) problems.push(...strays());
  const outcome = await runFiles(files, Number(process.env["TROUPE_TEST_TIMEOUT_MS"] ?? TEST_TIMEOUT_MS[set]));
  outcome.problems.push(...problems);
  if (outcome.passed.length === 0) outcome.problems.push("no test ran and passed");
  if (whole && set === "all") keepPassed(outcome);
  return outcome;
}

async function main(words: readonly string[]): Promise<number> {
  const [set, ...only] = words;
  if (!isTestSet(set)) {
    print("usage: node tools/run-tests.ts unit|check|all|kill|load [file or pattern ...]");
    return 2;
  }
  setEnvironment(set);
  const { problems, counts, ...rest } = await runSet(set, only);
  for (const problem of problems) print(`✖ ${problem}`);
  printSummary({ problems, counts, ...rest });
  return problems.length === 0 && counts.failed === 0 && counts.cancelled === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
