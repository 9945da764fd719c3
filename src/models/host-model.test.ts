import assert from "node:assert/strict";
import { test } from "node:test";
import { isRuntimeError } from "../foundation/errors.ts";
import { Secret } from "../foundation/secret.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { hostAt, modelConfig } from "../testing/model-host.ts";
import type { ScriptedModel } from "../testing/scripted-model.ts";
import { startScriptedModel } from "../testing/scripted-model.ts";
import type { AgentMessage, AgentRequest, GenerationPiece } from "../vocabulary/calls/agent-model.ts";
import type { HostAnswer } from "./answer-builder.ts";
import type { HostModel } from "./host-model.ts";
import { createHostModel } from "./host-model.ts";
import type { HostConfig, ModelConfig } from "./models-config.ts";

const APIS = ["openai", "ollama", "anthropic"] as const;
const KEY = "sk-canary-0123456789abcdef";
const never = new AbortController().signal;
const SCHEMA = { name: "lean", json: { type: "object", properties: { a: { type: "string" } } } };
const TOOL = { name: "look", description: "Look at something.", parameters: { type: "object", properties: { at: { type: "string" } } } };
const TALK: readonly AgentMessage[] = [
  { role: "user", text: "What is on the table?" },
  { role: "assistant", text: "Let me look.", calls: [{ id: "c1", name: "look", arguments: '{"at":"table"}' }] },
  { role: "tool", call: "c1", name: "look", text: "a ledger", failed: false },
];

const packet = (more: Partial<AgentRequest> = {}): AgentRequest => ({
  system: "Be brief.",
  messages: [{ role: "user", text: "Ann: hello ✓" }],
  tools: [],
  maxOutputTokens: 50,
  format: "plain",
  ...more,
});

function modelAt(server: ScriptedModel, host: Partial<HostConfig>, model: Partial<ModelConfig> = {}): HostModel {
  return createHostModel(
    { id: "org/tiny", host: hostAt(server.url, host), model: modelConfig(model), maxBytes: 1_000_000 },
    new ManualClock(),
  );
}

const bodyOf = (server: ScriptedModel, at: number): Record<string, unknown> =>
  JSON.parse(server.requests.at(at)?.body.toString("utf8") ?? "{}");

async function answerOf(model: HostModel, request: AgentRequest): Promise<HostAnswer> {
  const result = await model.ask(request, never);
  assert.ok(result.kind === "answer", result.kind === "unusable" ? result.error.message : result.kind);
  return result;
}

test("TR-072 Ollama is asked through its own interface: window, thinking, keeping, a schema, and never a silent cut", async () => {
  await using server = await startScriptedModel();
  const model = modelAt(server, { api: "ollama", keepAliveS: 600, key: Secret.parse(KEY, "K") }, { contextTokens: 16_384, think: "off" });
  const answer = await answerOf(model, packet({ format: "json", schema: SCHEMA }));
  assert.equal(server.requests[0]?.path, "/api/chat");
  assert.equal(server.requests[0]?.headers.authorization, `Bearer ${KEY}`);
  assert.deepEqual(bodyOf(server, 0), {
    model: "org/tiny",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Ann: hello ✓" },
    ],
    stream: true,
    truncate: false,
    format: SCHEMA.json,
    think: false,
    keep_alive: 600,
    options: { num_ctx: 16_384, num_predict: 50 },
  });
  assert.deepEqual([answer.usage?.promptTokens, answer.loadMs, answer.thought], [8, 0, false]);
});

test("TR-072 Anthropic is asked through its own interface: version, key, a prefix to keep, a schema", async () => {
  await using server = await startScriptedModel({
    script: () => ({ text: "Good day.", usage: { prompt_tokens: 1_000, completion_tokens: 7, cache_read: 700, cache_write: 100 } }),
  });
  const model = modelAt(server, { api: "anthropic", key: Secret.parse(KEY, "K") });
  const answer = await answerOf(model, packet({ format: "json", schema: SCHEMA }));
  const { path, headers } = server.requests[0] ?? assert.fail();
  assert.equal(path, "/v1/messages");
  assert.deepEqual([headers["x-api-key"], headers["anthropic-version"], headers.authorization], [KEY, "2023-06-01", undefined]);
  assert.deepEqual(bodyOf(server, 0), {
    model: "org/tiny",
    max_tokens: 50,
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    messages: [{ role: "user", content: [{ type: "text", text: "Ann: hello ✓" }] }],
    stream: true,
    output_config: { format: { type: "json_schema", schema: SCHEMA.json } },
  });
  assert.deepEqual(answer.usage, { promptTokens: 1_000, completionTokens: 7, cacheReadTokens: 700, cacheWriteTokens: 100 });
});

