import type { Clock } from "../foundation/clock.ts";
import type { EndpointUrl } from "../foundation/endpoint-url.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Secret } from "../foundation/secret.ts";
import type { Model, ModelAnswer, ModelRequest } from "../vocabulary/model.ts";
import { ChatAnswer } from "./chat-answer.ts";
import type { ModelConfig } from "./models-config.ts";
import { refusal } from "./transport-errors.ts";
import type { Posted } from "./transport.ts";
import { post } from "./transport.ts";

/** How the shape of an answer is asked for, from the strictest down. */
const LADDER = ["json_schema", "json_object", "none"] as const;
type Step = (typeof LADDER)[number];

/** One model of a host that speaks chat completions. */
export interface OpenAiModel {
  /** `host/model`. */
  readonly name: string;
  /** The name the host knows it under. */
  readonly id: string;
  readonly url: EndpointUrl;
  readonly key: Secret | null;
  readonly model: ModelConfig;
  readonly maxBytes: number;
}

/**
 * Speak to one model over chat completions, streamed. The shape of the answer is asked for as strictly as the host can: a 400 or
 * 422 to a `response_format` is answered by the next step of {@link LADDER}, once each, and the step that worked is kept for the
 * life of the model. Nothing else is ever sent twice.
 */
export function createOpenAiModel(options: OpenAiModel, clock: Clock): Model {
  const url = chatCompletionsUrl(options.url);
  let known: Step = "json_schema";

  const ask = async (request: ModelRequest, step: Step, signal: AbortSignal): Promise<Posted & { readonly answer: ChatAnswer }> => {
    const answer = new ChatAnswer(() => clock.monotonicMs());
    const body = JSON.stringify(requestBody(options, request, step));
    return { ...(await post({ url, key: options.key, body, maxBytes: options.maxBytes }, answer, signal)), answer };
  };

  const generate = async (request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> => {
    const steps = stepsFor(request, known);
    for (const [at, step] of steps.entries()) {
      const outcome = await ask(request, step, signal);
      if (outcome.kind === "refused") {
        if (at + 1 < steps.length && (outcome.status === 400 || outcome.status === 422)) continue;
        throw refusal(outcome.status);
      }
      // Kept only when it worked: a 400 may have meant something else than the format.
      if (at > 0) known = step;
      return outcome.answer.finish();
    }
    throw new RuntimeError("internal", "Cannot ask the model: no way to ask is left");
  };

  return { name: options.name, understudy: false, price: options.model.price, generate };
}

/**
 * The one address for chat completions of a host. An address that ends in `/chat/completions` is used as it is; else that is put
 * behind its path, and `/v1` before it where there is no path. Query and credentials stay (MC-074).
 */
export function chatCompletionsUrl(base: EndpointUrl): EndpointUrl {
  const path = base.path.replace(/\/+$/, "");
  if (path.endsWith("/chat/completions")) return base;
  return base.withPath(`${path === "" ? "/v1" : path}/chat/completions`);
}

/** The steps to try for this request, beginning with the strictest that is not known to fail. */
function stepsFor(request: ModelRequest, known: Step): readonly Step[] {
  if (request.format === "plain") return ["none"];
  const first = request.schema === undefined ? "json_object" : "json_schema";
  return LADDER.slice(Math.max(LADDER.indexOf(first), LADDER.indexOf(known)));
}

function requestBody(options: OpenAiModel, request: ModelRequest, step: Step): Readonly<Record<string, unknown>> {
  return {
    model: options.id,
    messages: [
      { role: "system", content: request.system },
      { role: "user", content: request.prompt },
    ],
    max_tokens: Math.min(request.maxOutputTokens, options.model.maxOutputTokens),
    stream: true,
    stream_options: { include_usage: true },
    ...responseFormat(request, step),
  };
}

function responseFormat(request: ModelRequest, step: Step): Readonly<Record<string, unknown>> {
  if (step === "none") return {};
  if (step === "json_object" || request.schema === undefined) return { response_format: { type: "json_object" } };
  return {
    response_format: { type: "json_schema", json_schema: { name: request.schema.name, strict: true, schema: request.schema.json } },
  };
}
