import type { EndpointUrl } from "../foundation/endpoint-url.ts";
import type { AgentMessage, AgentRequest } from "../vocabulary/calls/agent-model.ts";
import type { AnswerBuilder, Finish } from "./answer-builder.ts";
import { faultIn } from "./host-fault.ts";
import type { Fields } from "./json.ts";
import { countOf, fieldsOf, isFields, listOf, malformed, parseFields, textOf } from "./json.ts";
import type { PostReader } from "./response-reader.ts";
import { refusal } from "./transport-errors.ts";
import type { Wire, WireAsk } from "./wire.ts";
import { outputTokens } from "./wire.ts";

/** Chat completions, streamed: llama.cpp, vLLM, LM Studio, OpenRouter and many more. */
export const openAiWire: Wire = {
  address: chatCompletionsUrl,
  keyHeader: "authorization",
  headers: {},
  formats: ["json_schema", "json_object", "none"],
  body: (ask) => ({
    model: ask.id,
    messages: [{ role: "system", content: ask.request.system }, ...ask.request.messages.map(toMessage)],
    ...toTools(ask.request),
    [ask.way.limit]: outputTokens(ask),
    stream: true,
    stream_options: { include_usage: true },
    ...toFormat(ask),
    ...toThinking(ask),
  }),
  reader: (answer) => new ChatReader(answer),
};

/**
 * The one address for chat completions of a host. An address that ends in `/chat/completions` is used as it is; else that is put
 * behind its path, and `/v1` before it where there is no path.
 */
export function chatCompletionsUrl(base: EndpointUrl): EndpointUrl {
  const path = base.path.replace(/\/+$/, "");
  if (path.endsWith("/chat/completions")) return base;
  return base.withPath(`${path === "" ? "/v1" : path}/chat/completions`);
}

function toMessage(message: AgentMessage): Fields {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.text };
    case "assistant":
      return {
        role: "assistant",
        content: message.text,
        ...(message.calls.length === 0
          ? {}
          : {
              tool_calls: message.calls.map(({ id, name, arguments: text }) => ({
                id,
                type: "function",
                function: { name, arguments: text },
              })),
            }),
      };
    case "tool":
      return { role: "tool", tool_call_id: message.call, content: message.text };
  }
}

function toTools({ tools }: AgentRequest): Fields {
  if (tools.length === 0) return {};
  return { tools: tools.map(({ name, description, parameters }) => ({ type: "function", function: { name, description, parameters } })) };
}

function toFormat({ request, way }: WireAsk): Fields {
  if (way.format === "none") return {};
  if (way.format === "json_object" || request.schema === undefined) return { response_format: { type: "json_object" } };
  const { name, json } = request.schema;
  return { response_format: { type: "json_schema", json_schema: { name, strict: true, schema: json } } };
}

/** The effort is what services know; the template's switch is what llama.cpp and vLLM know. */
function toThinking({ model, way }: WireAsk): Fields {
  if (model.think === null || !way.think) return {};
  if (model.think === "off") return { reasoning_effort: "none", chat_template_kwargs: { enable_thinking: false } };
  if (model.think === "on") return { chat_template_kwargs: { enable_thinking: true } };
  return { reasoning_effort: model.think };
}

class ChatReader implements PostReader {
  readonly #answer: AnswerBuilder;

  constructor(answer: AnswerBuilder) {
    this.#answer = answer;
  }

  /** `done` after the closing mark, or when everything that is wanted has come. */
  event(data: string): "more" | "done" {
    if (data.trim() === "[DONE]") {
      this.#answer.close();
      return "done";
    }
    if (this.#take(parseFields(data), "delta") === "failed") return "done";
    return this.#answer.finished && this.#answer.counted ? "done" : "more";
  }

  body(text: string): void {
    this.#take(parseFields(text), "message");
    this.#answer.close();
  }

  #take(root: Fields, part: "delta" | "message"): "taken" | "failed" {
    if ("error" in root && root["error"] !== null) return failed(this.#answer, root["error"]);
    const usage = readUsage(root["usage"]);
    if (usage !== null) this.#answer.count(usage);
    const choices: unknown = root["choices"];
    // One answer was asked for; a host that sends more is heard on the first only.
    const choice = listOf(choices).find((each) => each["index"] === undefined || each["index"] === 0);
    if (choice === undefined) {
      if (part === "message" || (!Array.isArray(choices) && usage === null)) throw malformed();
      return "taken";
    }
    this.#hear(fieldsOf(choice[part]));
    const reason = choice["finish_reason"];
    if (typeof reason === "string") this.#answer.end(finishOf(reason));
    return "taken";
  }

  #hear(content: Fields): void {
    for (const thinking of [content["reasoning_content"], content["reasoning"]]) this.#answer.think(textOf(thinking));
    this.#answer.say(readText(content["content"]));
    for (const [at, call] of listOf(content["tool_calls"]).entries()) {
      const { name, arguments: text } = fieldsOf(call["function"]);
      // Whole messages and some hosts leave the index out: the order stands for it.
      this.#answer.call(String(countOf(call["index"]) ?? at), { id: textOf(call["id"]), name: textOf(name), arguments: argumentsOf(text) });
    }
    if (textOf(content["refusal"]) !== "") this.#answer.end("declined");
  }
}

/** Take a failure inside a 200, which ends the exchange: no room, or the status it names. */
export function failed(answer: AnswerBuilder, error: unknown, standard: number | null = null): "failed" {
  const fault = faultIn(error);
  if (fault.window === null) answer.fail(refusal(fault.status ?? standard));
  else answer.outgrow(fault.window);
  return "failed";
}

function finishOf(reason: string): Finish {
  if (reason === "content_filter") return "declined";
  return reason === "length" ? "length" : "stop";
}

/** Text as a string, or as a list of parts of which those of type `text` count. */
function readText(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map((part) => (part["type"] === "text" ? textOf(part["text"]) : ""))
    .join("");
}

function argumentsOf(value: unknown): string {
  return isFields(value) ? JSON.stringify(value) : textOf(value);
}

function readUsage(value: unknown): Parameters<AnswerBuilder["count"]>[0] | null {
  const usage = fieldsOf(value);
  const [promptTokens, completionTokens] = [countOf(usage["prompt_tokens"]), countOf(usage["completion_tokens"])];
  if (promptTokens === null || completionTokens === null) return null;
  const cached = countOf(fieldsOf(usage["prompt_tokens_details"])["cached_tokens"]) ?? 0;
  return { promptTokens, completionTokens, cacheReadTokens: Math.min(cached, promptTokens), cacheWriteTokens: 0 };
}
