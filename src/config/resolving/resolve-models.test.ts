import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ModelsConfig } from "../config.ts";
import { loadConfig } from "../load.ts";

const GOOD = "characters: { ann: {} }\nsurfaces: { s: { kind: room, port: 0, character: ann } }\n";
const HOST = (more: string, api = "ollama", models = "[a]"): string =>
  `models: { hosts: { local: { api: ${api}, url: "http://127.0.0.1:8080", models: ${models}, ${more} } }`;

function modelsIn(text: string): ModelsConfig {
  const cwd = mkdtempSync(join(tmpdir(), "troupe-models-"));
  try {
    writeFileSync(join(cwd, "troupe.yaml"), GOOD + text);
    return loadConfig({ cwd, environment: {} }).config.models;
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

const REFUSED: readonly (readonly [title: string, text: string, rule: RegExp])[] = [
  ["an interface that is none", `${HOST("", "telepathy")} }\n`, /api: must be one of openai, ollama, anthropic/],
  ["a time of another interface", `${HOST("keep_alive: 10m", "openai")} }\n`, /keep_alive: only `ollama` has it/],
  ["a time that is none", `${HOST("keep_alive: soon")} }\n`, /keep_alive: must be/],
  [
    "deadline and loading over ten minutes",
    `${HOST("deadline_s: 400, load_s: 201")} }\n`,
    /load_s: must be at most 200 beside this deadline_s: together 600/,
  ],
  ["a model twice in the list", `${HOST("")}, default: [local/a, local/a] }\n`, /models\.default: names a model twice/],
  ["an unknown one behind the first", `${HOST("")}, default: [local/a, local/b] }\n`, /the host local has no such model/],
  ["an empty list", `${HOST("")}, default: [] }\n`, /models\.default: must/],
  ["thinking of no kind", `${HOST("", "ollama", "{ a: { think: hard } }")} }\n`, /think: must be/],
  ["a price of no kind", `${HOST("", "ollama", "{ a: { price: cheap } }")} }\n`, /price: must be/],
  ["half a price", `${HOST("", "ollama", "{ a: { price: { prompt: 1 } } }")} }\n`, /price.*completion|price: must be/],
];

for (const [title, text, rule] of REFUSED) {
  test(`MC-104 refuses ${title}`, () => {
    assert.throws(() => modelsIn(text), rule);
  });
}

test("TR-092 MC-104 what a host's own interface adds has sound defaults: window, thinking, loading, prices of a cache", () => {
  const models = modelsIn(`models:
  hosts:
    near: { api: ollama, url: "http://127.0.0.1:11434", keep_alive: 2h, models: { a: { price: free }, b: { think: true, context: 16384 } } }
    far: { api: anthropic, url: "https://example.org", deadline_s: 60, load_s: 5, models: { c: { think: low, price: { prompt: 3, completion: 15 } } } }
    full: { api: ollama, url: "http://127.0.0.1:11435", deadline_s: 550, keep_alive: -1, models: [d] }
    plain: { api: openai, url: "http://127.0.0.1:8080", models: { e: { price: { prompt: 0.1, completion: 0.2, cache_read: 0.05 } } } }
  default: [near/b, far/c]
`);
  const host = (name: string): NonNullable<ReturnType<typeof models.hosts.get>> => models.hosts.get(name) ?? assert.fail(name);
  assert.deepEqual([models.defaultModel, models.fallbackModels], ["near/b", ["far/c"]]);
  assert.deepEqual([host("near").loadMs, host("near").keepAliveS], [120_000, 7_200]);
  assert.deepEqual([host("far").loadMs, host("far").keepAliveS], [5_000, null]);
  assert.deepEqual([host("full").loadMs, host("full").keepAliveS], [50_000, -1], "loading takes no more than the ceiling leaves");
  assert.deepEqual([host("plain").loadMs, host("plain").keepAliveS], [0, null]);
  const free = { promptMicros: 0, completionMicros: 0, cacheReadMicros: 0, cacheWriteMicros: 0 };
  assert.deepEqual(host("near").models.get("a"), { contextTokens: 8_192, maxOutputTokens: 1_024, think: "off", price: free });
  assert.deepEqual(host("near").models.get("b"), { contextTokens: 16_384, maxOutputTokens: 1_024, think: "on", price: null });
  const ofAnthropic = { promptMicros: 3_000_000, completionMicros: 15_000_000, cacheReadMicros: 300_000, cacheWriteMicros: 3_750_000 };
  assert.deepEqual(host("far").models.get("c"), { contextTokens: null, maxOutputTokens: 1_024, think: "low", price: ofAnthropic });
  const ofOthers = { promptMicros: 100_000, completionMicros: 200_000, cacheReadMicros: 50_000, cacheWriteMicros: 100_000 };
  assert.deepEqual(host("plain").models.get("e"), { contextTokens: null, maxOutputTokens: 1_024, think: null, price: ofOthers });
});
