import assert from "node:assert/strict";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { inspect } from "node:util";
import type { Clock } from "../foundation/clock.ts";
import { systemClock } from "../foundation/clock.ts";
import type { ErrorCode } from "../foundation/errors.ts";
import { RuntimeError, codeOf } from "../foundation/errors.ts";
import { Secret } from "../foundation/secret.ts";
import { answered } from "../testing/answered.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { hostAt, saidIn } from "../testing/model-host.ts";
import type { Fault } from "../testing/scripted-model-faults.ts";
import { BACKEND_CANARY, FAULTS } from "../testing/scripted-model-faults.ts";
import { startScriptedModel } from "../testing/scripted-model.ts";
import { CEILINGS } from "../vocabulary/limits.ts";
import type { Model, ModelRequest } from "../vocabulary/model.ts";
import type { HostConfig } from "./models-config.ts";
import type { Models } from "./models.ts";
import { openModels } from "./models.ts";
import { UNMETERED } from "./unmetered.ts";

const KEY_CANARY = "sk-key-canary-0123456789abcdef";
const PROMPT_CANARY = "prompt-canary-4711";
const SYSTEM_CANARY = "system-canary-4712";
const QUERY_CANARY = "query-canary-4713";
const CANARIES = [BACKEND_CANARY, KEY_CANARY, PROMPT_CANARY, SYSTEM_CANARY, QUERY_CANARY];

const request: ModelRequest = { system: SYSTEM_CANARY, prompt: PROMPT_CANARY, maxOutputTokens: 50, format: "plain" };
const understudy: Model = { name: "understudy", understudy: true, generate: () => Promise.resolve(answered("UNDERSTUDY")) };

function openOne(host: HostConfig, clock: Clock): Models & { readonly one: Model } {
  const needs = {
    hosts: new Map([["local", host]]),
    defaultModel: "local/org/tiny",
    fallbackModels: [],
    clock,
    limits: CEILINGS,
    understudy,
  };
  const models = openModels(needs, new AbortController().signal);
  return { ...models, one: models.speaker(UNMETERED) };
}

const APIS = ["openai", "ollama", "anthropic"] as const;

function modelsAt(address: string, api: HostConfig["api"] = "openai"): ReturnType<typeof openOne> {
  const key = Secret.parse(KEY_CANARY, "TEST_KEY");
  return openOne(hostAt(`${address}?key=${QUERY_CANARY}`, { api, key, deadlineMs: 60_000 }), systemClock);
}

/** Everything a log, a page or a debugger could show of an error. */
function everythingIn(error: unknown): string {
  const seen: string[] = [];
  for (let at: unknown = error; at !== undefined; at = at instanceof Error ? at.cause : undefined) {
    seen.push(JSON.stringify(at), inspect(at, { depth: 20, showHidden: true, getters: true, maxStringLength: null }));
    if (at instanceof Error) seen.push(String(at), at.message, at.stack ?? "", JSON.stringify(Object.getOwnPropertyDescriptors(at)));
  }
  return seen.join("\n");
}

async function failureOf(models: { readonly one: Model }, signal: AbortSignal = new AbortController().signal): Promise<RuntimeError> {
  try {
    const answer = saidIn(await models.one.generate(request, signal));
    return assert.fail(`an answer came: ${answer.text}`);
  } catch (error) {
    assert.ok(error instanceof RuntimeError, String(error));
    const shown = everythingIn(error);
    for (const canary of CANARIES) assert.ok(!shown.includes(canary), `${canary} stands in ${shown}`);
    assert.equal(error.cause, undefined);
    assert.match(error.message, /^Cannot [a-z][^\n]{1,140}$/);
    return error;
  }
}

/** One reason for each fault. The rest of {@link FAULTS} holds or depends on the format; it has tests of its own below. */
const REASON: Partial<Record<Fault, ErrorCode>> = {
  redirect: "model_refused_redirect",
  huge_json: "model_too_large",
  endless_line: "model_too_large",
  endless_comments: "model_too_large",
  endless_tokens: "model_too_large",
  gzip_bomb: "model_too_large",
  huge_headers: "model_too_large",
  cut_stream: "model_cut",
  cut_clean: "model_cut",
  cut_json: "model_cut",
  status_400: "model_rejected",
  status_401: "model_rejected",
  echo_500: "model_status",
  error_event: "model_status",
  status_429: "model_rate_limited",
  empty: "model_empty",
  empty_json: "model_empty",
  empty_stream: "model_empty",
  empty_text: "model_empty",
  thinking_only: "model_empty",
  malformed_json: "model_malformed",
  malformed_event: "model_malformed",
  wrong_shape: "model_malformed",
  wrong_type: "model_malformed",
  no_type: "model_malformed",
  not_http: "model_malformed",
  reset: "model_unreachable",
  declines: "model_declined",
  cut_window: "truncated_by_host",
};
const HOLDING: readonly Fault[] = [
  "slow_first_token",
  "slow_load",
  "hanging_headers",
  "no_json_schema",
  "no_response_format",
  "no_thinking_switch",
  "thinks_anyway",
  "too_long",
];

