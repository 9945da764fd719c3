import { withDeadline } from "../foundation/cancellation.ts";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError, codeOf } from "../foundation/errors.ts";
import type { ErrorCode } from "../foundation/errors.ts";
import type { Semaphore } from "../foundation/semaphore.ts";
import type { AgentAnswer, AgentRequest } from "../vocabulary/calls/agent-model.ts";
import type { CallEstimate, CallMeter, CallReservation } from "../vocabulary/call-meter.ts";
import { costMicros } from "../vocabulary/cost.ts";
import type { ModelUsage, WindowExceeded } from "../vocabulary/model.ts";
import type { HostAnswer, HostResult } from "./answer-builder.ts";
import type { HostModel } from "./host-model.ts";
import type { HostConfig, ModelConfig } from "./models-config.ts";
import { fewestTokens, mostTokens } from "./tokens.ts";
import { outputTokens } from "./wire.ts";

/** Bytes of text for one token, where a host counts nothing: a low guess, so that the estimate is not below the truth for prose. */
const BYTES_PER_TOKEN = 3;
/** Tokens that hosts add around a message. */
const FRAME_TOKENS = 64;
/** Seconds that Ollama keeps a model loaded when nobody says otherwise. */
const STANDARD_KEEP_ALIVE_S = 300;
/** Failures that a host tells of, or shows, before it began to answer: it did no work that it could ask money for. */
export const COST_NOTHING: ReadonlySet<ErrorCode> = new Set([
  "model_unreachable",
  "model_refused_redirect",
  "model_status",
  "model_rejected",
  "model_rate_limited",
  "capacity",
]);

/** One configured model of one host, with its slots, its deadline, its price. */
export interface HostedModel {
  /** `host/model`. */
  readonly name: string;
  /**
   * Ask once, after the call was reserved with `meter`.
   * @throws RuntimeError `budget_spent`, `model_*`, `truncated_by_host`, `deadline`, `capacity`; the signal's reason on abort.
   */
  ask(request: AgentRequest, meter: CallMeter, signal: AbortSignal): Promise<Omit<AgentAnswer, "skipped"> | WindowExceeded>;
}

/** What one hosted model is made of. */
export interface HostedModelNeeds {
  readonly name: string;
  readonly host: Pick<HostConfig, "deadlineMs" | "loadMs" | "keepAliveS" | "api">;
  readonly model: ModelConfig;
  readonly inner: HostModel;
  readonly slots: Semaphore;
  readonly clock: Clock;
  /** Whether a trial showed that its host drops part of whatever it is sent: then it is asked nothing. */
  readonly barred?: (() => boolean) | undefined;
}

/** Put one model of a host behind its slots, its deadline and the meter. */
export function createHostedModel(needs: HostedModelNeeds): HostedModel {
  const { name, host, model, inner, slots, clock } = needs;
  let warmUntilMs = Number.NEGATIVE_INFINITY;

  /** A host that lately answered has the model in its memory: then nothing is added for loading it. */
  const patienceMs = (): number => host.deadlineMs + (clock.monotonicMs() < warmUntilMs ? 0 : host.loadMs);
  const warm = (): void => {
    const keepS = host.keepAliveS ?? STANDARD_KEEP_ALIVE_S;
    warmUntilMs = keepS < 0 ? Number.POSITIVE_INFINITY : clock.monotonicMs() + keepS * 1_000;
  };

  const reserved = async (request: AgentRequest, reservation: CallReservation, signal: AbortSignal): Promise<HostResult> => {
    try {
      using deadline = withDeadline(clock, patienceMs(), signal);
      using _slot = await slots.acquire(deadline.signal);
      return await inner.ask(request, deadline.signal);
    } catch (error) {
      if (COST_NOTHING.has(codeOf(error))) reservation.settle(null);
      throw error;
    }
  };

  return {
    name,
    async ask(request, meter, signal) {
      if (needs.barred?.() === true)
        throw new RuntimeError(
          "truncated_by_host",
          "Cannot ask the model: its host leaves out part of whatever it is sent, a trial showed",
        );
      const reservation = await meter.reserve(estimateOf(name, request, model), signal);
      const result = await reserved(request, reservation, signal);
      if (result.kind === "window") {
        reservation.settle(null);
        return result;
      }
      const usage =
        result.kind === "answer" ? usageOf(result, request) : result.usage === null ? null : { ...result.usage, estimated: false };
      const cost = usage === null ? null : costMicros(usage, model.price);
      if (usage !== null) reservation.settle({ usage, costMicros: cost });
      if (result.kind === "unusable") throw result.error;
      warm();
      checkWhole(result, request, host.api === "ollama" ? model.contextTokens : null);
      const { usage: _counted, ...answer } = result;
      return { ...answer, usage: usage ?? usageOf(result, request), costMicros: cost, by: name };
    },
  };
}

/** The most a call may come to, before anything is sent. */
function estimateOf(by: string, request: AgentRequest, model: ModelConfig): CallEstimate {
  // Without a price only the call counts, whatever its length.
  const texts = model.price === null ? [] : textsOf(request);
  const promptTokens = texts.reduce((sum, text) => sum + mostTokens(text) + FRAME_TOKENS, 0);
  return { by, price: model.price, promptTokens, completionTokens: outputTokens({ request, model }) };
}

function usageOf({ usage, text, calls }: HostAnswer, request: AgentRequest): ModelUsage {
  if (usage !== null) return { ...usage, estimated: false };
  const tokens = (texts: readonly string[]): number =>
    Math.ceil(texts.reduce((sum, one) => sum + Buffer.byteLength(one), 0) / BYTES_PER_TOKEN);
  return {
    promptTokens: tokens(textsOf(request)),
    completionTokens: tokens([text, ...calls.map((call) => call.arguments)]),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    estimated: true,
  };
}

/**
 * Refuse an answer to less than was asked: the host counted fewer tokens than the text has at the very least, or prompt and answer
 * together are more than the window it was given, so that the start was dropped while it spoke. `windowTokens` is null where the
 * window is not ours to set.
 * @throws RuntimeError `truncated_by_host`
 */
function checkWhole({ usage }: HostAnswer, request: AgentRequest, windowTokens: number | null): void {
  if (usage === null) return;
  // How tools and calls are written into the prompt is the host's own affair: only words count.
  const words = [request.system, ...request.messages.map(({ text }) => text)];
  const fewest = words.reduce((sum, text) => sum + fewestTokens(text), 0);
  const overWindow = windowTokens !== null && usage.promptTokens + usage.completionTokens > windowTokens;
  if (usage.promptTokens >= fewest && !overWindow) return;
  throw new RuntimeError(
    "truncated_by_host",
    `Cannot use the model's answer: its host read ${usage.promptTokens} tokens of at least ${fewest}, so part of the question was cut off; give it a larger window`,
  );
}

/** All text of a request, as the host gets it. */
function textsOf(request: AgentRequest): readonly string[] {
  return [
    request.system,
    ...request.messages.flatMap((message) =>
      message.role === "assistant" ? [message.text, ...message.calls.map((call) => call.arguments)] : [message.text],
    ),
    ...request.tools.map((tool) => `${tool.name} ${tool.description} ${JSON.stringify(tool.parameters)}`),
  ];
}
