import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Line } from "../../foundation/line.ts";
import { line } from "../../foundation/line.ts";
import type { ModelTrial } from "../../vocabulary/model-trial.ts";
import { bindCheck } from "./check.ts";
import { LOCAL_ACTOR } from "../local-actor.ts";
import type { BotBench } from "../setup/bot-bench.ts";
import type { Candidate, ModelBench, TrialOutcome } from "../setup/model-bench.ts";

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
const YAML = `characters: { mirelle: { name: Mirelle, description: "Keeps the inn." } }
console: { port: 0 }
models:
  hosts:
    near: { api: openai, url: "http://127.0.0.1:9/v1", models: { a: {} } }
    far: { api: openai, url: "http://127.0.0.1:10/v1", models: { b: {} } }
  default: [near/a, far/b]
`;

interface Checked {
  readonly exit: string;
  readonly text: string;
  readonly trials: readonly string[];
}

interface House extends Disposable {
  readonly tried: Candidate[];
  readonly told: Line[];
  readonly state: string;
  outcome: (name: string) => TrialOutcome;
  check(connect?: boolean): Promise<Checked>;
}

function house(yaml: string = YAML): House {
  const folder = mkdtempSync(join(tmpdir(), "troupe-check-"));
  writeFileSync(join(folder, "troupe.yaml"), yaml);
  const tried: Candidate[] = [];
  const told: Line[] = [];
  const one: House = {
    tried,
    told,
    state: join(folder, ".troupe"),
    outcome: (name) => ({ kind: "tried", trial: { ...TRIAL, model: name }, said: "" }),
    async check(connect) {
      const bots: BotBench = { open: () => assert.fail("there is no bot to ask about") };
      const bench: ModelBench = {
        ports: [],
        look: () => assert.fail("check looks for nothing"),
        modelsOf: () => assert.fail("check asks for no list"),
        tryOut(candidate, tell) {
          tried.push(candidate);
          tell(line`step`);
          return Promise.resolve(one.outcome(candidate.name));
        },
      };
      const options = { cwd: folder, environment: {} };
      const operation = bindCheck({ options, bench, bots, portState: () => Promise.resolve("free"), told: (step) => told.push(step) });
      const answer = await operation.run({ connect }, { actor: LOCAL_ACTOR, signal: new AbortController().signal });
      const { exit, lines, json } = operation.present(answer);
      const trials = (json as { trials: readonly ModelTrial[] }).trials.map(({ model }) => model);
      return { exit, text: lines.map(({ text }) => text).join("\n"), trials };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
  return one;
}

test("TR-072 check sends nothing by itself and makes no state folder; it says which models were never tried", async () => {
  using one = house();
  const { exit, text, trials } = await one.check();
  assert.deepEqual([exit, trials, one.tried.length, existsSync(one.state)], ["done", [], 0, false]);
  assert.match(text, /near\/a +not tried as it is configured now/);
  assert.match(text, /far\/b +not tried/);
});

test("check --connect tries every model that may answer as the first character, and keeps what it finds for the next look", async () => {
  using one = house();
  const now = await one.check(true);
  assert.deepEqual([now.exit, now.trials], ["done", ["near/a", "far/b"]]);
  assert.deepEqual(
    one.tried.map(({ name, character }) => [name, character.name]),
    [
      ["near/a", "Mirelle"],
      ["far/b", "Mirelle"],
    ],
  );
  assert.equal(one.told.length, 2);
  const later = await one.check();
  assert.deepEqual([later.trials, one.tried.length], [["near/a", "far/b"], 2]);
  assert.match(
    later.text,
    /near\/a +answered, first token after 0\.3 s, 40 tokens a second: a line will take about 1\.8 s \(tried 2027-01-15\)/,
  );
});

test("check fails for a model that cannot be asked or whose host drops part of every packet, and warns of what is only slow", async () => {
  using one = house();
  one.outcome = (name) =>
    name === "near/a"
      ? { kind: "failed", code: "model_unreachable", why: "Cannot reach the model's server" }
      : { kind: "tried", trial: { ...TRIAL, model: name, packetBytes: 0, end: "truncated" }, said: "" };
  const { exit, text } = await one.check(true);
  assert.equal(exit, "failed");
  assert.match(text, /✗ +near\/a +Cannot reach the model's server/);
  assert.match(text, /✗ +far\/b +.*will not speak \(truncated_by_host\)/);
  one.outcome = (name) => ({
    kind: "tried",
    trial: { ...TRIAL, model: name, thinking: "thinks", end: "slow", packetBytes: 9_000 },
    said: "",
  });
  const warned = await one.check(true);
  assert.equal(warned.exit, "done");
  assert.match(warned.text, /! +near\/a +thinks before it speaks/);
  assert.match(warned.text, /! +near\/a +is not done with more than 8 KiB/);
});

test("without a model, or with a file that cannot be read, check --connect sends nothing and says what there is to say", async () => {
  using none = house("characters: { a: {} }\nconsole: { port: 0 }\n");
  assert.equal((await none.check(true)).exit, "done");
  using broken = house("nonsense: 1\n");
  assert.equal((await broken.check(true)).exit, "failed");
  assert.deepEqual([none.tried.length, broken.tried.length], [0, 0]);
});
