import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { EndpointUrl } from "../foundation/endpoint-url.ts";
import { Secret } from "../foundation/secret.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { hostAt } from "../testing/model-host.ts";
import type { ModelTrial } from "../vocabulary/model-trial.ts";
import type { ModelHostConfig } from "./config.ts";
import { TRIALS_FILE, knownTrial, modelTrials, withTrial } from "./model-trials.ts";
import { writeStateFile } from "./writing/write-setup.ts";

const NAME = "local/org/tiny";
const KEY = "sk-test-0123456789-abcdefghij";
const TRIAL: ModelTrial = {
  model: NAME,
  atMs: 1_800_000_000_000,
  firstTokenMs: 312.5,
  loadMs: null,
  tokensPerSecond: 41.2,
  format: "json",
  thinking: "none",
  packetBytes: 9_000,
  end: "truncated",
  packetTokens: 2_250,
};

const HOST: ModelHostConfig = hostAt("http://user:word@127.0.0.1:8080/v1?tenant=north", {}, { contextTokens: 4_096 });
const KEYED: ModelHostConfig = hostAt("http://127.0.0.1:8080/v1", { key: Secret.parse(KEY, "a test") });

function state(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "troupe-trials-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

test("TR-072 a trial is kept in one private file that holds nothing of key or address", () => {
  using here = state();
  writeStateFile(here.path, withTrial(here.path, TRIAL, HOST));
  writeStateFile(here.path, withTrial(here.path, { ...TRIAL, model: "far/org/tiny" }, KEYED));
  assert.deepEqual(knownTrial(here.path, NAME, HOST), TRIAL);
  const file = join(here.path, TRIALS_FILE);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const text = readFileSync(file, "utf8");
  for (const secret of [KEY, "user", "word", "north", "127.0.0.1"]) assert.ok(!text.includes(secret), secret);
});

test("whatever is changed of a model or its host makes its trial unknown; its price does not", () => {
  using here = state();
  writeStateFile(here.path, withTrial(here.path, TRIAL, KEYED));
  const known = (host: ModelHostConfig): boolean => knownTrial(here.path, NAME, host) !== null;
  const model = (more: object): ModelHostConfig => hostAt("http://127.0.0.1:8080/v1", { key: KEYED.key }, more);
  assert.equal(known(KEYED), true);
  assert.equal(known(model({ price: { promptMicros: 1, completionMicros: 1, cacheReadMicros: 1, cacheWriteMicros: 1 } })), true);
  assert.equal(known({ ...KEYED, deadlineMs: 1_000 }), true, "the deadline says nothing of the window");
  const changed: readonly (readonly [string, ModelHostConfig])[] = [
    ["another key", { ...KEYED, key: Secret.parse(`${KEY}x`, "a test") }],
    ["no key", { ...KEYED, key: null }],
    ["another address", { ...KEYED, url: EndpointUrl.parse("http://127.0.0.1:8081/v1", "a test") }],
    ["another query", { ...KEYED, url: EndpointUrl.parse("http://127.0.0.1:8080/v1?tenant=south", "a test") }],
    ["another interface", { ...KEYED, api: "ollama" }],
    ["another window", model({ contextTokens: 8_192 })],
    ["thinking off", model({ think: "off" })],
    ["another length of answers", model({ maxOutputTokens: 50 })],
    ["another model", { ...KEYED, models: new Map() }],
  ];
  for (const [what, host] of changed) assert.equal(known(host), false, what);
  assert.equal(knownTrial(here.path, "other/org/tiny", KEYED), null);
});

test("TR-085 a file that is damaged, foreign or open-ended says nothing, and the next trial replaces it", () => {
  for (const text of [
    "",
    "{",
    "[]",
    '{"trials":[{"salt":"x"}]}',
    `{"trials":${JSON.stringify(Array.from({ length: 40 }, () => 1))}}`,
    "x".repeat(70_000),
  ]) {
    using here = state();
    writeFileSync(join(here.path, TRIALS_FILE), text);
    assert.equal(knownTrial(here.path, NAME, HOST), null);
    writeStateFile(here.path, withTrial(here.path, TRIAL, HOST));
    assert.deepEqual(knownTrial(here.path, NAME, HOST), TRIAL);
  }
});

test("a running process sees a new trial with its next turn, and looks at the file at most twice a second", async () => {
  using here = state();
  const clock = new ManualClock();
  const trials = modelTrials(here.path, clock);
  assert.equal(trials.of(NAME, HOST), null);
  writeStateFile(here.path, withTrial(here.path, TRIAL, HOST));
  assert.equal(trials.of(NAME, HOST), null, "it looked a moment ago");
  await clock.advance(500);
  assert.deepEqual(trials.of(NAME, HOST), TRIAL);
  writeStateFile(here.path, withTrial(here.path, { ...TRIAL, format: "plain" }, HOST));
  await clock.advance(500);
  assert.equal(trials.of(NAME, HOST)?.format, "plain");
  rmSync(join(here.path, TRIALS_FILE));
  await clock.advance(500);
  assert.equal(trials.of(NAME, HOST), null);
});
