import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { main } from "../../src/main.ts";
import { folderAsText } from "../../src/testing/folder-as-text.ts";
import { readingModel } from "../../src/testing/reading-model.ts";
import { startScriptedModel } from "../../src/testing/scripted-model.ts";

/** The word that makes this file a child that runs `main` on pipes which say that they are a terminal. */
const AS_CHILD = "as-child";
const KEY = "sk-typed-0123456789-abcdefghij";
const ENTER = "\r";
/** A real pseudo-terminal where the system has the tool for it. */
const SCRIPT = "/usr/bin/script";

type Step = readonly [question: string, typed: string];

const evening = (url: string): readonly Step[] => [
  ["Name [Mirelle]:", `Kim${ENTER}`],
  ["Who is that?", `Runs the kiosk.${ENTER}`],
  ["Name of the room", ENTER],
  ["Port of this computer", `0${ENTER}`],
  ["Who runs it?", ENTER],
  ["Look for a model server", `n${ENTER}`],
  ["Address of a model server", `${url}${ENTER}`],
  ["How is it spoken to", ENTER],
  ["Its key (it is not shown)", `${KEY}${ENTER}`],
  ["Model, by the name", `tiny${ENTER}`],
  ["Write it?", ENTER],
];

/** A troupe at a terminal, with what it showed so far. */
class AtTerminal {
  readonly process: ChildProcessWithoutNullStreams;
  shown = "";
  readonly #ended: Promise<number | null>;
  #look: () => void = () => {};

  constructor(command: string, args: readonly string[], cwd: string) {
    const { TROUPE_CONFIG: _config, TROUPE_STATE: _state, NODE_TEST_CONTEXT: _context, ...environment } = process.env;
    this.process = spawn(command, args, { cwd, env: { ...environment, NO_COLOR: "1" } });
    children.push(this.process);
    const take = (chunk: Buffer): void => {
      this.shown += chunk.toString();
      this.#look();
    };
    this.process.stdout.on("data", take);
    this.process.stderr.on("data", take);
    this.#ended = new Promise((resolve) => this.process.on("close", (code) => resolve(code)));
  }

  /** Answer each question once it stands there, and wait until the last one does. */
  async answer(steps: readonly Step[]): Promise<void> {
    let at = 0;
    for (const [question, typed] of steps) {
      at = await this.#until(question, at);
      // The line editor shows a question before it listens for its answer.
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (typed !== "") this.process.stdin.write(typed);
    }
  }

  ended(): Promise<number | null> {
    return this.#ended;
  }

  #until(words: string, after: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#look = () => {
        const at = this.shown.indexOf(words, after);
        if (at >= 0) resolve(at + words.length);
      };
      this.#look();
      this.#ended.then(() => reject(new Error(`it ended before it asked ${words}: ${this.shown}`)), reject);
    });
  }
}

const children: ChildProcessWithoutNullStreams[] = [];

function home(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "troupe-evening-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

const onPipes = (cwd: string, ...args: readonly string[]): AtTerminal =>
  new AtTerminal(process.execPath, [import.meta.filename, AS_CHILD, ...args], cwd);

/** On a real pseudo-terminal; where there is no tool for one, on pipes that say they are a terminal. */
function onTerminal(cwd: string, ...args: readonly string[]): AtTerminal {
  if (!existsSync(SCRIPT)) return onPipes(cwd, ...args);
  const entry = join(import.meta.dirname, "..", "..", "src", "main.ts");
  return new AtTerminal(SCRIPT, ["-qec", [process.execPath, entry, ...args].map((word) => `'${word}'`).join(" "), "/dev/null"], cwd);
}

function tests(): void {
  after(() => {
    for (const one of children) one.kill("SIGKILL");
  });

  test("TR-072 at a terminal: from an empty folder to a tried model by answering questions; the key shows nowhere", async () => {
    await using server = await startScriptedModel({ script: readingModel({ keeps: [] }) });
    using here = home();
    const troupe = onTerminal(here.path, "init");
    await troupe.answer(evening(server.url));
    assert.equal(await troupe.ended(), 0, troupe.shown);
    assert.ok(!troupe.shown.includes(KEY.slice(0, 10)));
    assert.match(troupe.shown, /keeps no form, so its whole answer is speech/);
    const trials = JSON.parse(readFileSync(join(here.path, ".troupe", "model-trials.json"), "utf8")) as {
      trials: { trial: { format: string } }[];
    };
    assert.deepEqual(
      trials.trials.map(({ trial }) => trial.format),
      ["plain"],
    );
    assert.equal(server.requests[0]?.headers.authorization, `Bearer ${KEY}`);
    assert.equal(folderAsText(here.path).split(KEY).length, 2, "one file holds it");
  });

  test("TR-009 SIGINT and Ctrl-C at a question and in the middle of the trial leave the folder byte-identical, exit 130", async () => {
    await using server = await startScriptedModel({ script: readingModel({}) });
    const steps = evening(server.url);
    const stopAt = async (at: number, how: "signal" | "key"): Promise<void> => {
      using here = home();
      const before = folderAsText(here.path);
      const troupe = onPipes(here.path, "init");
      await troupe.answer([...steps.slice(0, at), [steps[at]?.[0] ?? "", how === "key" ? "\u0003" : ""]]);
      if (how === "signal") troupe.process.kill("SIGINT");
      assert.equal(await troupe.ended(), 130, `${steps[at]?.[0]}: ${troupe.shown}`);
      assert.equal(folderAsText(here.path), before, steps[at]?.[0]);
      assert.match(troupe.shown, /Nothing was written\.\s*$/);
    };
    // Every question is walked without a process of its own beside the session's source; here the first, the key and the last.
    const key = steps.findIndex(([question]) => question.startsWith("Its key"));
    await Promise.all([stopAt(0, "key"), stopAt(key, "signal"), stopAt(steps.length - 1, "signal")]);

    using here = home();
    const before = folderAsText(here.path);
    server.fault("hanging_headers");
    const troupe = onPipes(here.path, "init");
    await troupe.answer([...steps.slice(0, -1), ["… a newcomer's greeting", "\u0003"]]);
    assert.equal(await troupe.ended(), 130, troupe.shown);
    assert.equal(folderAsText(here.path), before);
  });

  test("TR-009 on a pipe nobody is asked: one line names the option, exit 2, and nothing is written", async () => {
    using here = home();
    const entry = join(import.meta.dirname, "..", "..", "src", "main.ts");
    const troupe = new AtTerminal(process.execPath, [entry, "init"], here.path);
    troupe.process.stdin.end("Kim\n");
    assert.equal(await troupe.ended(), 2);
    assert.match(
      troupe.shown,
      /^troupe: Cannot ask "Name": this is no terminal; answer with --name, or take every default that is left with --yes\n$/,
    );
    assert.equal(folderAsText(here.path).split("\n").length, 1);
  });
}

if (process.argv[2] === AS_CHILD) {
  Object.defineProperty(process.stdin, "isTTY", { value: true });
  Object.assign(process.stdin, { setRawMode: () => process.stdin });
  Object.defineProperty(process.stdout, "isTTY", { value: true });
  await main({ argv: process.argv.slice(3) });
} else tests();
