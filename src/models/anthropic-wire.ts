import type { EndpointUrl } from "../foundation/endpoint-url.ts";
import type { AgentMessage, AgentRequest } from "../vocabulary/calls/agent-model.ts";
import type { AnswerBuilder, Finish } from "./answer-builder.ts";
import type { Fields } from "./json.ts";
import { countOf, fieldsOf, listOf, malformed, parseFields, textOf } from "./json.ts";
import { objectOf } from "./ollama-wire.ts";
import { failed } from "./openai-wire.ts";
import type { PostReader } from "./response-reader.ts";
import type { Wire, WireAsk } from "./wire.ts";
import { outputTokens } from "./wire.ts";

/** The interface's version that this translation was written for. */
const VERSION = "2023-06-01";
/** Ends the part of a request that is the same each time, so that the server may keep it (role frame, card, tools). */
const CACHED = { cache_control: { type: "ephemeral" } } as const;

/** Anthropic's messages, streamed. */
export const anthropicWire: Wire = {
  address: messagesUrl,
  keyHeader: "x-api-key",
  headers: { "anthropic-version": VERSION },
  formats: ["json_schema", "none"],
  body: (ask) => ({
    model: ask.id,
    max_tokens: outputTokens(ask),
    ...toTools(ask.request),
    ...(ask.request.system === "" ? {} : { system: [{ type: "text", text: ask.request.system, ...CACHED }] }),
    messages: toMessages(ask.request.messages),
    stream: true,
    ...toConfig(ask),
  }),
  reader: (answer) => new MessagesReader(answer),
};

/** `/v1/messages` behind the host's path; an address that ends so is used as it is. */
function messagesUrl(base: EndpointUrl): EndpointUrl {
  const path = base.path.replace(/\/+$/, "");
  if (path.endsWith("/messages")) return base;
  return base.withPath(`${path === "" ? "/v1" : path}/messages`);
}

/** Results of calls are blocks of one user's message; messages of one side in a row are one. */
function toMessages(messages: readonly AgentMessage[]): readonly Fields[] {
  const sides: { role: "user" | "assistant"; content: Fields[] }[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = sides.at(-1);
    const blocks = toBlocks(message);
    if (last?.role === role) last.content.push(...blocks);
    else sides.push({ role, content: [...blocks] });
  }
  // The interface takes no empty block and no message without one.
  return sides.filter(({ content }) => content.length > 0);
}

function toBlocks(message: AgentMessage): readonly Fields[] {
  switch (message.role) {
    case "user":
      return textBlocks(message.text);
    case "assistant":
      return [
        ...textBlocks(message.text),
        ...message.calls.map(({ id, name, arguments: text }) => ({ type: "tool_use", id, name, input: objectOf(text) })),
      ];
    case "tool":
      return [
        {
          type: "tool_result",
          tool_use_id: message.call,
          content: message.text,
          ...(message.failed ? { is_error: true } : {}),
        },
      ];
  }
}

function textBlocks(text: string): readonly Fields[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function toTools({ tools }: AgentRequest): Fields {
  if (tools.length === 0) return {};
  return { tools: tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })) };
}

function toConfig({ request, model, way }: WireAsk): Fields {
  const asksShape = way.format === "json_schema" && request.schema !== undefined;
  const thinks = way.think && model.think !== null && model.think !== "off";
  const effort = thinks && model.think !== "on" ? { effort: model.think } : {};
  const shape = asksShape ? { format: { type: "json_schema", schema: request.schema?.json } } : {};
  return {
    ...(way.think && model.think === "off" ? { thinking: { type: "disabled" } } : {}),
    ...(thinks ? { thinking: { type: "adaptive" } } : {}),
    ...(Object.keys({ ...effort, ...shape }).length === 0 ? {} : { output_config: { ...effort, ...shape } }),
  };
}

/** Tokens as they come: the parts of the prompt first, then the answer's, each time as a whole. */
interface Counting {
  input: number;
  read: number;
  written: number;
  output: number;
}

