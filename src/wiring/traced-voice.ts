import { keyedId } from "../foundation/ids.ts";
import type { Span, SpanFacts, Traces } from "../observe/traces.ts";
import type { Voice } from "../road/3-turns/voice.ts";
import type { TurnId } from "../vocabulary/ids.ts";
import type { Model } from "../vocabulary/model.ts";
import type { Turn } from "../vocabulary/turn.ts";

/** Puts a span around each turn, and one within it around each call of a model. */
export interface TracedVoices {
  voice(inner: Voice): Voice;
  /** The same model, whose calls are part of that turn's trace. */
  model(turn: Turn, inner: Model): Model;
}

/** Where nothing is traced, nothing is computed for it either. */
export const UNTRACED: TracedVoices = { voice: (inner) => inner, model: (_turn, inner) => inner };

/** What traces stand on: where a span goes, and the key that hides which place and person an id stands for. */
export interface TracedVoicesNeeds {
  readonly traces: Traces;
  readonly key: Uint8Array;
  /** How a host is spoken to, by `host/model`. */
  readonly apiOf: (name: string) => string | undefined;
}

/** Trace voices. Nothing of anybody's words gets near a span, nor who spoke where: a conversation shows as a keyed hash. */
export function traceVoices({ traces, key, apiOf }: TracedVoicesNeeds): TracedVoices {
  const spans = new Map<TurnId, Span>();
  return {
    voice: (inner) => ({
      run: (turn, signal) =>
        traces.run(turn.id, `invoke_agent ${turn.character}`, factsOf(turn, key), async (span) => {
          spans.set(turn.id, span);
          try {
            const outcome = await inner.run(turn, signal);
            span.set({ "troupe.outcome": outcome.kind, "troupe.packet.bytes": outcome.record.packet?.bytes });
            return outcome;
          } finally {
            spans.delete(turn.id);
          }
        }),
    }),
    model(turn, inner) {
      const span = spans.get(turn.id);
      if (span === undefined) return inner;
      return {
        ...inner,
        generate: (request, signal) => {
          const facts: Partial<SpanFacts> = { "gen_ai.operation.name": "chat", "gen_ai.request.max_tokens": request.maxOutputTokens };
          return span.child(`chat ${modelOf(inner.name)}`, "client", { ...facts, ...nameFacts(inner.name, apiOf) }, async (call) => {
            const answer = await inner.generate(request, signal);
            if (answer.kind === "window") call.set({ "troupe.outcome": "window" });
            else
              call.set({
                // Another host of the list may have answered.
                ...nameFacts(answer.by, apiOf),
                "gen_ai.usage.input_tokens": answer.usage.promptTokens,
                "gen_ai.usage.output_tokens": answer.usage.completionTokens,
                "troupe.first_token_ms": Math.round(answer.firstTokenMs),
              });
            return answer;
          });
        },
      };
    },
  };
}

function factsOf(turn: Turn, key: Uint8Array): Partial<SpanFacts> {
  return {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.id": turn.character,
    "gen_ai.conversation.id": keyedId(key, `trace ${turn.place.id}`),
    "troupe.turn.id": turn.id,
    "troupe.turn.attempt": turn.attempt,
  };
}

function nameFacts(name: string, apiOf: (name: string) => string | undefined): Partial<SpanFacts> {
  return { "gen_ai.provider.name": apiOf(name) ?? "understudy", "gen_ai.request.model": modelOf(name) };
}

function modelOf(name: string): string {
  return name.slice(name.indexOf("/") + 1);
}
