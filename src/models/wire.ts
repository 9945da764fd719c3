import type { EndpointUrl } from "../foundation/endpoint-url.ts";
import type { AgentRequest } from "../vocabulary/calls/agent-model.ts";
import type { AnswerBuilder } from "./answer-builder.ts";
import type { ModelConfig } from "./models-config.ts";
import type { PostReader } from "./response-reader.ts";

/** How the shape of an answer is asked for, from the strictest down. */
export type Format = "json_schema" | "json_object" | "none";

/** How a host is asked: what it doesn't know is left out step by step (see `ways.ts`). */
export interface Way {
  readonly format: Format;
  /** Whether it is told how much to think. */
  readonly think: boolean;
  /** The name under which chat completions take the length of an answer; others have one name. */
  readonly limit: "max_tokens" | "max_completion_tokens";
}

/** One request, before it is put into the words of an interface. */
export interface WireAsk {
  /** The name the host knows the model under. */
  readonly id: string;
  readonly model: ModelConfig;
  readonly keepAliveS: number | null;
  readonly request: AgentRequest;
  readonly way: Way;
}

/** One interface of model servers: pure translation, both ways. */
export interface Wire {
  /** The one address for questions of a host at `base`. Query and credentials stay (MC-074). */
  address(base: EndpointUrl): EndpointUrl;
  /** The header that carries the key, and whether as a bearer token. */
  readonly keyHeader: "authorization" | "x-api-key";
  /** Headers of every request beside those of the transport. */
  readonly headers: Readonly<Record<string, string>>;
  /** The formats it has, from the strictest down; `none` always comes last. */
  readonly formats: readonly Format[];
  /** The request's JSON: equal asks give equal bytes, what changes rarely first (MC-080). */
  body(ask: WireAsk): Readonly<Record<string, unknown>>;
  /** Reads one response into `answer`. */
  reader(answer: AnswerBuilder): PostReader;
}

/** The tokens an answer may have: what was asked for, never more than configured. A model that is told to think has all that is configured for both. */
export function outputTokens({ request, model }: Pick<WireAsk, "request" | "model">): number {
  const thinks = model.think !== null && model.think !== "off";
  return thinks ? model.maxOutputTokens : Math.min(request.maxOutputTokens, model.maxOutputTokens);
}
