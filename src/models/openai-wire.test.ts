import assert from "node:assert/strict";
import { test } from "node:test";
import { isRuntimeError } from "../foundation/errors.ts";
import { AnswerBuilder, MAX_ANSWER_CHARACTERS } from "./answer-builder.ts";
import type { HostResult } from "./answer-builder.ts";
import { openAiWire } from "./openai-wire.ts";
import type { PostReader } from "./response-reader.ts";

interface Reading extends PostReader {
  /** What came of it, for a request without tools. */
  finish(): HostResult;
}

function fresh(nowMs: () => number = () => 0): Reading {
  const answer = new AnswerBuilder(nowMs);
  const reader = openAiWire.reader(answer);
  return { event: (data) => reader.event(data), body: (text) => reader.body(text), finish: () => answer.result(false) };
}

const textIn = (result: HostResult): string => (result.kind === "answer" ? result.text : result.kind);
const answer = (text: string, more: object = {}): HostResult =>
  ({ kind: "answer", text, calls: [], usage: null, firstTokenMs: 0, loadMs: null, finish: "stop", thought: false, ...more }) as const;
const counted = (promptTokens: number, completionTokens: number) => ({
  usage: { promptTokens, completionTokens, cacheReadTokens: 0, cacheWriteTokens: 0 },
});
const delta = (part: object, finish: string | null = null): string =>
  JSON.stringify({ choices: [{ index: 0, delta: part, finish_reason: finish }] });

test("MC-080 first-token time is the first text or thinking by the given clock, not the first event", () => {
  let nowMs = 1_000;
  const reading = fresh(() => nowMs);
  nowMs = 1_200;
  reading.event(delta({ role: "assistant", content: "" }));
  nowMs = 1_500;
  reading.event(delta({ reasoning_content: "hm" }));
  nowMs = 9_000;
  reading.event(delta({ content: "Hi" }, "stop"));
  assert.deepEqual(reading.finish(), answer("Hi", { firstTokenMs: 500, thought: true }));
});

test("MC-080 a body that came whole is read like a stream", () => {
  const reading = fresh();
  const message = { content: [{ type: "text", text: "Hel" }, { type: "image" }, { type: "text", text: "lo" }] };
  reading.body(JSON.stringify({ choices: [{ message, finish_reason: "length" }], usage: { prompt_tokens: 4, completion_tokens: 2 } }));
  assert.deepEqual(reading.finish(), answer("Hello", { ...counted(4, 2), finish: "length" }));
});

test("MC-080 the answer is whole with its finish and usage, also when the closing mark never comes", () => {
  const reading = fresh();
  assert.equal(reading.event(delta({ content: "Hi" })), "more");
  assert.equal(reading.event(delta({}, "stop")), "more");
  assert.equal(reading.event(JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })), "done");
  assert.equal(textIn(reading.finish()), "Hi");
});

test("MC-080 further choices, unknown fields and odd counts are left aside", () => {
  const reading = fresh();
  reading.event(
    JSON.stringify({
      choices: [
        { index: 1, delta: { content: "no" } },
        { index: 0, delta: { content: "yes", tool_calls: null } },
      ],
      usage: { prompt_tokens: -1, completion_tokens: 1e99 },
    }),
  );
  reading.event("[DONE]");
  assert.deepEqual(reading.finish(), answer("yes"));
});

test("TR-072 text is well-formed and without NUL, also when the host cut a character in two", () => {
  const reading = fresh();
  for (const content of ["a\ud83d", "\ude00b\u0000", "\udc00"]) reading.event(delta({ content }));
  reading.event("[DONE]");
  assert.equal(textIn(reading.finish()), "a😀b\ufffd");
});

test("MC-075 an answer over its bound is refused, thinking included", () => {
  const half = "x".repeat(MAX_ANSWER_CHARACTERS / 2);
  const reading = fresh();
  reading.event(delta({ content: `<think>${half.slice(7)}` }));
  reading.event(delta({ content: half }));
  assert.throws(
    () => reading.event(delta({ content: "x" })),
    (error) => isRuntimeError(error, "model_too_large"),
  );
});

test("MC-090 what is no chat completion is refused with one fixed reason", () => {
  const canary = "backend-canary";
  for (const data of [
    canary,
    "",
    "null",
    "[]",
    '"x"',
    "{",
    JSON.stringify({ text: canary }),
    JSON.stringify({ choices: canary }),
    JSON.stringify({ choices: { 0: canary } }),
  ]) {
    assert.throws(
      () => fresh().event(data),
      (error) => isRuntimeError(error, "model_malformed") && !error.message.includes(canary) && error.cause === undefined,
      data,
    );
  }
  assert.throws(
    () => fresh().body(JSON.stringify({ choices: [] })),
    (error) => isRuntimeError(error, "model_malformed"),
  );
});

test("MC-090 an error inside a 200 keeps at most its status", () => {
  const failure = (error: unknown): string => JSON.stringify({ error });
  const messageOf = (data: string): string => {
    const reading = fresh();
    assert.equal(reading.event(data), "done");
    const result = reading.finish();
    return result.kind === "unusable" ? `${result.error.code}: ${result.error.message}` : result.kind;
  };
  assert.match(messageOf(failure({ code: 429, message: "canary" })), /^model_rate_limited: [^:]*: the model server asked to wait \(429\)$/);
  assert.match(messageOf(failure({ code: 502, message: "canary" })), /^model_status: .* status 502$/);
  for (const code of ["canary", 12, 1e9, null]) assert.match(messageOf(failure({ code })), /^model_status: .* answered with a failure$/);
  assert.match(messageOf(failure("canary")), /^model_status: .* answered with a failure$/);
});
