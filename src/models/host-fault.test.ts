import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readFault } from "./host-fault.ts";

const window = (promptTokens: number | null, windowTokens: number | null): object => ({ kind: "window", promptTokens, windowTokens });
const nested = JSON.stringify({
  error: { code: 400, message: "too long", type: "exceed_context_size_error", n_prompt_tokens: 8_889, n_ctx: 4_096 },
});

const TOO_LONG: readonly (readonly [what: string, body: object, window: object])[] = [
  [
    "a typed error with counts",
    { error: { code: 400, message: "any words", type: "exceed_context_size_error", n_prompt_tokens: 1_407, n_ctx: 256 } },
    window(1_407, 256),
  ],
  ["that error as text inside another", { error: nested }, window(8_889, 4_096)],
  [
    "a code and a sentence with both numbers",
    {
      error: {
        message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
        code: "context_length_exceeded",
        param: "messages",
      },
    },
    window(9_001, 8_192),
  ],
  [
    "a sentence alone, behind a name with numbers in it",
    {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "model-2024-08-06: prompt is too long: 205,000 of 200000: 210000 tokens > 200000 maximum",
      },
    },
    window(210_000, 200_000),
  ],
  ["a sentence without numbers", { error: "the input length exceeds the context length" }, window(null, null)],
  ["one number", { error: { message: "maximum context length is 4096 tokens" } }, window(null, null)],
];

for (const [what, body, expected] of TOO_LONG) {
  test(`TR-072 a question over the window is known by ${what}`, () => {
    assert.deepEqual(readFault(JSON.stringify(body)).window, expected);
  });
}

test("TR-072 other failures are none of that, and a named field is known", () => {
  for (const error of [
    { message: "invalid api key" },
    { code: 429, message: "slow down" },
    "busy",
    null,
    7,
    [],
    { message: { context: "length" } },
  ])
    assert.equal(readFault(JSON.stringify({ error })).window, null, JSON.stringify(error));
  const parameterOf = (error: object): unknown => readFault(JSON.stringify({ error })).parameter;
  assert.equal(parameterOf({ param: "response_format" }), "response_format");
  assert.equal(parameterOf({ param: "response_format.json_schema" }), "response_format");
  assert.equal(parameterOf({ param: null, message: "Use 'max_completion_tokens' instead." }), "max_tokens");
  assert.equal(parameterOf({ param: "something else" }), null);
});

test("MC-090 property: nothing but counts, a status and our own names comes out of a failure's body, whatever it is", () => {
  const error = fc.oneof(
    fc.jsonValue(),
    fc.record({
      code: fc.jsonValue(),
      type: fc.jsonValue(),
      param: fc.string(),
      message: fc.string().map((text) => `context length ${text}`),
      n_ctx: fc.jsonValue(),
    }),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        error.map((value) => JSON.stringify({ error: value })),
        fc.string(),
        fc.json(),
      ),
      (body) => {
        const { window: found, parameter, status } = readFault(body);
        for (const count of [found?.promptTokens, found?.windowTokens])
          assert.ok(count === undefined || count === null || Number.isSafeInteger(count));
        assert.ok(parameter === null || /^[a-z_]+$/.test(parameter));
        assert.ok(status === null || (status >= 400 && status <= 599));
      },
    ),
    { numRuns: 1_000 },
  );
});

test("MC-075 a body of braces is read in a time that grows with its length alone", () => {
  let deep: unknown = { message: "end" };
  for (let at = 0; at < 12; at += 1) deep = { message: JSON.stringify({ error: deep }) };
  assert.equal(readFault(JSON.stringify({ error: deep })).window, null);
  assert.equal(readFault("{".repeat(60_000)).window, null);
  assert.equal(readFault(JSON.stringify({ error: `${"{".repeat(60_000)}}` })).window, null);
});
