import type { ModelAnswer } from "../vocabulary/model.ts";

/** A model's answer with this text; what a test doesn't care for is filled in: 100 and 10 tokens, no price, at once. */
export function answered(text: string, more: Partial<ModelAnswer> = {}): ModelAnswer {
  return {
    kind: "answer",
    text,
    usage: { promptTokens: 100, completionTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false },
    costMicros: null,
    by: "host/model",
    firstTokenMs: 0,
    loadMs: null,
    finish: "stop",
    thought: false,
    skipped: [],
    ...more,
  };
}
