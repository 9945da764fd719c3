import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { RuntimeError } from "./foundation/errors.ts";
import { printable } from "./foundation/printable.ts";
import { main } from "./main.ts";
import { bindConsoleCode } from "./operations/console-link.ts";
import { createOperations } from "./operations/operations.ts";
import type { Runtime, RuntimeDoor } from "./operations/runtime-face.ts";

/** The word that makes this file a child that runs `main` over a runtime that does nothing but echo. */
const AS_CHILD = "as-child";

function echoRuntime(stateDirectory: string): Runtime {
  return {
    operations: createOperations([bindConsoleCode({ url: "http://127.0.0.1:7778", issue: () => "fresh-code" })]),
    addresses: { room: [{ name: "parlour", url: "http://127.0.0.1:7777/", port: 7777 }], console: "http://127.0.0.1:7778/" },
    issueConsoleCode: () => "first-code",
    halt: () => void process.stderr.write("told to halt\n"),
    failed: new AbortController().signal,
    startReport: {
      open: [],
      halted: false,
      model: null,
      trial: "untried",
      traces: null,
      triggers: [{ surface: "parlour", who: "everyone who speaks to a character" }],
      stateDirectory,
      config: "the built-in example",
      recovered: { partsFound: 0, messagesAgain: 2, expired: 0, interrupted: 0 },
    },
    terminal: {
      async attach(session) {
        for await (const typed of session.lines) {
          await session.show({
            kind: "said",
            name: printable("Mirelle"),
            badge: printable("understudy"),
            action: null,
            lines: [printable(typed)],
            last: true,
          });
        }
      },
    },
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => setImmediate(resolve));
      process.stdout.write("closed in order\n");
    },
  };
}

function echoDoor(stateDirectory: string, failure: string | undefined): RuntimeDoor {
  return {
    temporaryDirectory: tmpdir(),
    stateDirectory: () => stateDirectory,
    open: () => {
      if (failure === "runtime") return Promise.reject(new RuntimeError("port_in_use", "Cannot open port 7777: it is taken"));
      if (failure === "bug") return Promise.reject(new TypeError("swordfish is not a function"));
      return Promise.resolve(echoRuntime(stateDirectory));
    },
    openOffline: () => Promise.reject(new RuntimeError("not_running", "Cannot find anything here. Start one: troupe run")),
  };
}

/** All that were started: none outlives a failed test. */
const children: ChildProcessWithoutNullStreams[] = [];

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

function child(
  script: string,
  args: readonly string[],
  cwd: string,
  environment: Record<string, string> = {},
): ChildProcessWithoutNullStreams {
  const { TROUPE_CONFIG: _config, TROUPE_STATE: _state, NODE_TEST_CONTEXT: _context, ...rest } = process.env;
  const started = spawn(process.execPath, [script, ...args], { cwd, env: { ...rest, ...environment } });
  children.push(started);
  return started;
}

async function ended(process: ChildProcessWithoutNullStreams, input: string | null = ""): Promise<Ended> {
  const texts = { out: "", error: "" };
  process.stdout.on("data", (chunk: Buffer) => (texts.out += chunk.toString()));
  process.stderr.on("data", (chunk: Buffer) => (texts.error += chunk.toString()));
  if (input !== null) process.stdin.end(input);
  const code = await new Promise<number | null>((resolve) => process.on("close", resolve));
  return { code, ...texts };
}

