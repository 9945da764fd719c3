import { linkSignals } from "../foundation/cancellation.ts";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Secret } from "../foundation/secret.ts";
import { Semaphore } from "../foundation/semaphore.ts";
import type { AgentModel, AgentRequest } from "../vocabulary/calls/agent-model.ts";
import type { CallMeter } from "../vocabulary/call-meter.ts";
import type { ModelPrice } from "../vocabulary/cost.ts";
import type { Limits } from "../vocabulary/limits.ts";
import { CEILINGS } from "../vocabulary/limits.ts";
import type { Model, ModelRequest } from "../vocabulary/model.ts";
import type { HostState } from "./host-list.ts";
import { HostList } from "./host-list.ts";
import { WIRES, createHostModel } from "./host-model.ts";
import { createHostedModel } from "./hosted-model.ts";
import type { HostedModel } from "./hosted-model.ts";
import type { HostConfig, ModelConfig, ModelsConfig } from "./models-config.ts";

/** Calls that may wait for a slot; one more is refused with `capacity`. */
export const MAX_WAITING_CALLS: number = 1_024;

/** What the models need from outside. */
export interface ModelsNeeds extends ModelsConfig {
  readonly clock: Clock;
  readonly limits: Pick<Limits, "modelRequests" | "bodyBytes" | "modelDeadlineMs">;
  /** Speaks when no model is configured. */
  readonly understudy: Model;
  /** Whether a model, by `host/model`, is never to be asked; read before each call. */
  readonly barred?: ((name: string) => boolean) | undefined;
  /** Told when a host goes down or is back. */
  readonly hostChanged?: (state: HostState) => void;
}

/** What faces and checks may say about a configured model; it holds no secret. */
export interface ConfiguredModel {
  /** `host/model`. */
  readonly name: string;
  /** Where its requests go, without credentials and query. */
  readonly address: string;
  readonly price: ModelPrice | null;
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number;
  /** Milliseconds a call may take, without and with the host loading the model. */
  readonly deadlineMs: number;
  readonly loadMs: number;
}

/** The models of the runtime. Disposing it cancels every call that runs or waits. */
export interface Models extends Disposable {
  /**
   * The model that speaks: the configured one, else the understudy. While its host is down the next of the list speaks; when none
   * of them can, the call fails: the understudy never stands in for one. Calls share the runtime's slots (MC-078), end at the
   * host's deadline, waiting included (MC-053), and are reserved with `meter` one by one.
   */
  speaker(meter: CallMeter): Model;
  /** The same hosts for a voice with tools; null when none is configured. */
  agent(meter: CallMeter): AgentModel | null;
  /** The configured models in the order in which they are asked; empty when the understudy speaks. */
  readonly configured: readonly ConfiguredModel[];
  /** What is known of each of them now, in the same order. */
  hosts(): readonly HostState[];
}

/**
 * Open the configured models; nothing is sent and nothing is looked for (MC-077). Ends when it is disposed or `signal` aborts.
 * @throws RuntimeError `invalid_argument` when a listed model is missing or unknown, or an address and a key both carry credentials; `secret_invalid` when a key cannot stand in a header.
 */
export function openModels(needs: ModelsNeeds, signal: AbortSignal): Models {
  const life = linkSignals(signal);
  const chosen = choose(needs);
  const slots = new Semaphore(Math.min(needs.limits.modelRequests, CEILINGS.modelRequests), MAX_WAITING_CALLS);
  const [first, ...others] = chosen.map((one) => hostedModel(one, slots, needs));
  const list =
    first === undefined ? null : new HostList([first, ...others], { clock: needs.clock, changed: needs.hostChanged ?? (() => {}) });
  const agent = (meter: CallMeter): AgentModel | null =>
    list === null || first === undefined ? null : agentOf(first.name, list, { meter, life: life.signal });
  return {
    speaker(meter) {
      const inner = agent(meter);
      return inner === null ? needs.understudy : packetsOnly(inner);
    },
    agent,
    configured: chosen.map(describe),
    hosts: () => list?.states() ?? [],
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
  readonly model: ModelConfig;
  readonly deadlineMs: number;
  readonly loadMs: number;
}

function choose(needs: ModelsNeeds): readonly Chosen[] {
  if (needs.defaultModel === null && needs.hosts.size === 0) return [];
  if (needs.defaultModel === null)
    throw new RuntimeError("invalid_argument", "Cannot open the models: hosts are configured, but no model is the default");
  return [needs.defaultModel, ...needs.fallbackModels].map((name) => chosenOf(name, needs));
}

function chosenOf(name: string, needs: ModelsNeeds): Chosen {
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
  const ceilingMs = Math.min(needs.limits.modelDeadlineMs, CEILINGS.modelDeadlineMs);
  const deadlineMs = Math.min(host.deadlineMs, ceilingMs);
  return { name, id, host, model, deadlineMs, loadMs: Math.min(host.loadMs, ceilingMs - deadlineMs) };
}

function checkHeader(key: Secret): void {
  if (!/^[\x21-\x7e]+$/.test(key.reveal())) {
    throw new RuntimeError(
      "secret_invalid",
      `Cannot use the secret from ${key.origin}: a key in a header holds no spaces and only ASCII characters`,
    );
  }
}

function describe({ name, host, model, deadlineMs, loadMs }: Chosen): ConfiguredModel {
  const { price, contextTokens, maxOutputTokens } = model;
  return { name, address: WIRES[host.api].address(host.url).toString(), price, contextTokens, maxOutputTokens, deadlineMs, loadMs };
}

function hostedModel({ name, id, host, model, deadlineMs, loadMs }: Chosen, slots: Semaphore, needs: ModelsNeeds): HostedModel {
  const maxBytes = Math.min(needs.limits.bodyBytes, CEILINGS.bodyBytes);
  const inner = createHostModel({ id, host, model, maxBytes }, needs.clock);
  return createHostedModel({
    name,
    host: { ...host, deadlineMs, loadMs },
    model,
    inner,
    slots,
    clock: needs.clock,
    barred: () => needs.barred?.(name) === true,
  });
}

function agentOf(name: string, list: HostList, { meter, life }: { readonly meter: CallMeter; readonly life: AbortSignal }): AgentModel {
  return {
    name,
    async converse(request, signal) {
      using owned = linkSignals(life, signal);
      return await list.ask(request, meter, owned.signal);
    },
  };
}

/** A model that takes packets and nothing else: no tools, no conversation (TR-031). */
function packetsOnly(agent: AgentModel): Model {
  return {
    name: agent.name,
    understudy: false,
    async generate(request, signal) {
      const answer = await agent.converse(conversationOf(request), signal);
      if (answer.kind === "window") return answer;
      const { calls: _never, ...said } = answer;
      return said;
    },
  };
}

function conversationOf({ prompt, ...request }: ModelRequest): AgentRequest {
  return { ...request, messages: [{ role: "user", text: prompt }], tools: [] };
}
