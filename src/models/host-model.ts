import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { AgentRequest } from "../vocabulary/calls/agent-model.ts";
import type { AnswerFormat } from "../vocabulary/model-trial.ts";
import { anthropicWire } from "./anthropic-wire.ts";
import type { HostResult } from "./answer-builder.ts";
import { AnswerBuilder } from "./answer-builder.ts";
import type { HostConfig, ModelConfig } from "./models-config.ts";
import { ollamaWire } from "./ollama-wire.ts";
import { openAiWire } from "./openai-wire.ts";
import { refusal } from "./transport-errors.ts";
import { post } from "./transport.ts";
import type { Knowledge } from "./ways.ts";
import { MAX_WAYS, firstWay, learned, nextWay } from "./ways.ts";
import type { Format, Way, Wire } from "./wire.ts";

/** The interfaces, by the name they have in the configuration. */
export const WIRES: Readonly<Record<HostConfig["api"], Wire>> = { openai: openAiWire, ollama: ollamaWire, anthropic: anthropicWire };

/** One model of one host. */
export interface HostModel {
  /**
   * Ask once. What the host doesn't take (a format, a word on thinking) is left out step by step after a 400 or 422, and what
   * worked is kept for the life of the model. Nothing else is ever sent twice.
   * @throws RuntimeError `model_*` with a fixed message; the signal's reason on abort.
   */
  ask(request: AgentRequest, signal: AbortSignal): Promise<HostResult>;
}

/** What one model of a host is made of. */
export interface HostModelNeeds {
  /** The name the host knows it under. */
  readonly id: string;
  readonly host: Pick<HostConfig, "api" | "url" | "key" | "keepAliveS">;
  readonly model: ModelConfig;
  /** Bytes a request and a response may each have. */
  readonly maxBytes: number;
}

/** Speak to one model of a host through its interface. */
export function createHostModel(needs: HostModelNeeds, clock: Clock): HostModel {
  const { id, host, model, maxBytes } = needs;
  const wire = WIRES[host.api];
  const url = wire.address(host.url);
  const key = host.key === null ? null : { secret: host.key, header: wire.keyHeader };
  let knowledge: Knowledge = { formats: wire.formats, think: true, limit: "max_tokens" };

  const ask = async (request: AgentRequest, way: Way, signal: AbortSignal): Promise<Asked> => {
    request.heard?.({ kind: "begin" });
    const answer = new AnswerBuilder(() => clock.monotonicMs(), request.heard);
    const body = JSON.stringify(wire.body({ id, model, keepAliveS: host.keepAliveS, request, way }));
    const posted = await post({ url, key, headers: wire.headers, body, maxBytes }, wire.reader(answer), signal);
    if (posted.kind !== "refused") return { kind: "result", result: answer.result(request.tools.length > 0) };
    return posted.fault.window === null ? posted : { kind: "result", result: posted.fault.window };
  };

  return {
    async ask(request, signal) {
      const first = firstWay(knowledge, { format: formatOf(request), think: model.think !== null });
      let way = first;
      for (let tries = 1; tries <= MAX_WAYS; tries += 1) {
        const asked = await ask(request, way, signal);
        if (asked.kind === "result") {
          if (asked.result.kind !== "answer") return asked.result;
          // Kept only when it worked: a 400 may have meant something else.
          knowledge = learned(knowledge, first, way);
          return { ...asked.result, asked: ASKED[way.format] };
        }
        const next = asked.status === 400 || asked.status === 422 ? nextWay(way, knowledge.formats, asked.fault.parameter) : null;
        if (next === null) throw refusal(asked.status);
        way = next;
      }
      throw new RuntimeError("internal", "Cannot ask the model: no way to ask is left");
    },
  };
}

type Asked =
  | { readonly kind: "result"; readonly result: HostResult }
  | { readonly kind: "refused"; readonly status: number; readonly fault: { readonly parameter: Parameters<typeof nextWay>[2] } };

/** The formats by the names that a trial gives them. */
const ASKED: Readonly<Record<Format, AnswerFormat>> = { json_schema: "schema", json_object: "json", none: "plain" };

function formatOf(request: AgentRequest): Format {
  if (request.format === "plain") return "none";
  return request.schema === undefined ? "json_object" : "json_schema";
}