test("MC-090 every fault has one reason, and no test forgets a fault", () => {
  assert.deepEqual([...Object.keys(REASON), ...HOLDING].toSorted(), [...FAULTS].toSorted());
});

for (const [fault, code] of Object.entries(REASON)) {
  test(`MC-076 MC-090 ${fault}: ends as ${code} on each interface; no prompt, key or backend text in the error, and the next call works`, async () => {
    for (const api of APIS) {
      await using server = await startScriptedModel();
      using models = modelsAt(server.url, api);
      server.fault(fault as Fault);
      // Ollama's interface has no word for it: the answer is just empty.
      const expected = fault === "declines" && api === "ollama" ? "model_empty" : code;
      assert.equal((await failureOf(models)).code, expected, api);
      assert.equal(server.requests.length, 1, "it was asked once");
      assert.ok(everythingIn(server.requests[0]?.headers).includes(KEY_CANARY), "the canary key was really sent");
      server.fault(null);
      const answer = saidIn(await models.one.generate(request, new AbortController().signal));
      assert.match(answer.text, /Hello from the script/, api);
    }
  });
}

test("MC-090 the key and the query of an address stand in no error, whatever server answers for it", async () => {
  for (const api of APIS) {
    await using server = await startScriptedModel();
    using models = modelsAt(server.url.replace("/v1", "/elsewhere"), api);
    assert.equal((await failureOf(models)).code, "model_rejected");
  }
});

test("MC-074 a redirect is not followed: nothing reaches the other origin", async () => {
  await using server = await startScriptedModel();
  using models = modelsAt(server.url);
  server.fault("redirect");
  assert.equal((await failureOf(models)).code, "model_refused_redirect");
  assert.deepEqual([server.requests.length, server.elsewhere.length], [1, 0]);
  // The other origin is real: who follows by hand arrives.
  const followed = await fetch(`${server.url}/chat/completions`, { method: "POST", body: "{}" });
  assert.equal(followed.status, 200);
  assert.equal(server.elsewhere.length, 1);
});

test("MC-053 a server that sends no headers is left at abort, and its connection is closed", async () => {
  for (const fault of ["hanging_headers", "slow_first_token"] as const) {
    await using server = await startScriptedModel();
    using models = modelsAt(server.url);
    server.fault(fault);
    const controller = new AbortController();
    const failure = failureOf(models, controller.signal);
    await server.received(1, AbortSignal.timeout(5_000));
    assert.equal(server.open, 1);
    controller.abort(new RuntimeError("aborted", "Cannot go on: the test is over"));
    assert.equal((await failure).message, "Cannot go on: the test is over");
    await server.idle(AbortSignal.timeout(5_000));
    assert.equal(server.open, 0);
  }
});

test("TR-053 MC-053 the host's deadline ends a call by the given clock, and its connection is closed", async () => {
  await using server = await startScriptedModel();
  server.fault("slow_first_token");
  const clock = new ManualClock();
  using models = openOne(hostAt(server.url), clock);
  const failure = failureOf(models);
  await server.received(1, AbortSignal.timeout(5_000));
  await clock.advance(44_999);
  assert.equal(server.open, 1);
  await clock.advance(1);
  assert.equal((await failure).code, "deadline");
  await server.idle(AbortSignal.timeout(5_000));
  assert.equal(clock.pending, 0);
});

test("TR-053 a slow first token only takes its time", async () => {
  await using server = await startScriptedModel();
  using models = modelsAt(server.url);
  server.fault("slow_first_token");
  const answer = models.one.generate(request, new AbortController().signal);
  await server.received(1, AbortSignal.timeout(5_000));
  server.release();
  assert.match(saidIn(await answer).text, /Hello from the script/);
});

test("MC-090 a closed port, a server that is no TLS server and a port that is forbidden are unreachable, each with its reason", async () => {
  const unused = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => unused.once("listening", resolve));
  const { port } = unused.address() as AddressInfo;
  await new Promise((resolve) => unused.close(resolve));
  await using server = await startScriptedModel();
  const secure = server.url.replace("http:", "https:");
  const reasons: string[] = [];
  for (const address of [`http://127.0.0.1:${port}/v1`, secure, "http://127.0.0.1:25/v1"]) {
    using models = modelsAt(address);
    const error = await failureOf(models);
    assert.equal(codeOf(error), "model_unreachable");
    reasons.push(error.message);
  }
  assert.match(reasons[0] ?? "", /refused/);
  assert.match(reasons[1] ?? "", /secure/);
});

test("MC-075 a request over the bound is never sent", async () => {
  await using server = await startScriptedModel();
  using models = modelsAt(server.url);
  const long = { ...request, prompt: PROMPT_CANARY.repeat(600_000) };
  await assert.rejects(
    models.one.generate(long, new AbortController().signal),
    (error) => codeOf(error) === "model_too_large" && !everythingIn(error).includes(PROMPT_CANARY),
  );
  assert.equal(server.requests.length, 0);
});
