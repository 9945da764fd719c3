import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { loadConfig } from "../../src/config/load.ts";
import { withTrial } from "../../src/config/model-trials.ts";
import { writeStateFile } from "../../src/config/writing/write-setup.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { MIRELLE, inboundLine } from "../../src/testing/road-fixtures.ts";
import { readingModel } from "../../src/testing/reading-model.ts";
import type { ScriptedModel } from "../../src/testing/scripted-model.ts";
import { startScriptedModel } from "../../src/testing/scripted-model.ts";
import { tryOut } from "../../src/wiring/trying/try-out.ts";
import type { ComposedHarness } from "./composed.ts";
import { openComposed } from "./composed.ts";

const NEVER = new AbortController().signal;
const CHARACTER = { name: "Mirelle", description: "Keeps the inn at the ferry." };

const yaml = (url: string, model = "{}"): string => `
characters:
  mirelle: { name: Mirelle, description: "Keeps the inn at the ferry." }
surfaces:
  inn: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
models:
  hosts:
    local: { api: openai, url: "${url}", models: { tiny: ${model} } }
  default: local/tiny
`;

/** Try the configured model as `check --connect` does, and keep what was found where the running process finds it. */
async function tryConfigured({ folder }: ComposedHarness): Promise<void> {
  const { config } = loadConfig({ cwd: folder, environment: {} });
  const host = config.models.hosts.get("local");
  assert.ok(host !== undefined);
  const outcome = await tryOut({ name: "local/tiny", host, character: CHARACTER }, { clock: systemClock, told: () => {} }, NEVER);
  assert.ok(outcome.kind === "tried");
  writeStateFile(config.stateDirectory, withTrial(config.stateDirectory, outcome.trial, host));
  // It looks at the file at most twice a second.
  await systemClock.sleep(510, NEVER);
}

let lines = 0;
async function ask(
  one: ComposedHarness,
  text: string,
  direct = false,
): Promise<{ end: string | null; reason: string | null; said: readonly string[] }> {
  lines += 1;
  const before = one.surface.sent.length;
  const line = inboundLine({ atMs: Date.now(), deliveryId: `d-${lines}`, to: MIRELLE, text, ...(direct ? { direct: MIRELLE } : {}) });
  const heard = await one.surface.inbox?.hear(line, NEVER);
  assert.equal(heard?.kind, "admitted");
  await one.runtime.idle();
  const told = one.runtime.store.read.explain(heard.id);
  return { end: told?.end ?? null, reason: told?.endReason ?? null, said: one.surface.sent.slice(before).map(({ body }) => body) };
}

const sizeOf = ({ requests }: ScriptedModel): number => {
  const { system = "", prompt = "" } = requests.at(-1) ?? {};
  return Buffer.byteLength(system + prompt);
};

test("AE-029 a model of prose alone answers a newcomer once it was tried: the running process goes by the trial from its next turn", async () => {
  await using model = await startScriptedModel({ script: readingModel({ keeps: [] }) });
  await using one = await openComposed(yaml(model.url));
  const untried = await ask(one, "Mirelle, hello");
  assert.deepEqual([untried.end, untried.reason], ["failed", "model_format"]);
  await tryConfigured(one);
  const before = model.requests.length;
  const tried = await ask(one, "Mirelle, hello again");
  assert.equal(tried.end, "answered", tried.reason ?? "");
  assert.match(tried.said[0] ?? "", /^I keep this inn/);
  assert.equal(model.requests.length - before, 1, "asked once, in the form it keeps");
  assert.deepEqual([model.requests.at(-1)?.format, model.requests.at(-1)?.prompt.includes("responder_plain")], ["none", true]);
});

test("AE-029 a model that keeps JSON but no schema is asked for JSON", async () => {
  await using model = await startScriptedModel({ script: readingModel({ keeps: ["json_object"] }) });
  await using one = await openComposed(yaml(model.url));
  await tryConfigured(one);
  assert.equal((await ask(one, "Mirelle, hello")).end, "answered");
  assert.equal(model.requests.at(-1)?.format, "json_object");
});

test("a host that drops the first half of what it is sent never speaks once it was tried, in public or in private, whatever it counts", async () => {
  await using model = await startScriptedModel({ script: readingModel({ halves: true, counts: "what was sent" }) });
  await using one = await openComposed(yaml(model.url));
  await tryConfigured(one);
  const before = model.requests.length;
  for (const direct of [false, true]) {
    const { end, reason, said } = await ask(one, "Mirelle, who are you?", direct);
    assert.deepEqual([end, reason], ["failed", "truncated_by_host"]);
    assert.doesNotMatch(said.join("\n"), /I keep this inn/);
  }
  assert.equal(model.requests.length, before, "and it is not even asked");
});

test("packets keep to the length that arrived whole, oldest lines first, until the model is configured otherwise", async () => {
  await using model = await startScriptedModel({ script: readingModel({ windowBytes: 6_000 }) });
  await using one = await openComposed(yaml(model.url));
  await tryConfigured(one);
  for (let at = 0; at < 4; at += 1) {
    const { end, reason } = await ask(one, `Mirelle, ${"the ferry was late again and nobody minded much. ".repeat(36)} ${at}`);
    assert.equal(end, "answered", reason ?? "");
    assert.ok(sizeOf(model) <= 6_000, String(sizeOf(model)));
  }
  assert.ok(model.requests.at(-1)?.prompt.includes("Left out for length"));
  const trials = await readFile(join(one.folder, ".troupe", "model-trials.json"), "utf8");
  assert.ok(!trials.includes("ferry was late again and nobody"));
});