class MessagesReader implements PostReader {
  readonly #answer: AnswerBuilder;
  readonly #counting: Counting = { input: 0, read: 0, written: 0, output: 0 };

  constructor(answer: AnswerBuilder) {
    this.#answer = answer;
  }

  event(data: string): "more" | "done" {
    const root = parseFields(data);
    switch (root["type"]) {
      case "message_start":
        this.#count(fieldsOf(root["message"])["usage"]);
        return "more";
      case "content_block_start":
        this.#block(keyOf(root), fieldsOf(root["content_block"]), "starts");
        return "more";
      case "content_block_delta":
        this.#delta(keyOf(root), fieldsOf(root["delta"]));
        return "more";
      case "message_delta":
        this.#count(root["usage"]);
        this.#end(fieldsOf(root["delta"])["stop_reason"]);
        return "more";
      case "message_stop":
        this.#answer.close();
        return "done";
      case "error":
        this.#fail(root["error"]);
        return "done";
      default:
        // Pings, ends of blocks, and kinds that later versions add.
        if (typeof root["type"] !== "string") throw malformed();
        return "more";
    }
  }

  body(text: string): void {
    const root = parseFields(text);
    if (root["type"] === "error") {
      this.#fail(root["error"]);
      return;
    }
    if (!Array.isArray(root["content"])) throw malformed();
    for (const [at, block] of listOf(root["content"]).entries()) this.#block(String(at), block, "whole");
    this.#count(root["usage"]);
    this.#end(root["stop_reason"]);
    this.#answer.close();
  }

  #block(key: string, block: Fields, how: "starts" | "whole"): void {
    if (block["type"] === "text") this.#answer.say(textOf(block["text"]));
    if (block["type"] === "thinking" || block["type"] === "redacted_thinking") this.#answer.think(textOf(block["thinking"]) || " ");
    if (block["type"] !== "tool_use") return;
    // In a stream the input comes behind, in pieces of its JSON; the empty one at the start is none of it.
    const input = how === "whole" ? { arguments: JSON.stringify(fieldsOf(block["input"])) } : {};
    this.#answer.call(key, { id: textOf(block["id"]), name: textOf(block["name"]), ...input });
  }

  #delta(key: string, delta: Fields): void {
    if (delta["type"] === "text_delta") this.#answer.say(textOf(delta["text"]));
    if (delta["type"] === "thinking_delta") this.#answer.think(textOf(delta["thinking"]));
    if (delta["type"] === "input_json_delta") this.#answer.call(key, { arguments: textOf(delta["partial_json"]) });
  }

  #count(value: unknown): void {
    const usage = fieldsOf(value);
    const counting = this.#counting;
    counting.input = countOf(usage["input_tokens"]) ?? counting.input;
    counting.read = countOf(usage["cache_read_input_tokens"]) ?? counting.read;
    counting.written = countOf(usage["cache_creation_input_tokens"]) ?? counting.written;
    counting.output = countOf(usage["output_tokens"]) ?? counting.output;
    this.#answer.count({
      promptTokens: counting.input + counting.read + counting.written,
      completionTokens: counting.output,
      cacheReadTokens: counting.read,
      cacheWriteTokens: counting.written,
    });
  }

  #end(reason: unknown): void {
    if (typeof reason === "string") this.#answer.end(finishOf(reason));
  }

  #fail(error: unknown): void {
    failed(this.#answer, error, STATUS_OF[textOf(fieldsOf(error)["type"])] ?? null);
  }
}

const STATUS_OF: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  rate_limit_error: 429,
  api_error: 500,
  overloaded_error: 529,
};

function keyOf(root: Fields): string {
  return String(countOf(root["index"]) ?? 0);
}

function finishOf(reason: string): Finish {
  if (reason === "refusal") return "declined";
  return reason === "max_tokens" || reason === "model_context_window_exceeded" ? "length" : "stop";
}
