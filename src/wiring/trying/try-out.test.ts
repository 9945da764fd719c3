import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../foundation/clock.ts";
import type { Line } from "../../foundation/line.ts";
import type { HostConfig } from "../../models/models-config.ts";
import type { TrialOutcome } from "../../operations/setup/model-bench.ts";
import { hostAt } from "../../testing/model-host.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import type { ReadingModelTraits } from "../../testing/reading-model.ts";
import { readingModel } from "../../testing/reading-model.ts";
import type { ScriptedModel } from "../../testing/scripted-model.ts";
import { startScriptedModel } from "../../testing/scripted-model.ts";
import { tryOut } from "./try-out.ts";

const NEVER = new AbortController().signal;
const CHARACTER = { name: "Mirelle", description: "Keeps the inn at the ferry." };

interface Tried {
  readonly outcome: TrialOutcome;
  readonly told: readonly Line[];
}

async function tryAt(
  server: ScriptedModel,
  more: Partial<HostConfig> = {},
  model: { think?: "off"; contextTokens?: number } = {},
): Promise<Tried> {
  const told: Line[] = [];
  const host = hostAt(server.url, more, { maxOutputTokens: 1_024, ...model });
  const outcome = await tryOut(
    { name: "local/org/tiny", host, character: CHARACTER },
    { clock: systemClock, told: (one) => told.push(one) },
    NEVER,
  );
  return { outcome, told };
}

async function trialOf(traits: ReadingModelTraits, model: { think?: "off"; contextTokens?: number } = {}) {
  await using server = await startScriptedModel({ script: readingModel(traits) });
  const { outcome } = await tryAt(server, {}, model);
  assert.equal(outcome.kind, "tried", outcome.kind === "failed" ? outcome.why : "");
  assert.ok(outcome.kind === "tried");
  return { ...outcome, requests: server.requests };
}

test("a trial sends real packets of the runtime's own builder and finds out how the model answers", async () => {
  const { trial, said, requests } = await trialOf({});
  assert.deepEqual(
    [trial.model, trial.format, trial.thinking, trial.end, trial.packetBytes],
    ["local/org/tiny", "schema", "none", "budget", 16_384],
  );
  assert.match(said, /^I keep this inn/);
  assert.equal(requests.length, 2, "a greeting and one long packet");
  for (const { system, prompt } of requests) assert.ok(system.startsWith("# Role Frame") && prompt.includes("## Output Contract"));
  assert.ok(requests[0]?.system.includes(CHARACTER.description));
  const { system = "", prompt = "" } = requests[1] ?? {};
  const fromFirstWord = Buffer.byteLength(system.slice(system.search(/[a-z]+-\d\d\./)) + prompt);
  assert.equal(fromFirstWord, 16_384);
  assert.equal(trial.packetTokens, Math.ceil((Buffer.byteLength(system + prompt) + 1) / 4));
});

test("AE-029 the ladder of forms: schema, else JSON, else the words alone", async () => {
  assert.equal((await trialOf({ keeps: ["json_object"] })).trial.format, "json");
  const plain = await trialOf({ keeps: [] });
  assert.equal(plain.trial.format, "plain");
  assert.match(plain.said, /^I keep this inn/, "a model of prose alone answers a newcomer");
  assert.equal(plain.trial.packetBytes, 16_384);
});

test("AE-029 a host that takes no schema is known by the step that it took", async () => {
  await using server = await startScriptedModel({ script: readingModel({}) });
  server.fault("no_json_schema");
  const { outcome } = await tryAt(server);
  assert.ok(outcome.kind === "tried");
  assert.equal(outcome.trial.format, "json");
});

test("thinking is told, and told otherwise when it was asked for none", async () => {
  assert.equal((await trialOf({ thinks: true })).trial.thinking, "thinks");
  assert.equal((await trialOf({ thinks: true }, { think: "off" })).trial.thinking, "thinks_anyway");
});

test("a host that drops the start of every packet is found out, whatever it counts, and will not speak", async () => {
  for (const counts of ["what it read", "what was sent", "nothing"] as const) {
    const { trial } = await trialOf({ halves: true, counts });
    assert.deepEqual([counts, trial.packetBytes, trial.end], [counts, 0, "truncated"]);
  }
});

test("a window that is shorter than a packet becomes the length of packets, whatever the host counts", async () => {
  for (const counts of ["what it read", "what was sent", "nothing"] as const) {
    const { trial, requests } = await trialOf({ windowBytes: 9_000, counts });
    assert.equal(trial.end, "truncated");
    assert.ok(trial.packetBytes <= 9_000 && trial.packetBytes > 7_500, `${counts}: ${trial.packetBytes}`);
    assert.ok(requests.length <= 10, `${requests.length} requests`);
  }
});

test("a configured window bounds what is tried", async () => {
  const { trial, requests } = await trialOf({}, { contextTokens: 4_096 });
  assert.equal(trial.end, "budget");
  assert.equal(trial.packetBytes, Math.floor((4_096 - 800 - 64) * 2.5));
  for (const { system, prompt } of requests) assert.ok(Buffer.byteLength(system + prompt) <= trial.packetBytes + 2_000);
});

