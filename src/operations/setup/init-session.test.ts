import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { EXAMPLE_YAML } from "../../config/writing/example.ts";
import { loadConfig } from "../../config/load.ts";
import { knownTrial } from "../../config/model-trials.ts";
import { systemClock } from "../../foundation/clock.ts";
import { isRuntimeError } from "../../foundation/errors.ts";
import { FakeTerminal } from "../../testing/fake-terminal.ts";
import { folderAsText } from "../../testing/folder-as-text.ts";
import type { ModelTrial } from "../../vocabulary/model-trial.ts";
import { openPrompter } from "../faces/terminal-prompter.ts";
import type { InitNeeds } from "./init-session.ts";
import { runInit } from "./init-session.ts";
import type { InitAnswer, InitArguments } from "./init.ts";
import { init } from "./init.ts";
import type { Candidate, ModelBench, TrialOutcome } from "./model-bench.ts";

const KEY = "sk-typed-0123456789-abcdefghij";
const ENTER = "\r";

const TRIAL: Omit<ModelTrial, "model"> = {
  atMs: 1_800_000_000_000,
  firstTokenMs: 300,
  loadMs: null,
  tokensPerSecond: 40,
  format: "schema",
  thinking: "none",
  packetBytes: 16_384,
  end: "budget",
  packetTokens: 4_000,
};

/** A bench that finds and tries what a test says, and notes what it was asked. */
class ScriptedBench implements ModelBench {
  readonly ports: readonly number[] = [11_434, 8_080];
  readonly asked: string[] = [];
  readonly candidates: Candidate[] = [];
  found: Awaited<ReturnType<ModelBench["look"]>> = [];
  outcome: (candidate: Candidate) => TrialOutcome = ({ name }) => ({ kind: "tried", trial: { ...TRIAL, model: name }, said: "Come in." });

  look(): ReturnType<ModelBench["look"]> {
    this.asked.push("look");
    return Promise.resolve(this.found);
  }
  modelsOf({ url, key }: Parameters<ModelBench["modelsOf"]>[0]): Promise<readonly string[]> {
    this.asked.push(`models of ${url} ${key === null ? "without" : "with"} a key`);
    return Promise.resolve([]);
  }
  tryOut(candidate: Candidate): Promise<TrialOutcome> {
    this.asked.push(`try ${candidate.name}`);
    this.candidates.push(candidate);
    return Promise.resolve(this.outcome(candidate));
  }
}

interface House extends Disposable {
  readonly folder: string;
  readonly bench: ScriptedBench;
  readonly terminal: FakeTerminal;
  /** Run `init`; each answer is typed once its question stands there. */
  run(
    args: InitArguments,
    answers: readonly (readonly [question: string, typed: string])[] | null,
    stop?: AbortController,
  ): Promise<InitAnswer>;
}

