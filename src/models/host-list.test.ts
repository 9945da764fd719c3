import assert from "node:assert/strict";
import { test } from "node:test";
import { isRuntimeError } from "../foundation/errors.ts";
import { answered } from "../testing/answered.ts";
import { countingMeter } from "../testing/counting-meter.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { hostAt, saidIn } from "../testing/model-host.ts";
import type { Fault } from "../testing/scripted-model-faults.ts";
import type { ScriptedModel } from "../testing/scripted-model.ts";
import { startScriptedModel } from "../testing/scripted-model.ts";
import { CEILINGS } from "../vocabulary/limits.ts";
import type { Model, ModelRequest } from "../vocabulary/model.ts";
import type { HostState } from "./host-list.ts";
import { openModels } from "./models.ts";
import type { Models } from "./models.ts";
import { UNMETERED } from "./unmetered.ts";

const never = new AbortController().signal;
const request: ModelRequest = { system: "Be brief.", prompt: "Ann: hello", maxOutputTokens: 50, format: "plain" };
const understudy: Model = { name: "understudy", understudy: true, generate: () => Promise.resolve(answered("UNDERSTUDY")) };

interface Pair extends AsyncDisposable {
  readonly near: ScriptedModel;
  readonly far: ScriptedModel;
  readonly models: Models;
  readonly clock: ManualClock;
  readonly changes: HostState[];
}

async function openPair(): Promise<Pair> {
  const near = await startScriptedModel({ script: () => "near" });
  const far = await startScriptedModel({ script: () => "far" });
  const clock = new ManualClock();
  const changes: HostState[] = [];
  const hosts = new Map([
    ["near", hostAt(near.url)],
    ["far", hostAt(far.url, { api: "ollama" })],
  ]);
  const hostChanged = (state: HostState): void => void changes.push(state);
  const names = { defaultModel: "near/org/tiny", fallbackModels: ["far/org/tiny"] };
  const models = openModels({ hosts, ...names, clock, limits: CEILINGS, understudy, hostChanged }, never);
  return {
    near,
    far,
    models,
    clock,
    changes,
    async [Symbol.asyncDispose]() {
      models[Symbol.dispose]();
      await Promise.all([near.close(), far.close()]);
    },
  };
}

const DOWN: readonly (readonly [Fault, string])[] = [
  ["reset", "model_unreachable"],
  ["echo_500", "model_status"],
  ["status_429", "model_rate_limited"],
  ["cut_stream", "model_cut"],
];

test("TR-092 a host that is down is passed over with its reason, and the next answers", async () => {
  for (const [fault, reason] of DOWN) {
    await using pair = await openPair();
    pair.near.fault(fault);
    const answer = saidIn(await pair.models.speaker(UNMETERED).generate(request, never));
    assert.deepEqual([answer.text, answer.by, answer.skipped], ["far", "far/org/tiny", [{ by: "near/org/tiny", reason }]]);
    const sinceMs = pair.clock.nowMs();
    assert.deepEqual(pair.changes, [{ by: "near/org/tiny", down: reason, sinceMs }]);
    assert.deepEqual(pair.models.hosts(), [
      { by: "near/org/tiny", down: reason, sinceMs },
      { by: "far/org/tiny", down: null, sinceMs: null },
    ]);
  }
});

const ANSWERED: readonly (readonly [Fault, string])[] = [
  ["status_400", "model_rejected"],
  ["status_401", "model_rejected"],
  ["declines", "model_declined"],
  ["empty", "model_empty"],
  ["empty_text", "model_empty"],
  ["thinking_only", "model_empty"],
  ["redirect", "model_refused_redirect"],
  ["malformed_json", "model_malformed"],
  ["huge_json", "model_too_large"],
  ["cut_window", "truncated_by_host"],
];

test("TR-096 a refusal, an empty or a useless answer is never hidden by another host", async () => {
  for (const [fault, code] of ANSWERED) {
    await using pair = await openPair();
    pair.near.fault(fault);
    const long = { ...request, prompt: "a word and another ".repeat(50) };
    await assert.rejects(
      pair.models.speaker(UNMETERED).generate(long, never),
      (error) => isRuntimeError(error, code as "model_empty"),
      fault,
    );
    assert.equal(pair.far.requests.length, 0, fault);
  }
});

test("TR-053 a host that keeps silent is left at its deadline, and the next is asked", async () => {
  await using pair = await openPair();
  pair.near.fault("hanging_headers");
  const asking = pair.models.speaker(UNMETERED).generate(request, never);
  await pair.near.received(1, AbortSignal.timeout(5_000));
  await pair.clock.advance(45_000);
  const answer = saidIn(await asking);
  assert.deepEqual([answer.text, answer.skipped[0]?.reason], ["far", "deadline"]);
});

test("TR-055 a host that was down is not even tried for a while that doubles up to a minute, then it is, and takes over again", async () => {
  await using pair = await openPair();
  const speaker = pair.models.speaker(UNMETERED);
  pair.near.fault("echo_500");
  for (const waitMs of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
    const before = pair.near.requests.length;
    await speaker.generate(request, never);
    assert.equal(pair.near.requests.length, before + 1, `tried, ${waitMs}`);
    await pair.clock.advance(waitMs - 1);
    const passed = saidIn(await speaker.generate(request, never));
    assert.deepEqual([pair.near.requests.length, passed.skipped], [before + 1, [{ by: "near/org/tiny", reason: "model_status" }]]);
    await pair.clock.advance(1);
  }
  pair.near.fault(null);
  const back = saidIn(await speaker.generate(request, never));
  assert.deepEqual([back.text, back.skipped], ["near", []]);
  assert.deepEqual(
    pair.changes.map(({ down }) => down),
    ["model_status", null],
  );
});

test("TR-084 when all are down, all are tried, the last one's reason is told, and the understudy is silent", async () => {
  await using pair = await openPair();
  pair.near.fault("echo_500");
  pair.far.fault("status_429");
  for (const tries of [1, 2]) {
    await assert.rejects(pair.models.speaker(UNMETERED).generate(request, never), (error) => isRuntimeError(error, "model_rate_limited"));
    assert.deepEqual([pair.near.requests.length, pair.far.requests.length], [tries, tries]);
  }
});

test("SE-090 each host that is asked is paid for by itself", async () => {
  await using pair = await openPair();
  pair.near.fault("cut_stream");
  const meter = countingMeter();
  await pair.models.speaker(meter).generate(request, never);
  assert.deepEqual(
    meter.calls.map(({ by, settled }) => [by, typeof settled === "string" ? settled : "paid"]),
    [
      ["near/org/tiny", "open"],
      ["far/org/tiny", "paid"],
    ],
  );
});

test("MC-053 a call that is cancelled asks nobody else", async () => {
  await using pair = await openPair();
  pair.near.fault("hanging_headers");
  const leave = new AbortController();
  const asking = pair.models.speaker(UNMETERED).generate(request, leave.signal);
  await pair.near.received(1, AbortSignal.timeout(5_000));
  leave.abort();
  await assert.rejects(asking, (error) => isRuntimeError(error, "aborted"));
  assert.equal(pair.far.requests.length, 0);
  assert.deepEqual(pair.changes, []);
});
