import type { EndpointUrl } from "../foundation/endpoint-url.ts";
import type { Secret } from "../foundation/secret.ts";
import type { ModelPrice } from "../vocabulary/cost.ts";

/** One model of a host, as configured. */
export interface ModelConfig {
  /** Tokens the host keeps of prompt and answer together; null when nobody said. */
  readonly contextTokens: number | null;
  /** Tokens an answer may have; a request may ask for fewer, never for more. */
  readonly maxOutputTokens: number;
  /** Whether it thinks before it answers, and how much; null to leave it to the host. */
  readonly think: "off" | "on" | "low" | "medium" | "high" | null;
  /** Null when unknown: then calls are counted instead of money (SE-090). */
  readonly price: ModelPrice | null;
}

/** One host: a server that speaks one interface at one address. */
export interface HostConfig {
  /**
   * `openai`: chat completions, spoken by llama.cpp, vLLM, LM Studio, OpenRouter and many more. `ollama`: Ollama's own, whose
   * window and thinking can be set. `anthropic`: messages.
   */
  readonly api: "openai" | "ollama" | "anthropic";
  readonly url: EndpointUrl;
  /** Sent as the interface wants it, to that address only; null when the host wants none. */
  readonly key: Secret | null;
  /** By the name the host knows the model under. */
  readonly models: ReadonlyMap<string, ModelConfig>;
  /** Milliseconds from the wait for a slot to the whole answer (TR-053). */
  readonly deadlineMs: number;
  /** Milliseconds more until the first token while the host may have to load the model. */
  readonly loadMs: number;
  /** Seconds the host keeps the model loaded after an answer: -1 for ever, null as the host does. Ollama's alone. */
  readonly keepAliveS: number | null;
}

/** The hosts by name, and which model speaks: `host/model`, or null when none is configured. */
export interface ModelsConfig {
  readonly hosts: ReadonlyMap<string, HostConfig>;
  readonly defaultModel: string | null;
  /** Who speaks while the host before is down, in order. */
  readonly fallbackModels: readonly string[];
}