function house(): House {
  const folder = mkdtempSync(join(tmpdir(), "troupe-init-"));
  const bench = new ScriptedBench();
  const terminal = new FakeTerminal();
  return {
    folder,
    bench,
    terminal,
    async run(args, answers, stop = new AbortController()) {
      const needs: InitNeeds = {
        path: join(folder, "troupe.yaml"),
        stateDirectory: join(folder, ".troupe"),
        load: { cwd: folder, environment: { MODEL_KEY: KEY } },
        bench,
        bots: { open: () => assert.fail("no bot is set up here") },
        clock: systemClock,
        openPrompter: () =>
          answers === null
            ? null
            : openPrompter({ input: terminal.input, output: terminal.output, color: false, interrupt: () => stop.abort() }),
        isFree: (port) => Promise.resolve(port !== 7_777),
      };
      const running = runInit(args, needs, stop.signal);
      running.catch(() => {});
      let at = 0;
      for (const [question, typed] of answers ?? []) {
        at = await terminal.until(question, at);
        await new Promise((resolve) => setImmediate(resolve));
        terminal.type(typed);
      }
      return await running;
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const config = (one: House): ReturnType<typeof loadConfig>["config"] =>
  loadConfig({ cwd: one.folder, environment: { MODEL_KEY: KEY } }).config;

test("TR-084 with --yes the file is the built-in example, nothing is asked and nothing is looked for", async () => {
  using one = house();
  const answer = await one.run({ yes: true }, null);
  assert.deepEqual(answer, { kind: "written", path: join(one.folder, "troupe.yaml"), added: [], model: null, findings: [], invite: null });
  // Its port was taken here.
  assert.equal(readFileSync(answer.path, "utf8"), EXAMPLE_YAML.replace("7777", "7779"));
  assert.deepEqual(one.bench.asked, []);
});

test("TR-009 where nobody can be asked, a question without an answer names the option that answers it", async () => {
  using one = house();
  const refused = (option: RegExp) => (error: unknown) => isRuntimeError(error, "usage") && option.test(error.message);
  await assert.rejects(one.run({}, null), refused(/--name/));
  await assert.rejects(one.run({ name: "Kim" }, null), refused(/--description/));
  await assert.rejects(one.run({ part: "model" }, null), refused(/--look/));
  await assert.rejects(one.run({ yes: true, name: "a\u202eb" }, null), refused(/--name: must be one line/));
  await assert.rejects(one.run({ yes: true, port: 7_778 }, null), refused(/--port: is the console's own port/));
  await assert.rejects(one.run({ yes: true, url: "ftp://x" }, null), refused(/--url/));
  await assert.rejects(
    one.run({ yes: true, url: "http://x", api: "telepathy" }, null),
    refused(/--api: say one of openai, ollama, anthropic/),
  );
  await assert.rejects(one.run({ yes: true, url: "http://x", model: "m", key_env: "NOT_THERE" }, null), refused(/--key-env: .*not set/));
});

test("TR-072 the first evening: a character, a room, a server found on a person's word, tried, and written in one piece", async () => {
  using one = house();
  one.bench.found = [{ name: "Ollama", host: "ollama", api: "ollama", url: "http://127.0.0.1:11434", models: ["qwen3:8b", "llama3.1:8b"] }];
  const answer = await one.run({}, [
    ["Name [Mirelle]:", `Kim${ENTER}`],
    ["Who is that?", `Runs the kiosk: knows everybody.${ENTER}`],
    ["Name of the room [The Lantern]:", `The Kiosk${ENTER}`],
    ["Port of this computer [7779]:", ENTER],
    ["Who runs it?", `Anna${ENTER}`],
    ["Look for a model server on this computer (ports 11434, 8080)? [y/N]", `y${ENTER}`],
    ["Use which [1]:", ENTER],
    ["Which model [1]:", `2${ENTER}`],
    ["Write it? [Y/n]", ENTER],
  ]);
  assert.equal(answer.kind, "written");
  assert.deepEqual(one.bench.asked, ["look", "try ollama/llama3.1:8b"], "nothing is looked for before the yes");
  const { characters, surfaces, delivery, models, stateDirectory } = config(one);
  assert.deepEqual(
    [...characters.values()].map(({ id, name, description }) => [id, name, description]),
    [["kim", "Kim", "Runs the kiosk: knows everybody."]],
  );
  assert.deepEqual(
    [...surfaces.values()].map((one) => [one.name, one.title, one.kind === "room" ? one.port : null]),
    [["the-kiosk", "The Kiosk", 7_779]],
  );
  assert.equal(delivery.disclosure.operator, "Anna");
  assert.equal(models.defaultModel, "ollama/llama3.1:8b");
  const host = models.hosts.get("ollama");
  assert.ok(host !== undefined);
  assert.equal(knownTrial(stateDirectory, "ollama/llama3.1:8b", host)?.tokensPerSecond, 40, "the trial belongs to what was written");
  assert.match(one.terminal.shown, /✓ answered, first token after 0.3 s, 40 tokens a second/);
  assert.match(one.terminal.shown, /Kim: Come in\./);
});

test("TR-072 a typed key is in no line of the terminal, and in one private file only", async () => {
  using one = house();
  const answer = await one.run({ part: "model" }, [
    ["Look for a model server", ENTER],
    ["Address of a model server", `https://models.example.org/v1${ENTER}`],
    ["How is it spoken to [1]:", ENTER],
    ["Its key (it is not shown)", `${KEY}${ENTER}`],
    ["Model, by the name", `big${ENTER}`],
    ["Price of a million tokens", `0.2 0.8${ENTER}`],
    ["Money a day at most, in the same currency; 0 for no bound [1]:", ENTER],
    ["Write it?", ENTER],
  ]);
  assert.deepEqual([answer.kind, answer.model], ["written", "example/big"]);
  assert.deepEqual(one.bench.asked, ["models of https://models.example.org/v1 with a key", "try example/big"]);
  const file = join(one.folder, ".troupe", "secrets", "example.key");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(readFileSync(file, "utf8"), `${KEY}\n`);
  assert.match(readFileSync(answer.path, "utf8"), /key_file: \.\/\.troupe\/secrets\/example\.key/);
  assert.equal(config(one).models.hosts.get("example")?.key?.reveal(), KEY);
  assert.ok(!one.terminal.bytes.includes(KEY.slice(0, 9)));
  assert.equal(folderAsText(one.folder).split(KEY).length, 2, "it stands in one place of the folder");
  assert.match(readFileSync(answer.path, "utf8"), /^budgets:\n  money_per_day_in_all: 1$/m);
  assert.deepEqual(config(one).models.hosts.get("example")?.models.get("big")?.price, {
    promptMicros: 200_000,
    completionMicros: 800_000,
    cacheReadMicros: 200_000,
    cacheWriteMicros: 200_000,
  });
});

test("TR-092 price and the day's money come from options as well, and a bound that is there stays", async () => {
  using one = house();
  const model = { part: "model", yes: true, url: "http://127.0.0.1:9000/v1", model: "m" } as const;
  const refused = (error: unknown): boolean => isRuntimeError(error, "usage") && /--price: write two numbers/.test(error.message);
  await assert.rejects(one.run({ ...model, price: "cheap" }, null), refused);
  await one.run({ ...model, price: "0.5 1.5", money_per_day: 2.5 }, null);
  const text = readFileSync(join(one.folder, "troupe.yaml"), "utf8");
  assert.match(text, /money_per_day_in_all: 2\.5/);
  await one.run({ ...model, model: "n", price: "3 4", money_per_day: 9 }, null);
  const again = readFileSync(join(one.folder, "troupe.yaml"), "utf8");
  assert.match(again, /money_per_day_in_all: 2\.5/);
  assert.doesNotMatch(again, /money_per_day_in_all: 9/);
  assert.equal(config(one).models.defaultModel, "local/n");
  using other = house();
  await other.run({ ...model, price: "free" }, null);
  assert.doesNotMatch(readFileSync(join(other.folder, "troupe.yaml"), "utf8"), /money_per_day/);
});

test("a model that fails is not written unless somebody insists; another can be named", async () => {
  using one = house();
  one.bench.outcome = ({ name }) =>
    name.startsWith("local/bad")
      ? { kind: "failed", code: "model_unreachable", why: "Cannot reach the model's server" }
      : { kind: "tried", trial: { ...TRIAL, model: name }, said: "" };
  const choose = (model: string): readonly (readonly [string, string])[] => [
    ["Look for a model server", `n${ENTER}`],
    ["Address of a model server", `http://127.0.0.1:9000/v1${ENTER}`],
    ["How is it spoken to", ENTER],
    ["Its key", ENTER],
    ["Model, by the name", `${model}${ENTER}`],
  ];
  const answer = await one.run({ part: "model" }, [
    ...choose("bad"),
    ["✗ Cannot reach the model's server", ""],
    ["Write it down all the same? [y/N]", ENTER],
    ...choose("good"),
    ["Write it? [Y/n]", ENTER],
  ]);
  assert.equal(answer.model, "local/good");
  using other = house();
  other.bench.outcome = one.bench.outcome;
  const refused = (error: unknown): boolean => isRuntimeError(error, "not_found") && /Nothing was written; --untried/.test(error.message);
  await assert.rejects(other.run({ yes: true, url: "http://127.0.0.1:9000/v1", model: "bad" }, null), refused);
  assert.equal(folderAsText(other.folder), "/ 700");
  assert.equal((await other.run({ yes: true, url: "http://127.0.0.1:9000/v1", model: "bad", untried: true }, null)).model, "local/bad");
  assert.equal(other.bench.asked.filter((asked) => asked.startsWith("try")).length, 1);
});

test("a model that thinks unasked is tried once more without, if the person wants that, and written down so", async () => {
  using one = house();
  one.bench.outcome = ({ name, host }) => ({
    kind: "tried",
    trial: { ...TRIAL, model: name, thinking: host.models.get("m")?.think === "off" ? "none" : "thinks" },
    said: "",
  });
  await one.run({ part: "model" }, [
    ["Look for", ENTER],
    ["Address", `http://127.0.0.1:9000/v1${ENTER}`],
    ["How is it", ENTER],
    ["Its key", ENTER],
    ["Model, by", `m${ENTER}`],
    ["asked not to think? [Y/n]", ENTER],
    ["✓ speaks without thinking first", ""],
    ["Write it?", ENTER],
  ]);
  const host = config(one).models.hosts.get("local");
  assert.equal(host?.models.get("m")?.think, "off");
  assert.equal(one.bench.candidates.length, 2);
});

test("a host that drops what it is sent is named, and written only on a second word", async () => {
  using one = house();
  one.bench.outcome = ({ name }) => ({ kind: "tried", trial: { ...TRIAL, model: name, packetBytes: 0, end: "truncated" }, said: "" });
  await assert.rejects(one.run({ yes: true, url: "http://127.0.0.1:9000/v1", model: "m" }, null), (error) =>
    isRuntimeError(error, "not_found"),
  );
  const answer = await one.run({ part: "model" }, [
    ["Look for", ENTER],
    ["Address", `http://127.0.0.1:9000/v1${ENTER}`],
    ["How is it", ENTER],
    ["Its key", ENTER],
    ["Model, by", `m${ENTER}`],
    ["it will not speak (truncated_by_host)", ""],
    ["all the same? [y/N]", `y${ENTER}`],
    ["Write it?", ENTER],
  ]);
  assert.equal(answer.kind, "written");
  const { models, stateDirectory } = config(one);
  const host = models.hosts.get("local");
  assert.ok(host !== undefined);
  assert.equal(knownTrial(stateDirectory, "local/m", host)?.packetBytes, 0, "and what it is stays known");
});

test("TR-041 a file that is there stays as it is; what is added keeps its comments, and the lines are shown before", async () => {
  using one = house();
  const mine = `# mine\n${EXAMPLE_YAML}`;
  writeFileSync(join(one.folder, "troupe.yaml"), mine, { mode: 0o600 });
  assert.equal((await one.run({ yes: true }, null)).kind, "exists");
  assert.equal((await one.run({}, [["What [4]:", ENTER]])).kind, "nothing");
  assert.equal(readFileSync(join(one.folder, "troupe.yaml"), "utf8"), mine);
  const added = await one.run({}, [
    ["What [4]:", `1${ENTER}`],
    ["Look for", ENTER],
    ["Address", `http://127.0.0.1:9000/v1${ENTER}`],
    ["How is it", ENTER],
    ["Its key", ENTER],
    ["Model, by", `m${ENTER}`],
    ["(nothing else changes)", ""],
    ["default: local/m", ""],
    ["Write it?", ENTER],
  ]);
  assert.equal(added.kind, "added");
  assert.ok(readFileSync(join(one.folder, "troupe.yaml"), "utf8").startsWith(mine));
  const again = await one.run({ part: "character", name: "Tobias", description: "The ferryman.", yes: true }, null);
  assert.equal(again.kind, "added");
  assert.deepEqual(config(one).surfaces.values().next().value?.characters, ["mirelle", "tobias"]);
  const roomy = await one.run({ part: "character", name: "Ada", description: "The smith.", room: "The Forge", yes: true }, null);
  assert.equal(roomy.kind, "added");
  assert.deepEqual([...config(one).surfaces.keys()], ["parlour", "the-forge"]);
});

test("MC-104 a file that breaks a rule is told so before anything is asked, and stays", async () => {
  using one = house();
  writeFileSync(join(one.folder, "troupe.yaml"), "nonsense: 1\n");
  const before = folderAsText(one.folder);
  await assert.rejects(one.run({ part: "model" }, []), (error) => isRuntimeError(error, "config_invalid"));
  assert.equal(folderAsText(one.folder), before);
});

test("TR-009 Ctrl-C and the end of the input at a question leave the folder byte-identical, and say so", async () => {
  const questions: readonly (readonly [string, string])[] = [
    ["Name [Mirelle]:", `Kim${ENTER}`],
    ["Who is that?", ENTER],
    ["Name of the room", ENTER],
    ["Port of this computer", ENTER],
    ["Who runs it?", ENTER],
    ["Look for a model server", ENTER],
    ["Address of a model server", `https://models.example.org/v1${ENTER}`],
    ["How is it spoken to", ENTER],
    ["Its key (it is not shown)", `${KEY}${ENTER}`],
    ["Model, by the name", `big${ENTER}`],
    ["Price of a million tokens", ENTER],
    ["Write it?", ENTER],
  ];
  for (const how of ["\u0003", "\u0004"]) {
    for (const at of questions.keys()) {
      using one = house();
      const before = folderAsText(one.folder);
      const answers = [...questions.slice(0, at), [questions[at]?.[0] ?? "", how] as const];
      await assert.rejects(one.run({}, answers), (error) => isRuntimeError(error, "aborted"));
      assert.equal(folderAsText(one.folder), before, `${JSON.stringify(how)} at ${questions[at]?.[0]}`);
      assert.equal(one.terminal.raw, false);
    }
  }
});

test("TR-084 with --yes what the trial found out is in the result and printed, as a person would have been shown it; without a trial there is nothing", async () => {
  using one = house();
  one.bench.outcome = ({ name }) => ({
    kind: "tried",
    trial: { ...TRIAL, model: name, format: "plain", thinking: "thinks", packetBytes: 4_096, end: "recall" },
    said: "Come in.",
  });
  const answer = await one.run({ part: "model", yes: true, url: "http://127.0.0.1:9000/v1", model: "m" }, null);
  assert.ok(
    answer.findings.some(({ level }) => level === "warn") && answer.findings.some(({ level }) => level === "ok"),
    JSON.stringify(answer),
  );
  const shown = init
    .present(answer)
    .lines.map(({ text }) => text)
    .join("\n");
  assert.match(shown, /What local\/m showed when it was tried:\n {2}✓ answered, first token after 0\.3 s, 40 tokens a second/);
  for (const { message, cure } of answer.findings) assert.ok(shown.includes(message) && shown.includes(cure), message);
  assert.ok(!shown.includes("Come in."), "the model's words are no finding");
  const json = init.parse(init.present(answer).json);
  assert.deepEqual(json.findings, answer.findings);
  const second = await one.run({ part: "model", yes: true, url: "http://127.0.0.1:9000/v1", model: "k" }, null);
  const added = init.present(second).lines.map(({ text }) => text);
  assert.deepEqual([second.kind, added.filter((text) => /What local\/k showed/.test(text)).length], ["added", 1]);
  const untried = await one.run({ part: "model", yes: true, untried: true, url: "http://127.0.0.1:9001/v1", model: "n" }, null);
  assert.deepEqual(untried.findings, []);
  assert.doesNotMatch(
    init
      .present(untried)
      .lines.map(({ text }) => text)
      .join("\n"),
    /showed when it was tried/,
  );
});
