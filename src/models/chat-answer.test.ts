import assert from "node:assert/strict";
import { test } from "node:test";
import { isRuntimeError } from "../foundation/errors.ts";
import { ChatAnswer, MAX_ANSWER_CHARACTERS } from "./chat-answer.ts";

const fresh = (): ChatAnswer => new ChatAnswer(() => 0);
const delta = (part: object, finish: string | null = null): string =>
  JSON.stringify({ choices: [{ index: 0, delta: part, finish_reason: finish }] });

test("MC-080 first-token time is the first text or thinking by the given clock, not the first event", () => {
  let nowMs = 1_000;
  const answer = new ChatAnswer(() => nowMs);
  nowMs = 1_200;
  answer.event(delta({ role: "assistant", content: "" }));
  nowMs = 1_500;
  answer.event(delta({ reasoning_content: "hm" }));
  nowMs = 9_000;
  answer.event(delta({ content: "Hi" }, "stop"));
  assert.deepEqual(answer.finish(), { text: "Hi", usage: null, firstTokenMs: 500, finish: "stop" });
});

test("MC-080 a body that came whole is read like a stream", () => {
  const answer = fresh();
  const message = { content: [{ type: "text", text: "Hel" }, { type: "image" }, { type: "text", text: "lo" }] };
  answer.body(JSON.stringify({ choices: [{ message, finish_reason: "length" }], usage: { prompt_tokens: 4, completion_tokens: 2 } }));
  assert.deepEqual(answer.finish(), { text: "Hello", usage: { promptTokens: 4, completionTokens: 2 }, firstTokenMs: 0, finish: "length" });
});

test("MC-080 the answer is whole with its finish and usage, also when the closing mark never comes", () => {
  const answer = fresh();
  assert.equal(answer.event(delta({ content: "Hi" })), "more");
  assert.equal(answer.event(delta({}, "stop")), "more");
  assert.equal(answer.event(JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })), "done");
  assert.equal(answer.finish().text, "Hi");
});

test("MC-080 further choices, unknown fields and odd counts are left aside", () => {
  const answer = fresh();
  answer.event(
    JSON.stringify({
      choices: [
        { index: 1, delta: { content: "no" } },
        { index: 0, delta: { content: "yes", tool_calls: null } },
      ],
      usage: { prompt_tokens: -1, completion_tokens: 1e99 },
    }),
  );
  answer.event("[DONE]");
  assert.deepEqual(answer.finish(), { text: "yes", usage: null, firstTokenMs: 0, finish: "stop" });
});

test("TR-072 text is well-formed and without NUL, also when the host cut a character in two", () => {
  const answer = fresh();
  for (const content of ["a\ud83d", "\ude00b\u0000", "\udc00"]) answer.event(delta({ content }));
  answer.event("[DONE]");
  assert.equal(answer.finish().text, "a😀b\ufffd");
});

test("MC-075 an answer over its bound is refused, thinking included", () => {
  const half = "x".repeat(MAX_ANSWER_CHARACTERS / 2);
  const answer = fresh();
  answer.event(delta({ content: `<think>${half.slice(7)}` }));
  answer.event(delta({ content: half }));
  assert.throws(
    () => answer.event(delta({ content: "x" })),
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
    try {
      fresh().event(data);
    } catch (error) {
      if (isRuntimeError(error)) return `${error.code}: ${error.message}`;
    }
    return "nothing was thrown";
  };
  assert.match(messageOf(failure({ code: 429, message: "canary" })), /^model_rate_limited: [^:]*: the model server asked to wait \(429\)$/);
  assert.match(messageOf(failure({ code: 502, message: "canary" })), /^model_status: .* status 502$/);
  for (const code of ["canary", 12, 1e9, null]) assert.match(messageOf(failure({ code })), /^model_status: .* answered with a failure$/);
  assert.match(messageOf(failure("canary")), /^model_status: .* answered with a failure$/);
});
