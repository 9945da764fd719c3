import assert from "node:assert/strict";
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { rawRequest } from "../../src/testing/raw-request.ts";

const BUILT = process.env["TROUPE_TEST_DIST"] === "1";
const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
/** What is run: the launcher over the build, or the sources themselves. */
const ENTRY: readonly string[] = [path(BUILT ? "bin/troupe.cjs" : "src/main.ts")];
/** A user without any right, for a test that runs as root; whoever runs it as themselves is one already. */
export const NOBODY: { readonly uid?: number; readonly gid?: number } = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
/** Longest life of a command that must end by itself. */
const COMMAND_MS = 30_000;

/** A configuration without a fault, on ports that the system chooses. */
export const GOOD = `characters:
  mirelle: { name: Mirelle, description: Keeps the inn at the ferry. }
surfaces:
  parlour: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
`;

/** How a command is run. */
export interface Way {
  readonly environment?: Readonly<Record<string, string>>;
  readonly as?: { readonly uid?: number; readonly gid?: number };
  /** Modules loaded before the program's own. */
  readonly preload?: readonly string[];
  readonly stdio?: SpawnOptions["stdio"];
  /** All that stands on its standard input. */
  readonly input?: string;
  /** What a shell is told beside the command, such as `<&-`. */
  readonly shell?: string;
}

