import type { EndpointUrl } from "../foundation/endpoint-url.ts";
import type { Secret } from "../foundation/secret.ts";

/** Millionths of the currency for a million tokens. */
export interface ModelPrice {
  readonly promptMicros: number;
  readonly completionMicros: number;
}

/** One model of a host, as configured. */
export interface ModelConfig {
  /** Tokens the host keeps of prompt and answer together; null when nobody said. */
  readonly contextTokens: number | null;
  /** Tokens an answer may have; a request may ask for fewer, never for more. */
  readonly maxOutputTokens: number;
  /** Null when unknown: then calls are counted instead of money (SE-090). */
  readonly price: ModelPrice | null;
}

/** One host: a server that speaks one interface at one address. */
export interface HostConfig {
  /** `openai`: chat completions, spoken by llama.cpp, vLLM, LM Studio, OpenRouter and many more. */
  readonly api: "openai";
  readonly url: EndpointUrl;
  /** Sent as a bearer token; null when the host wants none. */
  readonly key: Secret | null;
  /** By the name the host knows the model under. */
  readonly models: ReadonlyMap<string, ModelConfig>;
  /** Milliseconds from the wait for a slot to the whole answer (TR-053). */
  readonly deadlineMs: number;
}

/** The hosts by name, and which model speaks: `host/model`, or null when none is configured. */
export interface ModelsConfig {
  readonly hosts: ReadonlyMap<string, HostConfig>;
  readonly defaultModel: string | null;
}
