import type { EndpointUrl } from "../foundation/endpoint-url.ts";
import type { AgentMessage, AgentRequest } from "../vocabulary/calls/agent-model.ts";
import type { AnswerBuilder } from "./answer-builder.ts";
import type { Fields } from "./json.ts";
import { countOf, fieldsOf, isFields, listOf, malformed, parseFields, textOf } from "./json.ts";
import { failed } from "./openai-wire.ts";
import type { PostReader } from "./response-reader.ts";
import type { Wire, WireAsk } from "./wire.ts";
import { outputTokens } from "./wire.ts";

const NANOSECONDS = 1_000_000;

/**
 * Ollama's own interface, one JSON object a line: the only one through which its window and its thinking can be set. Without a
 * window it takes its own and drops the start of what is longer, unsaid; so the window is always asked for, the same each time (a
 * change loads the model anew), and cutting is forbidden (servers that don't know that word pass over it; see `truncation.ts`).
 */
export const ollamaWire: Wire = {
  address: chatUrl,
  keyHeader: "authorization",
  headers: {},
  formats: ["json_schema", "json_object", "none"],
  body: (ask) => ({
    model: ask.id,
    messages: [{ role: "system", content: ask.request.system }, ...ask.request.messages.map(toMessage)],
    ...toTools(ask.request),
    stream: true,
    truncate: false,
    ...toFormat(ask),
    ...(ask.model.think === null || !ask.way.think ? {} : { think: toThink(ask.model.think) }),
    ...(ask.keepAliveS === null ? {} : { keep_alive: ask.keepAliveS }),
    options: { ...(ask.model.contextTokens === null ? {} : { num_ctx: ask.model.contextTokens }), num_predict: outputTokens(ask) },
  }),
  reader: (answer) => new LineReader(answer),
};

/** `/api/chat` behind the host's path. An address for chat completions of the same server is understood (`/v1` goes). */
function chatUrl(base: EndpointUrl): EndpointUrl {
  const path = base.path.replace(/\/+$/, "").replace(/\/v1(?:\/chat\/completions)?$/, "");
  if (path.endsWith("/api/chat")) return base;
  return base.withPath(path.endsWith("/api") ? `${path}/chat` : `${path}/api/chat`);
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
          : { tool_calls: message.calls.map(({ name, arguments: text }) => ({ function: { name, arguments: objectOf(text) } })) }),
      };
    case "tool":
      return { role: "tool", tool_name: message.name, content: message.text };
  }
}

/** Arguments are an object here; what a model wrote and is none becomes an empty one. */
export function objectOf(json: string): Fields {
  try {
    return fieldsOf(JSON.parse(json));
  } catch {
    // The model's own slip; the conversation goes on with what its result said of it.
    return {};
  }
}

function toTools({ tools }: AgentRequest): Fields {
  if (tools.length === 0) return {};
  return { tools: tools.map(({ name, description, parameters }) => ({ type: "function", function: { name, description, parameters } })) };
}

function toFormat({ request, way }: WireAsk): Fields {
  if (way.format === "none") return {};
  return { format: way.format === "json_object" || request.schema === undefined ? "json" : request.schema.json };
}

function toThink(think: NonNullable<WireAsk["model"]["think"]>): boolean | string {
  if (think === "off") return false;
  return think === "on" ? true : think;
}

class LineReader implements PostReader {
  readonly #answer: AnswerBuilder;
  #calls = 0;

  constructor(answer: AnswerBuilder) {
    this.#answer = answer;
  }

  event(line: string): "more" | "done" {
    return this.#take(parseFields(line));
  }

  body(text: string): void {
    this.#take(parseFields(text));
    this.#answer.close();
  }

  #take(root: Fields): "more" | "done" {
    if (root["error"] !== undefined && root["error"] !== null) {
      failed(this.#answer, root["error"]);
      return "done";
    }
    if (!isFields(root["message"]) && root["done"] !== true) throw malformed();
    const message = fieldsOf(root["message"]);
    this.#answer.think(textOf(message["thinking"]));
    this.#answer.say(textOf(message["content"]));
    for (const call of listOf(message["tool_calls"])) this.#call(call);
    if (root["done"] !== true) return "more";
    this.#close(root);
    return "done";
  }

  /** A call comes whole, in one line. */
  #call(call: Fields): void {
    const { name, arguments: given } = fieldsOf(call["function"]);
    this.#calls += 1;
    const text = isFields(given) ? JSON.stringify(given) : textOf(given);
    this.#answer.call(String(this.#calls), { id: textOf(call["id"]), name: textOf(name), arguments: text });
  }

  #close(root: Fields): void {
    const [promptTokens, completionTokens] = [countOf(root["prompt_eval_count"]), countOf(root["eval_count"])];
    if (promptTokens !== null) {
      this.#answer.count({ promptTokens, completionTokens: completionTokens ?? 0, cacheReadTokens: 0, cacheWriteTokens: 0 });
    }
    const load = countOf(root["load_duration"]);
    if (load !== null) this.#answer.load(Math.round(load / NANOSECONDS));
    this.#answer.end(root["done_reason"] === "length" ? "length" : "stop");
    this.#answer.close();
  }
}
