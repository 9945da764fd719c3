/** The interfaces of model servers that the scripted one speaks. */
export type ScriptedApi = "openai" | "ollama" | "anthropic";

/** One answer, with everything that an interface may tell of it. */
export interface Spoken {
  readonly model: string;
  readonly text: string;
  /** Sent beside the answer, as hosts with reasoning do; "" for none. */
  readonly reasoning: string;
  readonly calls: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
  /** `stop`, `length`, `refusal`. */
  readonly finish: string;
  /** Null: the host counts nothing. */
  readonly usage: { readonly prompt: number; readonly completion: number; readonly cacheRead: number; readonly cacheWrite: number } | null;
  /** Milliseconds of loading that the host tells of. */
  readonly loadMs: number;
}

/** How one interface puts an answer, or a failure, into bytes. */
export interface Speech {
  readonly streamType: string;
  /** The whole answer as one JSON body. */
  whole(spoken: Spoken): string;
  /** The pieces of a streamed answer, each a whole event or line, the end among them. */
  pieces(spoken: Spoken): Generator<string>;
  /** One event that holds this JSON, or this text where it is none. */
  event(data: object | string): string;
  /** The JSON of one piece of text. */
  delta(text: string): object;
  /** The start of an event whose text goes on and on. */
  readonly endless: string;
  /** What the server does to keep a connection busy. */
  readonly comment: string;
  /** The body of a failure. */
  failure(status: number, message: string): object;
  /** The body that says how long the question was, and how long it may be. */
  tooLong(promptTokens: number, windowTokens: number): object;
}

const json = (value: object): string => JSON.stringify(value);
/** Some characters at a time, never half of one. */
const cut = (text: string): readonly string[] => text.match(/[\s\S]{1,7}/gu) ?? [];

function chatUsage(usage: Spoken["usage"]): object | null {
  if (usage === null) return null;
  const { prompt, completion, cacheRead } = usage;
  const details = cacheRead === 0 ? {} : { prompt_tokens_details: { cached_tokens: cacheRead } };
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion, ...details };
}

function chatCalls({ calls }: Spoken): object {
  if (calls.length === 0) return {};
  const listed = calls.map(({ name, arguments: given }, index) => ({
    index,
    id: `call-${index}`,
    type: "function",
    function: { name, arguments: json(given) },
  }));
  return { tool_calls: listed };
}

const chatFinish = ({ finish, calls }: Spoken): string =>
  finish === "refusal" ? "content_filter" : calls.length > 0 && finish === "stop" ? "tool_calls" : finish;

