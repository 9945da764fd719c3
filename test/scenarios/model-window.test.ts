import assert from "node:assert/strict";
import { test } from "node:test";
import { MIRELLE, inboundLine } from "../../src/testing/road-fixtures.ts";
import { leanSpeech, startScriptedModel } from "../../src/testing/scripted-model.ts";
import type { Station } from "../../src/observe/why.ts";
import { whyOf } from "../../src/observe/why.ts";
import type { ComposedHarness } from "./composed.ts";
import { openComposed } from "./composed.ts";

const HEAD = `
characters:
  mirelle: { name: Mirelle, description: "Keeps the inn at the ferry." }
surfaces:
  inn: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
`;
const LONG = "the ferry left at dawn and nobody on the landing said a word about it ".repeat(25).trim();

interface Asked {
  readonly end: string | null;
  readonly reason: string | null;
  readonly facts: Station["facts"];
}

async function ask(one: ComposedHarness, deliveryId: string, text: string): Promise<Asked> {
  const heard = await one.surface.inbox?.hear(
    inboundLine({ deliveryId, atMs: Date.now(), to: MIRELLE, text }),
    new AbortController().signal,
  );
  assert.ok(heard?.kind === "admitted");
  await one.runtime.idle();
  const told = one.runtime.store.read.explain(heard.id) ?? assert.fail();
  const facts = whyOf(told).stations.find(({ station }) => station === "voice")?.facts ?? {};
  return { end: told.end, reason: told.endReason, facts };
}

test("TR-072 a packet longer than the model's window is built shorter, tried once more, and shorter at once from then on", async () => {
  await using model = await startScriptedModel({ script: () => leanSpeech("Good evening.") });
  await using one = await openComposed(`${HEAD}models: { hosts: { near: { api: openai, url: "${model.url}", models: [tiny] } } }\n`);
  assert.equal((await ask(one, "a", LONG)).end, "answered");
  const whole = Buffer.byteLength(`${model.requests[0]?.system}${model.requests[0]?.prompt}`);
  await using small = await startScriptedModel({ script: () => leanSpeech("Good evening."), windowTokens: Math.ceil(whole / 3) + 1_800 });
  await using two = await openComposed(`${HEAD}models: { hosts: { near: { api: openai, url: "${small.url}", models: [tiny] } } }\n`);
  for (const [at, end] of ["answered", "answered", "answered", "answered"].entries())
    assert.equal((await ask(two, `b${at}`, LONG)).end, end);
  const sizes = small.requests.map(({ system, prompt }) => Buffer.byteLength(system) + Buffer.byteLength(prompt));
  assert.ok(sizes.length === 5, `one try too long, then one call a line: ${sizes.join()}`);
  const tooLong = sizes.findIndex((size, index) => size > (sizes[index + 1] ?? size));
  assert.ok(tooLong > 0 && sizes.slice(tooLong + 1).every((size) => size < (sizes[tooLong] ?? 0)));
  assert.match(small.requests[tooLong + 1]?.prompt ?? "", /Left out for length/);
  assert.ok(
    two.log.some((line) => line.includes("truncated_window")),
    "the operator is told",
  );
});

test("TR-072 a packet that is too long also made shorter fails with its own reason, after two calls", async () => {
  await using model = await startScriptedModel();
  model.fault("too_long");
  await using one = await openComposed(`${HEAD}models: { hosts: { near: { api: ollama, url: "${model.url}", models: [tiny] } } }\n`);
  const { end, reason } = await ask(one, "a", "hello");
  assert.deepEqual([end, reason], ["failed", "model_window"]);
  assert.ok(model.requests.length <= 2);
});

test("TR-072 the configured window bounds the packet before anything is sent; a host that cuts all the same is found out", async () => {
  await using model = await startScriptedModel({ script: () => leanSpeech("Good evening.") });
  const yaml = `${HEAD}models: { hosts: { near: { api: ollama, url: "${model.url}", models: { tiny: { context: 2048 } } } } }\n`;
  await using one = await openComposed(yaml);
  for (let at = 0; at < 4; at += 1) assert.equal((await ask(one, `a${at}`, LONG.slice(0, 300))).end, "answered");
  for (const { system, prompt, windowTokens } of model.requests) {
    assert.equal(windowTokens, 2_048);
    assert.ok(Buffer.byteLength(system) + Buffer.byteLength(prompt) <= (2_048 - 800) * 2.5);
  }
  model.fault("cut_window");
  const before = one.surface.sent.length;
  const { end, reason } = await ask(one, "b", "and now?");
  assert.deepEqual([end, reason], ["failed", "truncated_by_host"]);
  assert.doesNotMatch(
    one.surface.sent
      .slice(before)
      .map(({ body }) => body)
      .join(),
    /Good evening/,
  );
});

test("TR-092 while the first host is down the second answers, and why names both; a refusal stays one", async () => {
  await using near = await startScriptedModel();
  await using far = await startScriptedModel({ script: () => leanSpeech("From afar.") });
  const yaml = `${HEAD}models:
  hosts:
    near: { api: openai, url: "${near.url}", models: [tiny] }
    far: { api: anthropic, url: "${far.url}", models: [big] }
  default: [near/tiny, far/big]
`;
  await using one = await openComposed(yaml);
  near.fault("echo_500");
  const { end, facts } = await ask(one, "a", "who is there?");
  assert.equal(end, "answered");
  assert.deepEqual([facts["by"], facts["passed_over"]], ["far/big", [{ by: "near/tiny", reason: "model_status" }]]);
  near.fault("status_401");
  await using other = await openComposed(yaml);
  const refused = await ask(other, "b", "and now?");
  assert.deepEqual([refused.end, refused.reason, far.requests.length], ["failed", "model_rejected", 1]);
});