test("TR-072 a model that is told to think has all of its output for it; each interface has its own word", async () => {
  await using server = await startScriptedModel();
  const told: Record<string, unknown>[] = [];
  for (const api of APIS)
    for (const think of ["on", "low", "off"] as const) {
      await answerOf(modelAt(server, { api }, { think, maxOutputTokens: 4_096 }), packet());
      const { think: switched, thinking, reasoning_effort, chat_template_kwargs, output_config } = bodyOf(server, -1);
      told.push(JSON.parse(JSON.stringify({ switched, thinking, reasoning_effort, chat_template_kwargs, output_config })));
    }
  assert.deepEqual(told, [
    { chat_template_kwargs: { enable_thinking: true } },
    { reasoning_effort: "low" },
    { reasoning_effort: "none", chat_template_kwargs: { enable_thinking: false } },
    { switched: true },
    { switched: "low" },
    { switched: false },
    { thinking: { type: "adaptive" } },
    { thinking: { type: "adaptive" }, output_config: { effort: "low" } },
    { thinking: { type: "disabled" } },
  ]);
  const limits = server.requests
    .map((_, at) => bodyOf(server, at))
    .map((body) => body["max_tokens"] ?? Object(body["options"]).num_predict);
  assert.deepEqual(limits, [4_096, 4_096, 50, 4_096, 4_096, 50, 4_096, 4_096, 50]);
});

test("TR-096 a model that thinks though it was told not to is heard without its thinking, and that it thought is known", async () => {
  for (const api of APIS) {
    await using server = await startScriptedModel();
    server.fault("thinks_anyway");
    const answer = await answerOf(modelAt(server, { api }, { think: "off" }), packet());
    assert.deepEqual([answer.thought, answer.text.includes("think about")], [true, false], api);
  }
});

test("TR-072 a conversation with tools is told in the words of each interface, and calls come back in ours", async () => {
  const sent: unknown[] = [];
  for (const api of APIS) {
    await using server = await startScriptedModel({
      script: () => ({
        text: "",
        calls: [
          { name: "look", arguments: { at: "the stair", deep: true } },
          { name: "look", arguments: {} },
        ],
      }),
    });
    const answer = await answerOf(modelAt(server, { api }), packet({ messages: TALK, tools: [TOOL] }));
    assert.deepEqual(
      answer.calls.map(({ name, arguments: text }) => [name, JSON.parse(text)]),
      [
        ["look", { at: "the stair", deep: true }],
        ["look", {}],
      ],
      api,
    );
    assert.equal(new Set(answer.calls.map(({ id }) => id)).size, 2, api);
    assert.deepEqual([answer.text, answer.finish], ["", "stop"]);
    const { messages, tools } = bodyOf(server, 0);
    sent.push({ messages: api === "anthropic" ? messages : Array.from(messages as unknown[]).slice(1), tools });
  }
  const asFunction = { type: "function", function: TOOL };
  const said = { role: "user", content: "What is on the table?" };
  assert.deepEqual(sent, [
    {
      messages: [
        said,
        {
          role: "assistant",
          content: "Let me look.",
          tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: '{"at":"table"}' } }],
        },
        { role: "tool", tool_call_id: "c1", content: "a ledger" },
      ],
      tools: [asFunction],
    },
    {
      messages: [
        said,
        { role: "assistant", content: "Let me look.", tool_calls: [{ function: { name: "look", arguments: { at: "table" } } }] },
        { role: "tool", tool_name: "look", content: "a ledger" },
      ],
      tools: [asFunction],
    },
    {
      messages: [
        { role: "user", content: [{ type: "text", text: "What is on the table?" }] },
        {
          role: "assistant",
          content: [
            { type: "text", text: "Let me look." },
            { type: "tool_use", id: "c1", name: "look", input: { at: "table" } },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "a ledger" }] },
      ],
      tools: [{ name: "look", description: TOOL.description, input_schema: TOOL.parameters }],
    },
  ]);
});

test("TR-072 Anthropic gets the results of several calls, and what is said behind them, as one message", async () => {
  await using server = await startScriptedModel();
  const two: readonly AgentMessage[] = [
    { role: "user", text: "Look twice." },
    {
      role: "assistant",
      text: "",
      calls: [
        { id: "c1", name: "look", arguments: "no json" },
        { id: "c2", name: "look", arguments: "{}" },
      ],
    },
    { role: "tool", call: "c1", name: "look", text: "it broke", failed: true },
    { role: "tool", call: "c2", name: "look", text: "a stair", failed: false },
    { role: "user", text: "And now?" },
  ];
  await answerOf(modelAt(server, { api: "anthropic" }), packet({ messages: two, tools: [TOOL] }));
  assert.deepEqual(bodyOf(server, 0)["messages"], [
    { role: "user", content: [{ type: "text", text: "Look twice." }] },
    {
      role: "assistant",
      content: [
        { type: "tool_use", id: "c1", name: "look", input: {} },
        { type: "tool_use", id: "c2", name: "look", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "c1", content: "it broke", is_error: true },
        { type: "tool_result", tool_use_id: "c2", content: "a stair" },
        { type: "text", text: "And now?" },
      ],
    },
  ]);
});