test("a model that forgets is no host that drops: it speaks, with shorter packets or an open question", async () => {
  const forgets = await trialOf({ remembers: 3, counts: "what was sent" });
  assert.deepEqual([forgets.trial.end, forgets.trial.packetBytes], ["unsure", 16_384]);
  const nothing = await trialOf({ remembers: 0, counts: "nothing" });
  assert.deepEqual([nothing.trial.end, nothing.trial.packetBytes], ["unsure", 16_384]);
});

test("MC-090 a trial that fails says why in words of ours, and what the server wrote is nowhere", async () => {
  await using server = await startScriptedModel();
  for (const [fault, code] of [
    ["status_401", "model_rejected"],
    ["redirect", "model_refused_redirect"],
    ["status_429", "model_rate_limited"],
    ["reset", "model_unreachable"],
    ["empty", "model_format"],
  ] as const) {
    server.fault(fault);
    const { outcome } = await tryAt(server);
    assert.deepEqual([outcome.kind, outcome.kind === "failed" ? outcome.code : ""], ["failed", code], fault);
    assert.doesNotMatch(JSON.stringify(outcome), /backend-canary|127\.0\.0\.1/);
  }
  assert.equal(server.elsewhere.length, 0);
});

test("TR-053 a trial ends at once with its owner", async () => {
  await using server = await startScriptedModel();
  server.fault("hanging_headers");
  const stop = new AbortController();
  const host = hostAt(server.url, {}, {});
  const trying = tryOut({ name: "local/org/tiny", host, character: CHARACTER }, { clock: systemClock, told: () => {} }, stop.signal);
  await server.received(1, AbortSignal.timeout(5_000));
  stop.abort();
  await assert.rejects(trying);
  await server.idle(AbortSignal.timeout(5_000));
});

test("the same trial through each interface: a whole window, one that the host tells of, one that it cuts unsaid, and thinking that no word stops", async () => {
  for (const api of ["openai", "ollama", "anthropic"] as const) {
    const more: Partial<HostConfig> = { api };
    const wide = { maxOutputTokens: 1_024, ...(api === "ollama" ? { contextTokens: 8_192 } : {}), think: "off" as const };
    {
      await using server = await startScriptedModel({ script: readingModel({}) });
      const { outcome } = await tryAt(server, more, wide);
      assert.ok(outcome.kind === "tried", api);
      assert.deepEqual([api, outcome.trial.format, outcome.trial.end, outcome.trial.packetBytes], [api, "schema", "budget", 16_384]);
      server.fault("thinks_anyway");
      const thinks = (await tryAt(server, more, wide)).outcome;
      assert.deepEqual([api, thinks.kind === "tried" && thinks.trial.thinking], [api, "thinks_anyway"]);
    }
    {
      await using server = await startScriptedModel({ script: readingModel({}), windowTokens: 3_000 });
      const { outcome } = await tryAt(server, more, { ...wide, ...(api === "ollama" ? { contextTokens: 8_192 } : {}) });
      assert.ok(outcome.kind === "tried", api);
      assert.equal(outcome.trial.end, "window", api);
      assert.ok(outcome.trial.packetBytes > 4_000 && outcome.trial.packetBytes < 16_384, `${api} ${outcome.trial.packetBytes}`);
      server.fault("cut_window");
      const cut = (await tryAt(server, more, wide)).outcome;
      assert.deepEqual(
        [api, cut.kind === "tried" && cut.trial.end, cut.kind === "tried" && cut.trial.packetBytes < 16_384],
        [api, "truncated", true],
      );
    }
  }
});

test("TR-053 a packet that takes longer than the host's deadline is too long: shorter ones are tried", async () => {
  const clock = new ManualClock();
  await using server = await startScriptedModel({ script: readingModel({}) });
  const host = hostAt(server.url, { deadlineMs: 10_000 }, { maxOutputTokens: 1_024 });
  let hangs = false;
  let settled = false;
  const told = ({ text }: Line): void => {
    hangs = Number(/a packet of (\d+) KiB/.exec(text)?.[1] ?? 0) >= 12;
    server.fault(hangs ? "hanging_headers" : null);
  };
  const trying = tryOut({ name: "local/org/tiny", host, character: CHARACTER }, { clock, told }, NEVER).finally(() => (settled = true));
  while (!settled) {
    await new Promise((resolve) => setImmediate(resolve));
    // Time goes by only for those who wait for an answer that does not come.
    if (hangs) await clock.advance(500);
  }
  const outcome = await trying;
  assert.ok(outcome.kind === "tried");
  assert.equal(outcome.trial.end, "slow");
  assert.ok(outcome.trial.packetBytes >= 8_192 && outcome.trial.packetBytes < 12_288, String(outcome.trial.packetBytes));
});