const openai: Speech = {
  streamType: "text/event-stream; charset=utf-8",
  whole: (spoken) =>
    json({
      id: "scripted",
      object: "chat.completion",
      model: spoken.model,
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: spoken.text,
            ...(spoken.reasoning === "" ? {} : { reasoning_content: spoken.reasoning }),
            ...chatCalls(spoken),
          },
          finish_reason: chatFinish(spoken),
        },
      ],
      usage: chatUsage(spoken.usage),
    }),
  *pieces(spoken) {
    const event = (body: object): string => this.event({ id: "scripted", object: "chat.completion.chunk", model: spoken.model, ...body });
    const delta = (part: object, finish: string | null = null): string =>
      event({ choices: [{ index: 0, delta: part, finish_reason: finish }] });
    yield delta({ role: "assistant", content: "" });
    for (const piece of cut(spoken.reasoning)) yield delta({ reasoning_content: piece });
    for (const piece of cut(spoken.text)) yield delta({ content: piece });
    for (const [index, call] of spoken.calls.entries()) {
      yield delta({ tool_calls: [{ index, id: `call-${index}`, type: "function", function: { name: call.name, arguments: "" } }] });
      for (const piece of cut(json(call.arguments))) yield delta({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
    yield delta({}, chatFinish(spoken));
    const usage = chatUsage(spoken.usage);
    if (usage !== null) yield event({ choices: [], usage });
    yield this.event("[DONE]");
  },
  event: (data) => `data: ${typeof data === "string" ? data : json(data)}\n\n`,
  delta: (text) => ({ choices: [{ index: 0, delta: { content: text } }] }),
  endless: 'data: {"choices":[{"delta":{"content":"',
  comment: ": still here\n\n",
  failure: (status, message) => ({ error: { code: status, message } }),
  tooLong: (promptTokens, windowTokens) => ({
    error: {
      code: 400,
      message: "the request exceeds the available context size",
      type: "exceed_context_size_error",
      n_prompt_tokens: promptTokens,
      n_ctx: windowTokens,
    },
  }),
};

const ollama: Speech = {
  streamType: "application/x-ndjson",
  whole: (spoken) => json(ollamaEnd(spoken, { role: "assistant", content: spoken.text, ...ollamaExtras(spoken) })),
  *pieces(spoken) {
    const line = (message: object): string =>
      this.event({ model: spoken.model, message: { role: "assistant", content: "", ...message }, done: false });
    for (const piece of cut(spoken.reasoning)) yield line({ thinking: piece });
    for (const piece of cut(spoken.text)) yield line({ content: piece });
    if (spoken.calls.length > 0) yield line({ tool_calls: ollamaCalls(spoken) });
    yield this.event(ollamaEnd(spoken, { role: "assistant", content: "" }));
  },
  event: (data) => `${typeof data === "string" ? data : json(data)}\n`,
  delta: (text) => ({ message: { role: "assistant", content: text }, done: false }),
  endless: '{"message":{"content":"',
  comment: "\n",
  failure: (_status, message) => ({ error: message }),
  // The error of the server behind it, as JSON text.
  tooLong: (promptTokens, windowTokens) => ({ error: json(openai.tooLong(promptTokens, windowTokens)) }),
};

function ollamaCalls({ calls }: Spoken): readonly object[] {
  return calls.map(({ name, arguments: given }) => ({ function: { name, arguments: given } }));
}

function ollamaExtras(spoken: Spoken): object {
  return {
    ...(spoken.reasoning === "" ? {} : { thinking: spoken.reasoning }),
    ...(spoken.calls.length === 0 ? {} : { tool_calls: ollamaCalls(spoken) }),
  };
}

function ollamaEnd({ model, usage, loadMs, finish }: Spoken, message: object): object {
  const counts = usage === null ? {} : { prompt_eval_count: usage.prompt, eval_count: usage.completion };
  return {
    model,
    message,
    done: true,
    done_reason: finish,
    load_duration: loadMs * 1_000_000,
    total_duration: loadMs * 1_000_000,
    ...counts,
  };
}

const anthropic: Speech = {
  streamType: "text/event-stream; charset=utf-8",
  whole: (spoken) =>
    json({
      id: "msg_scripted",
      type: "message",
      role: "assistant",
      model: spoken.model,
      content: anthropicBlocks(spoken),
      stop_reason: anthropicFinish(spoken),
      usage: anthropicUsage(spoken.usage),
    }),
  *pieces(spoken) {
    const { output_tokens: written, ...read } = anthropicUsage(spoken.usage);
    yield this.event({ type: "message_start", message: { id: "msg_scripted", content: [], usage: { ...read, output_tokens: 1 } } });
    for (const [index, block] of anthropicBlocks(spoken).entries()) {
      yield this.event({ type: "content_block_start", index, content_block: emptied(block) });
      yield this.event({ type: "ping" });
      for (const delta of anthropicDeltas(block)) yield this.event({ type: "content_block_delta", index, delta });
      yield this.event({ type: "content_block_stop", index });
    }
    yield this.event({ type: "message_delta", delta: { stop_reason: anthropicFinish(spoken) }, usage: { output_tokens: written } });
    yield this.event({ type: "message_stop" });
  },
  event: (data) => {
    if (typeof data === "string") return `data: ${data}\n\n`;
    return `event: ${"type" in data && typeof data.type === "string" ? data.type : "message"}\ndata: ${json(data)}\n\n`;
  },
  delta: (text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
  endless: 'data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"',
  comment: ": still here\n\n",
  failure: (status, message) => ({ type: "error", error: { type: ANTHROPIC_TYPES[status] ?? "api_error", message } }),
  tooLong: (promptTokens, windowTokens) => ({
    type: "error",
    error: { type: "invalid_request_error", message: `prompt is too long: ${promptTokens} tokens > ${windowTokens} maximum` },
  }),
};

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  429: "rate_limit_error",
};

type Block = Readonly<Record<string, unknown>> & { readonly type: string };

function anthropicBlocks({ text, reasoning, calls }: Spoken): readonly Block[] {
  return [
    ...(reasoning === "" ? [] : [{ type: "thinking", thinking: reasoning }]),
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...calls.map(({ name, arguments: given }, index) => ({ type: "tool_use", id: `toolu_${index}`, name, input: given })),
  ];
}

function emptied(block: Block): Block {
  if (block.type === "text") return { ...block, text: "" };
  return block.type === "thinking" ? { ...block, thinking: "" } : { ...block, input: {} };
}

function anthropicDeltas(block: Block): readonly object[] {
  if (block.type === "text") return cut(String(block["text"])).map((text) => ({ type: "text_delta", text }));
  if (block.type === "thinking") return cut(String(block["thinking"])).map((thinking) => ({ type: "thinking_delta", thinking }));
  return cut(JSON.stringify(block["input"])).map((piece) => ({ type: "input_json_delta", partial_json: piece }));
}

function anthropicUsage(usage: Spoken["usage"]): Readonly<Record<string, number>> {
  const { prompt, completion, cacheRead, cacheWrite } = usage ?? { prompt: 0, completion: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    input_tokens: prompt - cacheRead - cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    output_tokens: completion,
  };
}

function anthropicFinish({ finish, calls }: Spoken): string {
  if (finish === "refusal") return "refusal";
  if (finish === "length") return "max_tokens";
  return calls.length > 0 ? "tool_use" : "end_turn";
}

/** How each interface is spoken. */
export const SPEECH: Readonly<Record<ScriptedApi, Speech>> = { openai, ollama, anthropic };