test("TR-031 calls that nobody offered are none: an answer of them alone is empty", async () => {
  for (const api of APIS) {
    await using server = await startScriptedModel({ script: () => ({ text: "", calls: [{ name: "shell", arguments: { run: "rm" } }] }) });
    const result = await modelAt(server, { api }).ask(packet(), never);
    assert.ok(result.kind === "unusable" && isRuntimeError(result.error, "model_empty"), api);
  }
});

test("TR-072 a question over the window comes back as such with the host's numbers, and nothing is asked twice", async () => {
  for (const api of APIS) {
    await using server = await startScriptedModel({ windowTokens: 100 });
    const result = await modelAt(server, { api }).ask(packet({ messages: [{ role: "user", text: "word ".repeat(200) }] }), never);
    assert.deepEqual(result, { kind: "window", promptTokens: 337, windowTokens: 100 }, api);
    assert.equal(server.requests.length, 1);
  }
});

test("MC-080 what a host does not take is left out step by step, and what worked is kept", async () => {
  const formats = {
    openai: ["json_schema", "json_object", "none"],
    ollama: ["json_schema", "json_object", "none"],
    anthropic: ["json_schema", "none"],
  };
  for (const api of APIS) {
    await using server = await startScriptedModel();
    const model = modelAt(server, { api });
    server.fault("no_response_format");
    await answerOf(model, packet({ format: "json", schema: SCHEMA }));
    await answerOf(model, packet({ format: "json", schema: SCHEMA }));
    assert.deepEqual(
      server.requests.map(({ format }) => format),
      [...formats[api], "none"],
      api,
    );
  }
});

test("MC-080 a host that knows no word on thinking is asked without, from then on, and still for the format", async () => {
  for (const api of APIS) {
    await using server = await startScriptedModel();
    const model = modelAt(server, { api }, { think: "off" });
    server.fault("no_thinking_switch");
    await answerOf(model, packet({ format: "json", schema: SCHEMA }));
    await answerOf(model, packet({ format: "json", schema: SCHEMA }));
    assert.deepEqual(
      server.requests.map(({ think, format }) => [think, format]),
      [
        [true, "json_schema"],
        [false, "json_schema"],
        [false, "json_schema"],
      ],
      api,
    );
  }
});

test("MC-080 when thinking and format were both given up, thinking is asked for again: the format was to blame", async () => {
  await using server = await startScriptedModel();
  const model = modelAt(server, { api: "openai" }, { think: "off" });
  server.fault("no_response_format");
  await answerOf(model, packet({ format: "json", schema: SCHEMA }));
  await answerOf(model, packet({ format: "json", schema: SCHEMA }));
  assert.deepEqual(
    server.requests.map(({ think, format }) => [think, format]),
    [
      [true, "json_schema"],
      [false, "json_schema"],
      [false, "json_object"],
      [false, "none"],
      [true, "none"],
    ],
  );
});

test("MC-074 an address that was written for chat completions serves Ollama too, and one with a path keeps it", async () => {
  for (const [api, path, sentTo] of [
    ["ollama", "", "/api/chat"],
    ["ollama", "/api", "/api/chat"],
    ["ollama", "/behind/proxy", "/behind/proxy/api/chat"],
    ["ollama", "/v1/chat/completions", "/api/chat"],
    ["anthropic", "", "/v1/messages"],
    ["anthropic", "/behind/v1", "/behind/v1/messages"],
    ["anthropic", "/v1/messages", "/v1/messages"],
  ] as const) {
    await using server = await startScriptedModel();
    const url = server.url.replace(/\/v1$/, path);
    const model = createHostModel({ id: "m", host: hostAt(url, { api }), model: modelConfig(), maxBytes: 100_000 }, new ManualClock());
    // A path the scripted server doesn't know is refused; where it was sent is what counts.
    await model.ask(packet(), never).catch(() => null);
    assert.equal(server.requests[0]?.path, sentTo);
  }
});

test("CH-088 whoever hears an answer hears it begin, and begin again where a host is asked once more; nothing of that is sent", async () => {
  await using server = await startScriptedModel();
  server.fault("no_response_format");
  const heard: GenerationPiece[] = [];
  const request = packet({ format: "json", schema: SCHEMA, heard: (piece) => void heard.push(piece) });
  const { text } = await answerOf(modelAt(server, { api: "openai" }), request);
  const begins = heard.filter(({ kind }) => kind === "begin").length;
  assert.ok(begins > 1 && begins === server.requests.length, `${begins} of ${server.requests.length}`);
  assert.equal(
    heard
      .flatMap((piece) => (piece.kind === "text" ? [piece.text] : []))
      .join("")
      .trim(),
    text,
  );
  assert.ok(server.requests.every(({ body }) => !body.includes("heard")));
});
