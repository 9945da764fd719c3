import { linkSignals, withDeadline } from "../foundation/cancellation.ts";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Secret } from "../foundation/secret.ts";
import { Semaphore } from "../foundation/semaphore.ts";
import type { Model } from "../vocabulary/model.ts";
import { CEILINGS } from "../vocabulary/limits.ts";
import type { Limits } from "../vocabulary/limits.ts";
import type { HostConfig, ModelPrice, ModelsConfig } from "./models-config.ts";
import { chatCompletionsUrl, createOpenAiModel } from "./openai.ts";

/** Calls that may wait for a slot; one more is refused with `capacity`. */
export const MAX_WAITING_CALLS: number = 1_024;

/** What the models need from outside. */
export interface ModelsNeeds extends ModelsConfig {
  readonly clock: Clock;
  readonly limits: Pick<Limits, "modelRequests" | "bodyBytes" | "modelDeadlineMs">;
  /** Speaks when no model is configured. */
  readonly understudy: Model;
}

/** What faces and checks may say about the configured model; it holds no secret. */
export interface ConfiguredModel {
  /** `host/model`. */
  readonly name: string;
  /** Where its requests go, without credentials and query. */
  readonly address: string;
  readonly price: ModelPrice | null;
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number;
  readonly deadlineMs: number;
}

/** The models of the runtime. Disposing it cancels every call that runs or waits. */
export interface Models extends Disposable {
  /**
   * The model that speaks: the configured one, else the understudy. A configured one that fails is never replaced. Its calls
   * share the runtime's slots (MC-078), and end at the host's deadline, waiting included (MC-053).
   */
  speaker(): Model;
  /** The configured model, or null: then the understudy speaks. */
  readonly configured: ConfiguredModel | null;
}

/**
 * Open the configured models; nothing is sent and nothing is looked for (MC-077). Ends when it is disposed or `signal` aborts.
 * @throws RuntimeError `invalid_argument` when the default model is missing or unknown, or an address and a key both carry credentials; `secret_invalid` when a key cannot stand in a header.
 */
export function openModels(needs: ModelsNeeds, signal: AbortSignal): Models {
  const life = linkSignals(signal);
  const chosen = choose(needs);
  const speaker = chosen === null ? needs.understudy : guarded(chosen, needs, life.signal);
  return {
    speaker: () => speaker,
    configured: chosen === null ? null : describe(chosen, needs),
    [Symbol.dispose]() {
      life.abort(new RuntimeError("closed", "Cannot ask the model: the runtime is closing"));
      life[Symbol.dispose]();
    },
  };
}

interface Chosen {
  readonly name: string;
  readonly id: string;
  readonly host: HostConfig;
  readonly model: HostConfig["models"] extends ReadonlyMap<string, infer Value> ? Value : never;
}

function choose(needs: ModelsNeeds): Chosen | null {
  const name = needs.defaultModel;
  if (name === null && needs.hosts.size === 0) return null;
  if (name === null)
    throw new RuntimeError("invalid_argument", "Cannot open the models: hosts are configured, but no model is the default");
  // The first slash parts host and model; names of models hold slashes themselves.
  const slash = name.indexOf("/");
  const host = needs.hosts.get(name.slice(0, Math.max(slash, 0)));
  const id = name.slice(slash + 1);
  const model = host?.models.get(id);
  if (host === undefined || model === undefined)
    throw new RuntimeError("invalid_argument", "Cannot open the models: the default is no configured host/model");
  if (host.key !== null && host.url.hasCredentials)
    throw new RuntimeError("invalid_argument", "Cannot open the models: the host has a key and credentials in its address; keep one");
  if (host.key !== null) checkHeader(host.key);
  return { name, id, host, model };
}

function checkHeader(key: Secret): void {
  if (!/^[\x21-\x7e]+$/.test(key.reveal())) {
    throw new RuntimeError(
      "secret_invalid",
      `Cannot use the secret from ${key.origin}: a key in a header holds no spaces and only ASCII characters`,
    );
  }
}

function deadlineOf(host: HostConfig, needs: ModelsNeeds): number {
  return Math.min(host.deadlineMs, needs.limits.modelDeadlineMs, CEILINGS.modelDeadlineMs);
}

function describe({ name, host, model }: Chosen, needs: ModelsNeeds): ConfiguredModel {
  const { price, contextTokens, maxOutputTokens } = model;
  return {
    name,
    address: chatCompletionsUrl(host.url).toString(),
    price,
    contextTokens,
    maxOutputTokens,
    deadlineMs: deadlineOf(host, needs),
  };
}

/** The model behind the slots, the deadline and the life of the runtime. */
function guarded(chosen: Chosen, needs: ModelsNeeds, life: AbortSignal): Model {
  const { name, id, host, model } = chosen;
  const maxBytes = Math.min(needs.limits.bodyBytes, CEILINGS.bodyBytes);
  const inner = createOpenAiModel({ name, id, url: host.url, key: host.key, model, maxBytes }, needs.clock);
  const slots = new Semaphore(Math.min(needs.limits.modelRequests, CEILINGS.modelRequests), MAX_WAITING_CALLS);
  return {
    ...inner,
    async generate(request, signal) {
      using owned = linkSignals(life, signal);
      using deadline = withDeadline(needs.clock, deadlineOf(host, needs), owned.signal);
      using _slot = await slots.acquire(deadline.signal);
      return await inner.generate(request, deadline.signal);
    },
  };
}
