import assert from "node:assert/strict";
import { EndpointUrl } from "../foundation/endpoint-url.ts";
import type { HostConfig, ModelConfig } from "../models/models-config.ts";
import type { ModelAnswer, WindowExceeded } from "../vocabulary/model.ts";

/** A price that shows in sums which tokens it was for. */
export const TEST_PRICE = { promptMicros: 1_000_000, completionMicros: 2_000_000, cacheReadMicros: 100_000, cacheWriteMicros: 1_250_000 };

/** What is known of a model; nothing but 100 tokens of output when nothing is said. */
export function modelConfig(more: Partial<ModelConfig> = {}): ModelConfig {
  return { contextTokens: null, maxOutputTokens: 100, think: null, price: null, ...more };
}

/** A host at an address, with one model, `org/tiny`. */
export function hostAt(address: string, more: Partial<HostConfig> = {}, model: Partial<ModelConfig> = {}): HostConfig {
  return {
    api: "openai",
    url: EndpointUrl.parse(address, "models.hosts.local.url"),
    key: null,
    deadlineMs: 45_000,
    loadMs: 0,
    keepAliveS: null,
    models: new Map([["org/tiny", modelConfig(model)]]),
    ...more,
  };
}

/** The answer itself; fails the test when there was no room for the question. */
export function saidIn(answer: ModelAnswer | WindowExceeded): ModelAnswer {
  assert.equal(answer.kind, "answer", "the question had room");
  assert.ok(answer.kind === "answer");
  return answer;
}
