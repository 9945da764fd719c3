import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { codeOf, isRuntimeError } from "../foundation/errors.ts";
import { Secret } from "../foundation/secret.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import type { ScriptedModel } from "../testing/scripted-model.ts";
import { startScriptedModel } from "../testing/scripted-model.ts";
import { CEILINGS } from "../vocabulary/limits.ts";
import type { Model, ModelRequest } from "../vocabulary/model.ts";
import { answered } from "../testing/answered.ts";
import { TEST_PRICE, hostAt, saidIn } from "../testing/model-host.ts";
import type { HostConfig } from "./models-config.ts";
import { UNMETERED } from "./unmetered.ts";
import { openModels } from "./models.ts";
import type { Models, ModelsNeeds } from "./models.ts";

const never = new AbortController().signal;
const soon = (): AbortSignal => AbortSignal.timeout(5_000);
const MODEL = { contextTokens: 8_192, maxOutputTokens: 40, price: TEST_PRICE };
const KEY = "sk-canary-0123456789abcdef";
const request: ModelRequest = { system: "Be brief.", prompt: "Ann: hello ✓", maxOutputTokens: 50, format: "plain" };
const asJson: ModelRequest = { ...request, format: "json", schema: { name: "lean", json: { type: "object" } } };

const understudy: Model = { name: "understudy", understudy: true, generate: () => Promise.resolve(answered("UNDERSTUDY")) };

const at = (address: string, more: Partial<HostConfig> = {}): HostConfig => hostAt(address, more, MODEL);

function open(host: HostConfig, more: Partial<ModelsNeeds> = {}, signal: AbortSignal = never): Models & { readonly one: Model } {
  const hosts = new Map([["local", host]]);
  const needs = {
    hosts,
    defaultModel: "local/org/tiny",
    fallbackModels: [],
    clock: new ManualClock(),
    limits: CEILINGS,
    understudy,
    ...more,
  };
  const models = openModels(needs, signal);
  return { ...models, one: models.speaker(UNMETERED) };
}

const bodyOf = (server: ScriptedModel, at: number): Readonly<Record<string, unknown>> =>
  JSON.parse(server.requests[at]?.body.toString("utf8") ?? "{}");

test("MC-080 one call sends exactly one chat completion and gives text, usage and finish", async () => {
  await using server = await startScriptedModel({
    script: () => ({ text: "Good day.", usage: { prompt_tokens: 11, completion_tokens: 3 } }),
  });
  using models = open(at(`${server.url}?api-version=1`, { key: Secret.parse(KEY, "K") }));
  const answer = await models.one.generate(request, never);
  const usage = { promptTokens: 11, completionTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false };
  assert.deepEqual(answer, answered("Good day.", { usage, costMicros: 17, by: "local/org/tiny", asked: "plain" }));
  assert.equal(server.requests.length, 1);
  assert.deepEqual(bodyOf(server, 0), {
    model: "org/tiny",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Ann: hello ✓" },
    ],
    max_tokens: 40,
    stream: true,
    stream_options: { include_usage: true },
  });
  assert.equal(server.requests[0]?.path, "/v1/chat/completions?api-version=1");
  assert.equal(server.requests[0]?.headers.authorization, `Bearer ${KEY}`);
});

test("MC-080 the same request is sent as the same bytes", async () => {
  await using server = await startScriptedModel();
  using models = open(at(server.url));
  await models.one.generate(asJson, never);
  await models.one.generate(structuredClone(asJson), never);
  assert.deepEqual(server.requests[0]?.body, server.requests[1]?.body);
});

test("MC-080 thinking sent beside or inside the answer is not said, and an answer cut for length says so", async () => {
  await using server = await startScriptedModel({
    script: () => ({ text: "<think>no</think>\nYes.", reasoning: "no", finish: "length", usage: null }),
  });
  using models = open(at(server.url));
  const answer = saidIn(await models.one.generate(request, never));
  assert.deepEqual([answer.text, answer.finish, answer.thought, answer.usage.estimated], ["Yes.", "length", true, true]);
});

