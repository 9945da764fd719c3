import assert from "node:assert/strict";
import { test } from "node:test";
import { isRuntimeError } from "../foundation/errors.ts";
import { answered } from "../testing/answered.ts";
import { countingMeter } from "../testing/counting-meter.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { TEST_PRICE, hostAt, saidIn } from "../testing/model-host.ts";
import type { Fault } from "../testing/scripted-model-faults.ts";
import type { ScriptedModel } from "../testing/scripted-model.ts";
import { SLOW_LOAD_MS, startScriptedModel } from "../testing/scripted-model.ts";
import type { CallMeter } from "../vocabulary/call-meter.ts";
import { CEILINGS } from "../vocabulary/limits.ts";
import type { Model, ModelRequest } from "../vocabulary/model.ts";
import type { HostConfig, ModelConfig } from "./models-config.ts";
import { openModels } from "./models.ts";
import { fewestTokens, mostTokens } from "./tokens.ts";
import { UNMETERED } from "./unmetered.ts";

const never = new AbortController().signal;
const soon = (): AbortSignal => AbortSignal.timeout(5_000);
const WORDS = "the ferry left at dawn and nobody said a word ".repeat(40);
const request: ModelRequest = { system: "Be brief.", prompt: WORDS, maxOutputTokens: 50, format: "plain" };
const understudy: Model = { name: "understudy", understudy: true, generate: () => Promise.resolve(answered("UNDERSTUDY")) };

interface Opened {
  readonly model: Model;
  readonly clock: ManualClock;
}

function openAt(
  server: ScriptedModel,
  more: Partial<HostConfig> = {},
  model: Partial<ModelConfig> = {},
  meter: CallMeter = UNMETERED,
): Opened {
  const clock = new ManualClock();
  const hosts = new Map([["local", hostAt(server.url, more, { maxOutputTokens: 500, price: TEST_PRICE, ...model })]]);
  const needs = { hosts, defaultModel: "local/org/tiny", fallbackModels: [], clock, limits: CEILINGS, understudy };
  return { model: openModels(needs, never).speaker(meter), clock };
}

test("TR-092 usage and price are in each answer; what a cache spared is priced as such", async () => {
  await using server = await startScriptedModel({
    script: () => ({ text: "Yes.", usage: { prompt_tokens: 1_000, completion_tokens: 10, cache_read: 600 } }),
  });
  const answer = saidIn(await openAt(server).model.generate(request, never));
  assert.deepEqual(answer.usage, {
    promptTokens: 1_000,
    completionTokens: 10,
    cacheReadTokens: 600,
    cacheWriteTokens: 0,
    estimated: false,
  });
  assert.equal(answer.costMicros, 400 + 60 + 20);
  const unknown = saidIn(await openAt(server, {}, { price: null }).model.generate(request, never));
  assert.equal(unknown.costMicros, null);
});

test("TR-092 where a host counts nothing the tokens are estimated, said to be, and priced all the same", async () => {
  await using server = await startScriptedModel({ script: () => ({ text: "Yes.", usage: null }) });
  const answer = saidIn(await openAt(server).model.generate(request, never));
  const promptTokens = Math.ceil((request.system.length + WORDS.length) / 3);
  assert.deepEqual(answer.usage, { promptTokens, completionTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: true });
  assert.equal(answer.costMicros, promptTokens + 4);
});

test("TR-092 a host that says it read no token at all counted nothing", async () => {
  await using server = await startScriptedModel({ script: () => ({ text: "Yes.", usage: { prompt_tokens: 0, completion_tokens: 0 } }) });
  assert.equal(saidIn(await openAt(server).model.generate(request, never)).usage.estimated, true);
});

test("an answer to less than was sent is truncated_by_host, also when the window was cut unsaid, and is never given", async () => {
  for (const api of ["openai", "ollama", "anthropic"] as const) {
    await using server = await startScriptedModel();
    const { model } = openAt(server, { api });
    server.fault("cut_window");
    await assert.rejects(model.generate(request, never), (error) => isRuntimeError(error, "truncated_by_host"), api);
    server.fault(null);
    assert.equal(saidIn(await model.generate(request, never)).kind, "answer", api);
  }
});

test("the bound is the fewest tokens the text can have: one less is refused, just as many is not", async () => {
  const fewest = fewestTokens(request.system) + fewestTokens(request.prompt);
  assert.equal(fewest, 2 + 400);
  for (const [prompt_tokens, kept] of [
    [fewest, true],
    [fewest - 1, false],
  ] as const) {
    await using server = await startScriptedModel({ script: () => ({ text: "Yes.", usage: { prompt_tokens, completion_tokens: 1 } }) });
    const answer = openAt(server).model.generate(request, never);
    if (kept) assert.equal(saidIn(await answer).text, "Yes.");
    else await assert.rejects(answer, (error) => isRuntimeError(error, "truncated_by_host"));
  }
});

