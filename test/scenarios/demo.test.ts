import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const SOURCE = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const BUILT = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const BUILT_DEMO = fileURLToPath(new URL("../../dist/testing/demo.js", import.meta.url));
/** A run takes about 30 s, 20 of them the second life's long thought. */
const LIMIT_MS = 90_000;

const report = z.strictObject({
  passed: z.boolean(),
  failures: z.array(z.string()),
  tookMs: z.number(),
  facts: z.record(z.string(), z.number()),
  roads: z.array(
    z.object({
      line: z.string(),
      outcome: z.string(),
      end: z.string(),
      runs: z.number(),
      turn: z.string(),
      candidates: z.string(),
      gate: z.string(),
    }),
  ),
  recordedWithOneSharedHistory: z.array(z.object({ said: z.string(), private: z.boolean(), answered: z.string() })).length(2),
});

/** The command as a person starts it, with an empty folder in the place of the system's temporary one. */
class Demo implements AsyncDisposable {
  readonly process: ChildProcess;
  readonly folder: string;
  readonly texts: { out: string; error: string } = { out: "", error: "" };
  #changed: () => void = () => {};

  constructor(folder: string, args: readonly string[]) {
    this.folder = folder;
    const { TROUPE_STATE: _state, TROUPE_CONFIG: _config, NODE_TEST_CONTEXT: _context, ...rest } = process.env;
    this.process = spawn(process.execPath, [...args], { cwd: folder, env: { ...rest, TMPDIR: folder, TMP: folder, TEMP: folder } });
    this.process.stdout?.on("data", (chunk: Buffer) => this.#take("out", chunk));
    this.process.stderr?.on("data", (chunk: Buffer) => this.#take("error", chunk));
  }

  static async start(...args: string[]): Promise<Demo> {
    return new Demo(await mkdtemp(join(tmpdir(), "t-demo-")), args);
  }

  /** Wait for words on standard output. */
  async until(words: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = words.exec(this.texts.out);
      if (found !== null) return found;
      assert.equal(this.process.exitCode, null, `it ended without ${words}: ${this.texts.error}`);
      await new Promise<void>((resolve) => (this.#changed = resolve));
    }
  }

  async end(): Promise<number | null> {
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, "close");
    return this.process.exitCode;
  }

  async left(): Promise<string[]> {
    return (await readdir(this.folder)).filter((name) => name.startsWith("troupe-"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.kill("SIGKILL");
    await this.end();
    await rm(this.folder, { recursive: true, force: true });
  }

  #take(stream: "out" | "error", chunk: Buffer): void {
    this.texts[stream] += chunk.toString();
    this.#changed();
  }
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

suite("troupe demo", { concurrency: true, timeout: LIMIT_MS }, () => {
  test("TR-042 TR-044 TR-030 as a program reads it: one report, everything held, nothing left behind", async () => {
    await using demo = await Demo.start(SOURCE, "demo", "--json");
    assert.equal(await demo.end(), 0, `${demo.texts.out}${demo.texts.error}`);
    assert.equal(demo.texts.out.trim().split("\n").length, 1, "one JSON value");
    const told = report.parse(JSON.parse(demo.texts.out));
    assert.deepEqual([told.passed, told.failures], [true, []]);
    const { bytesToBen = 0, wordToBen, wordToAnn = 0, messages, answered, unended, kills } = told.facts;
    assert.deepEqual({ wordToBen, messages, answered, unended, kills }, { wordToBen: 0, messages: 9, answered: 9, unended: 0, kills: 1 });
    assert.ok(bytesToBen > 5_000 && wordToAnn >= 2, "the check is not vacuous");
    const roads = new Map(told.roads.map((road) => [road.line, road]));
    assert.deepEqual([...roads.keys()].toSorted(), ["back", "everything", "hello", "order", "say", "slow", "told", "topic", "whisper"]);
    assert.equal(roads.get("slow")?.runs, 2);
    assert.equal(roads.get("order")?.candidates, "1 proposed, 0 applied");
    assert.ok(told.tookMs > 0 && told.tookMs < LIMIT_MS, `it took ${told.tookMs} ms`);
    assert.deepEqual(await demo.left(), []);
  });

  const noBuild = existsSync(BUILT_DEMO) ? false : "there is no build of the demonstration here";
  test(
    "TR-042 SE-103 as a person sees it, from the build: the scene, the kill, the recorded twin and the verdict, without colours",
    { skip: noBuild },
    async () => {
      await using demo = await Demo.start(BUILT, "demo");
      const code = await demo.end();
      const shown = demo.texts.out;
      assert.equal(code, 0, `${shown}${demo.texts.error}`);
      for (const words of [
        /^Ann to Mirelle only: between us: the ledger is under the third stair/m,
        /^ {4}Mirelle: ＠everyone free gold at \[link\]$/m,
        /\(kill -9 \d+\)/,
        /\(Both pages: connection lost\.\)/,
        /runs 2/,
        /^ {4}it stands on Ann's page once$/m,
        /^Recorded result, not played now/m,
        /^passed: nothing leaked, nothing was lost, nothing was said twice/m,
      ])
        assert.match(shown, words);
      assert.doesNotMatch(shown.replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u);
      assert.deepEqual(await demo.left(), []);
    },
  );

  test("MC-107 Ctrl-C in the middle ends it with 130; its process and its folder are gone", async () => {
    await using demo = await Demo.start(SOURCE, "demo");
    const [, pid] = await demo.until(/\(Process (\d+) is up/);
    await demo.until(/Ann to Mirelle only/);
    assert.equal((await demo.left()).length, 1);
    assert.ok(lives(Number(pid)));
    demo.process.kill("SIGINT");
    assert.equal(await demo.end(), 130);
    assert.deepEqual(await demo.left(), []);
    assert.equal(lives(Number(pid)), false);
    assert.doesNotMatch(demo.texts.out, /passed|failed/);
  });
});