test("MC-074 the address is used as configured; only the path of chat completions is put behind it", async () => {
  await using server = await startScriptedModel();
  const root = server.url.replace(/\/v1$/, "");
  for (const address of [root, `${root}/`, `${root}/v1`, `${root}/v1/`, `${root}/v1/chat/completions`]) {
    using models = open(at(address));
    await models.one.generate(request, never);
    assert.equal(models.configured[0]?.address, `${root}/v1/chat/completions`);
  }
  assert.deepEqual([...new Set(server.requests.map(({ path }) => path))], ["/v1/chat/completions"]);
});

test("MC-074 a name and password of the address become basic authorization", async () => {
  await using server = await startScriptedModel();
  using models = open(at(server.url.replace("http://", "http://ann:pw@")));
  await models.one.generate(request, never);
  assert.equal(server.requests[0]?.headers.authorization, `Basic ${Buffer.from("ann:pw").toString("base64")}`);
});

test("MC-080 the format ladder goes down one step a 400 and keeps the step that worked", async () => {
  for (const [fault, formats] of [
    [null, ["json_schema", "json_schema"]],
    ["no_json_schema", ["json_schema", "json_object", "json_object"]],
    ["no_response_format", ["json_schema", "json_object", "none", "none"]],
  ] as const) {
    await using server = await startScriptedModel();
    using models = open(at(server.url));
    server.fault(fault);
    await models.one.generate(asJson, never);
    await models.one.generate(asJson, never);
    assert.deepEqual(
      server.requests.map(({ format }) => format),
      formats,
    );
  }
});

test("MC-080 without a schema the ladder begins lower; plain text asks for no format", async () => {
  await using server = await startScriptedModel();
  using models = open(at(server.url));
  const { schema: _, ...schemaless } = asJson;
  await models.one.generate(schemaless, never);
  await models.one.generate(request, never);
  await models.one.generate(asJson, never);
  assert.deepEqual(
    server.requests.map(({ format }) => format),
    ["json_object", "none", "json_schema"],
  );
  assert.deepEqual(bodyOf(server, 2)["response_format"], {
    type: "json_schema",
    json_schema: { name: "lean", strict: true, schema: { type: "object" } },
  });
});

test("MC-080 a 400 that has nothing to do with the format ends the call and is not remembered", async () => {
  await using server = await startScriptedModel();
  using models = open(at(server.url));
  server.fault("status_400");
  await assert.rejects(models.one.generate(asJson, never), (error) => isRuntimeError(error, "model_rejected"));
  assert.equal(server.requests.length, 3);
  await assert.rejects(models.one.generate(request, never), (error) => isRuntimeError(error, "model_rejected"));
  assert.equal(server.requests.length, 4, "without a format it is asked once");
  server.fault(null);
  await models.one.generate(asJson, never);
  assert.equal(server.requests.at(-1)?.format, "json_schema");
});

test("MC-080 no other failure is tried again", async () => {
  await using server = await startScriptedModel();
  using models = open(at(server.url));
  for (const fault of ["echo_500", "status_429", "status_401", "cut_stream", "empty", "reset"] as const) {
    server.fault(fault);
    const before = server.requests.length;
    await assert.rejects(models.one.generate(asJson, never));
    assert.equal(server.requests.length, before + 1, fault);
  }
});

test("MC-078 no more calls than slots reach the host; a call that waits can be cancelled", async () => {
  await using server = await startScriptedModel();
  using models = open(at(server.url), { limits: { ...CEILINGS, modelRequests: 2 } });
  server.fault("slow_first_token");
  const calls = [1, 2, 3].map(() => models.one.generate(request, never));
  const impatient = new AbortController();
  const cancelled = models.one.generate(request, impatient.signal);
  await server.received(2, soon());
  impatient.abort();
  await assert.rejects(cancelled, (error) => isRuntimeError(error, "aborted"));
  assert.equal(server.requests.length, 2);
  server.fault(null);
  server.release();
  assert.equal((await Promise.all(calls)).length, 3);
  assert.equal(server.requests.length, 3);
});

test("MC-078 a failed or cancelled call gives its slot back", async () => {
  await using server = await startScriptedModel();
  using models = open(at(server.url), { limits: { ...CEILINGS, modelRequests: 1 } });
  for (const fault of ["echo_500", "redirect", "huge_json"] as const) {
    server.fault(fault);
    await assert.rejects(models.one.generate(request, never));
  }
  server.fault(null);
  assert.match(saidIn(await models.one.generate(request, never)).text, /Hello/);
});