/** What came of a command. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly error: string;
}

/** A folder of its own with a configuration and a place for state, and the program run in it. */
export class Workshop implements AsyncDisposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), "troupe-bad-"));
  readonly state: string = join(this.folder, "state");
  readonly config: string = join(this.folder, "troupe.yaml");
  readonly #children: ChildProcess[] = [];

  constructor(yaml: string = GOOD) {
    chmodSync(this.folder, 0o755);
    this.write("troupe.yaml", yaml);
  }

  write(name: string, content: string | Uint8Array, mode: number = 0o644): string {
    const file = join(this.folder, name);
    writeFileSync(file, content);
    chmodSync(file, mode);
    return file;
  }

  makeState(mode: number = 0o700): string {
    mkdirSync(this.state);
    chmodSync(this.state, mode);
    return this.state;
  }

  /** Give the folder and all in it to the user without rights. */
  giveAway(): void {
    const { uid, gid } = NOBODY;
    if (uid === undefined || gid === undefined) return;
    for (const name of ["", ...readdirSync(this.folder, { recursive: true, encoding: "utf8" })])
      chownSync(join(this.folder, name), uid, gid);
  }

  /** Run a command to its end. */
  async run(args: readonly string[], way: Way = {}): Promise<Ended> {
    const child = this.#spawn(args, way);
    const late = setTimeout(() => child.kill("SIGKILL"), COMMAND_MS);
    const texts = { out: "", error: "" };
    child.stdout?.on("data", (chunk: Buffer) => (texts.out += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (texts.error += chunk.toString()));
    child.stdin?.end(way.input);
    const [code, signal]: [number | null, NodeJS.Signals | null] = await closed(child);
    clearTimeout(late);
    return { code, signal, ...texts };
  }

  /** Start the characters and wait until they are up. */
  async start(way: Way = {}): Promise<Running> {
    const child = this.#spawn(["run", "--json"], way);
    const [errors, printed]: [string[], string[]] = [[], []];
    child.stderr?.on("data", (chunk: Buffer) => errors.push(chunk.toString()));
    assert.ok(child.stdout);
    const lines = createInterface({ input: child.stdout }).on("line", (line) => printed.push(line));
    const end = closed(child);
    await Promise.race([once(lines, "line"), end]);
    const [first = ""] = printed.splice(0, 1);
    assert.match(first, /"addresses"/, `it did not start: ${first}${errors.join("")}`);
    return new Running(child, STARTED.parse(JSON.parse(first)), end, { errors, later: printed });
  }

  /** Every file and folder here, with its mode and what it holds; the compile cache is no state of anybody. */
  listing(): Readonly<Record<string, string>> {
    const names = readdirSync(this.folder, { recursive: true, encoding: "utf8" }).filter((name) => !/^state\/cache(?:\/|$)/.test(name));
    return Object.fromEntries(names.toSorted().map((name) => [name, fingerprint(join(this.folder, name))]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  #spawn(args: readonly string[], way: Way): ChildProcess {
    const preload = (way.preload ?? []).flatMap((file) => ["--import", file]);
    const words = [process.execPath, ...preload, ...ENTRY, ...args];
    const [command = "", ...rest] = way.shell === undefined ? words : ["/bin/sh", "-c", `exec "$@" ${way.shell}`, "sh", ...words];
    const child = spawn(command, rest, {
      cwd: this.folder,
      env: { PATH: process.env["PATH"], TMPDIR: tmpdir(), TROUPE_STATE: this.state, ...way.environment },
      stdio: way.stdio ?? ["pipe", "pipe", "pipe"],
      ...way.as,
    });
    this.#children.push(child);
    return child;
  }
}

interface Started {
  readonly pid: number;
  readonly addresses: { readonly room: readonly { readonly url: string }[]; readonly console: string };
  readonly recovered: Readonly<Record<"messagesAgain" | "interrupted" | "expired" | "partsFound", number>>;
}

const STARTED: z.ZodType<Started> = z.object({
  pid: z.int(),
  addresses: z.object({ room: z.array(z.object({ url: z.url() })), console: z.url() }),
  recovered: z.object({ messagesAgain: z.int(), interrupted: z.int(), expired: z.int(), partsFound: z.int() }),
});

interface Texts {
  readonly errors: readonly string[];
  readonly later: readonly string[];
}

/** A running process, with one visitor's way into its room. */
export class Running {
  readonly pid: number;
  readonly room: number;
  readonly console: number;
  readonly recovered: Started["recovered"];
  readonly #child: ChildProcess;
  readonly #end: Promise<[number | null, NodeJS.Signals | null]>;
  readonly #texts: Texts;

  constructor(child: ChildProcess, told: Started, end: Promise<[number | null, NodeJS.Signals | null]>, texts: Texts) {
    this.pid = told.pid;
    this.room = portOf(told.addresses.room[0]?.url ?? "");
    this.console = portOf(told.addresses.console);
    this.recovered = told.recovered;
    this.#child = child;
    this.#end = end;
    this.#texts = texts;
  }

  /** What it wrote to standard error. */
  get errors(): string {
    return this.#texts.errors.join("");
  }

  /** What it printed after it was up, a line each. */
  get later(): readonly string[] {
    return this.#texts.later;
  }

  /** Whether its room still serves its page. */
  async answers(): Promise<boolean> {
    return (await rawRequest(this.room, { path: "/" })).status < 500;
  }

  /** Join the room. */
  async join(name: string): Promise<string> {
    const answer = await this.#post("/api/members", { name });
    assert.equal(answer.status, 201, answer.text);
    return z.object({ secret: z.string() }).parse(JSON.parse(answer.text)).secret;
  }

  /** Say a line privately or not; gives the status, or null when nobody answers. */
  async say(secret: string, line: { id: string; text: string; private?: boolean }): Promise<number | null> {
    const body = { clientLineId: line.id, to: "mirelle", private: line.private === true, text: line.text };
    return this.#post("/api/lines", body, secret).then(
      ({ status }) => status,
      () => null,
    );
  }

  /** Stop reading what it prints, as a reader does that has gone away. */
  deafen(): void {
    this.#child.stdout?.destroy();
  }

  /** Ask it to end in order. */
  async stop(): Promise<number | null> {
    this.#child.kill("SIGTERM");
    return (await this.#end)[0];
  }

  /** Wait until it ends by itself. */
  async ended(): Promise<[number | null, NodeJS.Signals | null]> {
    return this.#end;
  }

  #post(where: string, body: unknown, secret?: string): ReturnType<typeof rawRequest> {
    return rawRequest(this.room, {
      method: "POST",
      path: where,
      headers: {
        origin: `http://127.0.0.1:${this.room}`,
        "sec-fetch-site": "same-origin",
        "content-type": "application/json",
        ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
      },
      body: JSON.stringify(body),
    });
  }
}

async function closed(child: ChildProcess): Promise<[number | null, NodeJS.Signals | null]> {
  const [code, signal] = z.tuple([z.number().nullable(), z.custom<NodeJS.Signals | null>()]).parse(await once(child, "close"));
  return [code, signal];
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

function fingerprint(file: string): string {
  const stats = lstatSync(file);
  const mode = (stats.mode & 0o7777).toString(8);
  if (!stats.isFile()) return `${stats.isDirectory() ? "folder" : "other"} ${mode}`;
  return `file ${mode} ${createHash("sha256").update(readFileSync(file)).digest("hex")}`;
}

/**
 * One clear line: a failure's exit code, nothing on standard output, one line on standard error (or the list of a
 * configuration's problems, one a line), no stack trace, no compiled path, no secret; each of `words` is in it.
 */
export function assertOneClearLine(ended: Ended, words: readonly (string | RegExp)[], code: number = 1): void {
  const shown = `exit ${ended.code} ${ended.signal}\nstdout: ${ended.out}\nstderr: ${ended.error}`;
  assert.equal(ended.code, code, shown);
  assert.equal(ended.out, "", shown);
  const lines = ended.error.split("\n");
  assert.equal(lines.pop(), "", `the last line is whole\n${shown}`);
  const list = lines.length > 1 && /^troupe: Cannot use the configuration:$/.test(lines[0] ?? "");
  assert.ok(lines.length === 1 || (list && lines.slice(1).every((line) => /^ {2}\S/.test(line))), `one line, or a list\n${shown}`);
  assert.match(ended.error, /^troupe: Cannot /, shown);
  assertNoTrace(ended.error);
  for (const word of words) {
    if (typeof word === "string") assert.ok(ended.error.includes(word), `names ${word}\n${shown}`);
    else assert.match(ended.error, word, shown);
  }
}

/** Nothing of the program's own insides: no stack, no module path, no error class. */
export function assertNoTrace(text: string): void {
  assert.doesNotMatch(text, /^\s+at |node:internal|\.[cm]?[jt]s:\d+|\b[A-Z][A-Za-z]*Error\b|ERR_[A-Z_]+|Node\.js v\d/m, text);
}
