import type { ScriptedApi } from "./scripted-speech.ts";

/** What is looked at of a request, whatever interface it came through. */
export interface Asked {
  /** The interface that was asked; null for a path of none. */
  readonly api: ScriptedApi | null;
  /** The text of the messages by role; empty where there is none. */
  readonly system: string;
  readonly prompt: string;
  /** The text of all messages, whoever's they are. */
  readonly conversation: string;
  readonly model: string;
  readonly stream: boolean;
  /** `json_schema`, `json_object`, or `none` when the request asks for no format. */
  readonly format: string;
  /** Whether the request says how much to think. */
  readonly think: boolean;
  /** Tokens of the window it asks for; null where it asks for none. */
  readonly windowTokens: number | null;
}

type Fields = Readonly<Record<string, unknown>>;

/** Read a request. Anything may be missing or of another type; one that is no JSON just asks for nothing. */
export function readAsked(body: Buffer, api: ScriptedApi | null): Asked {
  const asked = fieldsOf(parsed(body));
  const of = (role: string): string =>
    listOf(asked["messages"])
      .filter((message) => message["role"] === role)
      .map((message) => textIn(message["content"]))
      .join("\n");
  return {
    api,
    system: api === "anthropic" ? textIn(asked["system"]) : of("system"),
    prompt: of("user"),
    conversation: listOf(asked["messages"])
      .map((message) => textIn(message["content"]))
      .join("\n"),
    model: word(asked["model"], ""),
    stream: api === "ollama" ? asked["stream"] !== false : asked["stream"] === true,
    format: formatOf(asked),
    think: ["think", "thinking", "reasoning_effort", "chat_template_kwargs"].some((field) => asked[field] !== undefined),
    windowTokens: numberIn(fieldsOf(asked["options"])["num_ctx"]),
  };
}

function formatOf(asked: Fields): string {
  if (asked["format"] !== undefined) return asked["format"] === "json" ? "json_object" : "json_schema";
  const format = asked["response_format"] ?? fieldsOf(asked["output_config"])["format"];
  return word(fieldsOf(format)["type"], "none");
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    // It is recorded all the same.
    return null;
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {};
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

/** Text as a string, or as blocks of which those with text count. */
function textIn(value: unknown): string {
  if (typeof value === "string") return value;
  return listOf(value)
    .map((block) => word(block["text"], ""))
    .join("\n");
}

function numberIn(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

function word(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}