test("MC-078 configuration cannot raise the ceiling of slots or of the deadline", async () => {
  await using server = await startScriptedModel();
  using models = open(at(server.url, { deadlineMs: 9e9 }), { limits: { ...CEILINGS, modelRequests: 9_999, modelDeadlineMs: 9e9 } });
  assert.equal(models.configured[0]?.deadlineMs, CEILINGS.modelDeadlineMs);
  server.fault("hanging_headers");
  const leave = new AbortController();
  const calls = Array.from({ length: CEILINGS.modelRequests + 20 }, () => models.one.generate(request, leave.signal));
  await server.received(CEILINGS.modelRequests, soon());
  // A request beside the slots: whatever was sent before it has come when it is answered.
  assert.equal((await fetch(`${server.url}/probe`)).status, 404);
  assert.equal(server.requests.length, CEILINGS.modelRequests + 1);
  leave.abort();
  const outcomes = await Promise.allSettled(calls);
  assert.ok(outcomes.every(({ status }) => status === "rejected"));
  assert.equal(server.requests.length, CEILINGS.modelRequests + 1);
});

test("MC-053 closing the models ends what runs and what waits, and refuses what comes", async () => {
  await using server = await startScriptedModel();
  const models = open(at(server.url), { limits: { ...CEILINGS, modelRequests: 1 } });
  server.fault("hanging_headers");
  const calls = [1, 2].map(() => models.one.generate(request, never));
  await server.received(1, soon());
  models[Symbol.dispose]();
  const outcomes = await Promise.allSettled([...calls, models.one.generate(request, never)]);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === "rejected" ? codeOf(outcome.reason) : "answered")),
    ["closed", "closed", "closed"],
  );
  await server.idle(soon());
});

test("MC-077 the understudy speaks only when nothing is configured, never for a configured model that fails", async () => {
  using none = openModels(
    { hosts: new Map(), defaultModel: null, fallbackModels: [], clock: new ManualClock(), limits: CEILINGS, understudy },
    never,
  );
  assert.deepEqual(none.configured, []);
  assert.equal(none.speaker(UNMETERED), understudy);
  assert.equal(none.agent(UNMETERED), null);
  const server = await startScriptedModel();
  using models = open(at(server.url));
  await server.close();
  assert.equal(models.one.understudy, false);
  await assert.rejects(models.one.generate(request, never), (error) => isRuntimeError(error, "model_unreachable"));
});

test("MC-077 opening sends nothing, and tells name, price and address without credentials", async () => {
  await using server = await startScriptedModel();
  using models = open(at(server.url.replace("http://", "http://user-canary:pw-canary@").concat("?q=query-canary")));
  assert.deepEqual(models.configured, [
    {
      name: "local/org/tiny",
      address: `${server.url.replace("http://", "http://[hidden]@")}/chat/completions?[hidden]`,
      price: TEST_PRICE,
      contextTokens: 8_192,
      maxOutputTokens: 40,
      deadlineMs: 45_000,
      loadMs: 0,
    },
  ]);
  assert.equal(models.one.name, "local/org/tiny");
  assert.ok(!inspect(models, { depth: 9, showHidden: true }).includes("canary"));
  assert.equal(server.requests.length, 0);
});

test("MC-104 a default that is missing or unknown, two kinds of credentials and an unsendable key are refused at the start", () => {
  const host = at("http://127.0.0.1:1/v1");
  for (const defaultModel of [null, "tiny", "local", "local/other", "other/org/tiny", "/org/tiny"]) {
    assert.throws(
      () => open(host, { defaultModel }),
      (error) => isRuntimeError(error, "invalid_argument"),
      String(defaultModel),
    );
  }
  const key = Secret.parse(KEY, "K");
  assert.throws(
    () => open(at("http://a:b@127.0.0.1:1/v1", { key })),
    (error) => isRuntimeError(error, "invalid_argument"),
  );
  const odd = Secret.parse("sk-canary-ключ-0123456789", "ODD_KEY");
  assert.throws(
    () => open(at("http://127.0.0.1:1/v1", { key: odd })),
    (error) => isRuntimeError(error, "secret_invalid") && error.message.includes("ODD_KEY") && !inspect(error).includes("canary"),
  );
});