test("with Ollama an answer that outgrew the window it was given is refused: its start was dropped on the way", async () => {
  const usage = { prompt_tokens: 900, completion_tokens: 125 };
  await using server = await startScriptedModel({ script: () => ({ text: "Yes.", usage }) });
  const cut = openAt(server, { api: "ollama" }, { contextTokens: 1_024 }).model.generate(request, never);
  await assert.rejects(cut, (error) => isRuntimeError(error, "truncated_by_host"));
  assert.equal(saidIn(await openAt(server, { api: "ollama" }, { contextTokens: 1_025 }).model.generate(request, never)).text, "Yes.");
  assert.equal(
    saidIn(await openAt(server, {}, { contextTokens: 1_024 }).model.generate(request, never)).text,
    "Yes.",
    "elsewhere it is a guess",
  );
});

test("TR-053 loading is told apart from the first token, has its own time once, and none while the model is in memory", async () => {
  await using server = await startScriptedModel();
  const { model, clock } = openAt(server, { api: "ollama", deadlineMs: 45_000, loadMs: 120_000, keepAliveS: 60 });
  server.fault("slow_load");
  const loading = model.generate(request, never);
  await server.received(1, soon());
  await clock.advance(SLOW_LOAD_MS + 300);
  server.release();
  const answer = saidIn(await loading);
  assert.deepEqual([answer.loadMs, answer.firstTokenMs], [SLOW_LOAD_MS, 300]);
  // Warm now: a host that hangs is left after its deadline alone.
  server.fault("hanging_headers");
  const hanging = assert.rejects(model.generate(request, never), (error) => isRuntimeError(error, "deadline"));
  await server.received(2, soon());
  await clock.advance(45_000);
  await hanging;
  // And cold again a minute after the last answer.
  await clock.advance(60_000);
  const cold = assert.rejects(model.generate(request, never), (error) => isRuntimeError(error, "deadline"));
  await server.received(3, soon());
  await clock.advance(164_999);
  assert.equal(clock.pending > 0, true);
  await clock.advance(1);
  await cold;
});

test("SE-090 each call is reserved before it is sent, at the most it may come to, and settled by what it came to", async () => {
  const meter = countingMeter();
  await using server = await startScriptedModel({ script: () => ({ text: "Yes.", usage: { prompt_tokens: 700, completion_tokens: 3 } }) });
  const { model } = openAt(
    server,
    {},
    {},
    {
      async reserve(call, signal) {
        assert.equal(server.requests.length, meter.calls.length, "nothing is sent before it is reserved");
        return await meter.reserve(call, signal);
      },
    },
  );
  await model.generate(request, never);
  const [call] = meter.calls;
  assert.deepEqual([call?.by, call?.price, call?.completionTokens], ["local/org/tiny", TEST_PRICE, 50]);
  assert.ok((call?.promptTokens ?? 0) >= mostTokens(WORDS) + mostTokens(request.system));
  assert.deepEqual(call?.settled, {
    usage: { promptTokens: 700, completionTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false },
    costMicros: 706,
  });
});

test("SE-090 a call that surely cost nothing is given back; one that may have cost something stays at its most", async () => {
  const nothing: readonly Fault[] = ["status_400", "status_401", "status_429", "redirect", "reset", "echo_500", "too_long"];
  const unknown: readonly Fault[] = ["error_event", "cut_stream", "malformed_json", "huge_json", "empty", "thinking_only"];
  for (const fault of [...nothing, ...unknown]) {
    const meter = countingMeter();
    await using server = await startScriptedModel();
    server.fault(fault);
    const answer = await openAt(server, {}, {}, meter)
      .model.generate(request, never)
      .catch(() => null);
    assert.ok(answer === null || answer.kind === "window");
    assert.deepEqual(
      meter.calls.map(({ settled }) => settled),
      [nothing.includes(fault) ? "nothing" : "open"],
      fault,
    );
  }
});

test("SE-090 an answer that is not used is paid for as it was counted", async () => {
  const meter = countingMeter();
  await using server = await startScriptedModel();
  server.fault("cut_window");
  await assert.rejects(openAt(server, {}, {}, meter).model.generate(request, never));
  const { settled } = meter.calls[0] ?? assert.fail();
  assert.ok(settled !== "open" && settled !== "nothing" && settled.usage.promptTokens > 0);
});

test("TR-092 what the meter refuses is never sent", async () => {
  await using server = await startScriptedModel();
  const { model } = openAt(server, {}, {}, { reserve: () => Promise.reject(new Error("no money")) });
  await assert.rejects(model.generate(request, never), /no money/);
  assert.equal(server.requests.length, 0);
});