function home(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "troupe-main-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const troupe = (args: readonly string[], cwd: string, environment: Record<string, string> = {}): Promise<Ended> =>
  ended(child(MAIN, args, cwd, environment));
const echo = (args: readonly string[], cwd: string, environment: Record<string, string> = {}): ChildProcessWithoutNullStreams =>
  child(import.meta.filename, [AS_CHILD, ...args], cwd, environment);

async function untilReady(process: ChildProcessWithoutNullStreams): Promise<void> {
  for await (const chunk of process.stdout.iterator({ destroyOnReturn: false })) if (String(chunk).includes("ready in")) return;
  assert.fail("it never got ready");
}

function tests(): void {
  after(() => {
    for (const one of children) one.kill("SIGKILL");
  });

  test("A85 help lists every command without loading the runtime, and exits 0", async () => {
    using here = home();
    const help = await troupe(["--help"], here.path);
    assert.equal(help.code, 0);
    for (const name of ["run", "chat", "init", "check", "status", "why", "trust", "block", "console", "demo"])
      assert.match(help.out, new RegExp(`^  ${name}\\b`, "m"));
    const sub = await troupe(["why", "--help"], here.path);
    assert.match(sub.out, /--last <n>/);
    assert.equal(existsSync(join(here.path, ".troupe")), false, "asking for help makes nothing");
  });

  test("TR-009 usage ends with 2 and one line: an unknown command is told the nearest, hostile words stay harmless", async () => {
    using here = home();
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [["wyh"], /unknown command 'wyh' \(Did you mean why\?\)/],
      [["why", "--lsat", "3"], /unknown option '--lsat' \(Did you mean --last\?\)/],
      [["why", "--last", "many"], /"last" must be a number/],
      [["trust"], /missing required argument 'person'/],
      [["init", "nonsense"], /"part" must be model or character/],
      [["\u001b[2J\u202ewy"], /⟨001B⟩\[2J⟨202E⟩wy/],
    ];
    for (const [args, words] of cases) {
      const { code, out, error } = await troupe(args, here.path);
      assert.equal(code, 2, error);
      assert.equal(out, "");
      assert.match(error, words);
      assert.equal(error.trim().split("\n").length, 1);
      assert.doesNotMatch(error.trim(), /[\p{Cc}\p{Cf}]/u);
    }
  });

  test("TR-009 --json gives one JSON value for results and for failures", async () => {
    using here = home();
    const written = await troupe(["init", "--yes", "--json"], here.path);
    assert.deepEqual(
      [written.code, JSON.parse(written.out)],
      [0, { kind: "written", path: join(here.path, "troupe.yaml"), added: [], model: null, findings: [], invite: null }],
    );
    assert.equal(statSync(join(here.path, "troupe.yaml")).mode & 0o777, 0o600);
    const again = await troupe(["init", "--yes", "--json"], here.path);
    assert.deepEqual([again.code, JSON.parse(again.out).kind], [1, "exists"]);
    const checked = await troupe(["--json", "check"], here.path);
    assert.ok(JSON.parse(checked.out).findings.length > 3);
    const nobody = await troupe(["status", "--json"], here.path);
    assert.deepEqual([nobody.code, JSON.parse(nobody.out).error.code], [1, "not_running"]);
    const usage = await troupe(["why", "--json", "--last", "0"], here.path);
    assert.deepEqual([usage.code, JSON.parse(usage.out).error.code], [2, "usage"]);
  });

  test("MC-104 a broken configuration is one clear line with its place, and exit 1", async () => {
    using here = home();
    await troupe(["init", "--yes"], here.path);
    const { code, error } = await troupe(["run", "--config", "nowhere.yaml"], here.path);
    assert.equal(code, 1);
    assert.match(
      error,
      /^troupe: Cannot read the configuration nowhere\.yaml: it does not exist; name a regular file with --config, or leave it out\n$/,
    );
  });

  test("TR-086 a start tells address, model, who may trigger what and where state is; Ctrl-C ends it in order with 130", async () => {
    using here = home();
    const running = echo([], here.path, { ECHO_STATE: here.path });
    const out: string[] = [];
    running.stdout.on("data", (chunk: Buffer) => {
      out.push(chunk.toString());
      // Once: a second one would end it at once.
      if (chunk.includes("ready in")) running.kill("SIGINT");
    });
    const { code } = await ended(running, null);
    const shown = out.join("");
    assert.equal(code, 130);
    for (const words of [
      "http://127.0.0.1:7777/",
      "none: the understudy stands in",
      "parlour: everyone who speaks",
      here.path,
      "2 unanswered, answered now",
      "closed in order",
    ])
      assert.ok(shown.includes(words), `${words}\nin\n${shown}`);
    assert.doesNotMatch(shown, /\u001b/, "no colour off a terminal");
  });

  test("TR-073 the signal USR2 halts what runs and ends no process", async () => {
    using here = home();
    const running = echo(["run"], here.path, { ECHO_STATE: here.path });
    await untilReady(running);
    const told = new Promise<string>((resolve) => running.stderr.once("data", (chunk: Buffer) => resolve(chunk.toString())));
    running.kill("SIGUSR2");
    assert.equal(await told, "told to halt\n");
    running.kill("SIGTERM");
    assert.equal((await ended(running, null)).code, 0);
  });

  test("SE-086 off a terminal no code is printed: a file that only its owner reads leads to the console", async () => {
    using here = home();
    const running = echo(["run"], here.path, { ECHO_STATE: here.path });
    const texts: string[] = [];
    running.stdout.on("data", (chunk: Buffer) => texts.push(chunk.toString()));
    await untilReady(running);
    const file = join(here.path, "console.html");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.match(readFileSync(file, "utf8"), /url=http:\/\/127\.0\.0\.1:7778\/#code=first-code"/);
    const asked = await ended(echo(["console", "--json"], here.path, { ECHO_STATE: here.path }));
    assert.deepEqual(JSON.parse(asked.out), { url: "http://127.0.0.1:7778", file });
    assert.match(readFileSync(file, "utf8"), /#code=fresh-code"/);
    running.kill("SIGTERM");
    const { code } = await ended(running, null);
    assert.equal(code, 0);
    assert.doesNotMatch(texts.join("") + asked.out + asked.error, /first-code|fresh-code/);
  });

  test("TR-041 chat joins the process that runs, and starts one of its own where none does", async () => {
    using here = home();
    const environment = { ECHO_STATE: here.path };
    const alone = await ended(echo(["chat"], here.path, environment), "hello\n/quit\nnever said\n");
    assert.deepEqual([alone.code, alone.out], [0, "Mirelle [understudy]: hello\nclosed in order\n"]);
    const running = echo(["run"], here.path, environment);
    await untilReady(running);
    const joined = await ended(echo(["chat", "mirelle"], here.path, environment), "hello\u001b[2J\nand again");
    assert.deepEqual([joined.code, joined.out], [0, "Mirelle [understudy]: hello⟨001B⟩[2J\nMirelle [understudy]: and again\n"]);
    running.kill("SIGTERM");
    assert.equal((await ended(running, null)).code, 0);
    assert.equal(existsSync(join(here.path, "troupe.sock")), false);
  });

  test("MC-107 a failed start is one line without a stack, and a bug is one line without its words", async () => {
    using here = home();
    const taken = await ended(echo([], here.path, { ECHO_STATE: here.path, ECHO_FAILURE: "runtime" }));
    assert.deepEqual(taken, { code: 1, out: "", error: "troupe: Cannot open port 7777: it is taken\n" });
    const bug = await ended(echo([], here.path, { ECHO_STATE: here.path, ECHO_FAILURE: "bug" }));
    assert.deepEqual(bug, { code: 1, out: "", error: "troupe: Cannot go on: the runtime broke a rule of its own\n" });
  });

  test("TR-009 a reader that goes away early is no failure", async () => {
    using here = home();
    const running = child(MAIN, ["--help"], here.path);
    running.stdout.destroy();
    const code = await new Promise((resolve) => running.on("close", resolve));
    assert.equal(code, 0);
  });
}

if (process.argv[2] === AS_CHILD)
  await main({ argv: process.argv.slice(3), door: echoDoor(process.env["ECHO_STATE"] ?? "", process.env["ECHO_FAILURE"]) });
else tests();
