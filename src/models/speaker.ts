import type { Clock } from "../foundation/clock.ts";
import type { AgentModel } from "../vocabulary/calls/agent-model.ts";
import type { CallMeter } from "../vocabulary/call-meter.ts";
import type { Limits } from "../vocabulary/limits.ts";
import type { Model } from "../vocabulary/model.ts";
import type { Watch } from "./availability.ts";
import { createWatch } from "./availability.ts";
import type { HostState } from "./host-list.ts";
import { meteredModel } from "./metered-model.ts";
import type { ModelsConfig } from "./models-config.ts";
import type { Models } from "./models.ts";
import { openModels } from "./models.ts";
import { createUnderstudy } from "./understudy.ts";

/** The model that speaks, watched: the configured one, or the understudy when there is none. */
export interface Speaker extends Disposable, Omit<Watch, "over">, Pick<Models, "configured" | "hosts"> {
  /** What speaks: nothing can be asked through this. */
  readonly model: Pick<Model, "name" | "understudy">;
  /** The model itself, with whoever pays for its calls; the understudy costs nothing and is not counted. */
  voice(meter: CallMeter): Model;
  /** The same for a voice with tools; null when no host is configured, or a model was given that takes packets alone. */
  agent(meter: CallMeter): AgentModel | null;
}

/** Open the speaker of this configuration, or take the model that is given instead. Ends with `signal` or by disposal. */
export function openSpeaker(
  needs: {
    config: ModelsConfig;
    clock: Clock;
    limits: Limits;
    model?: Model | undefined;
    hostChanged?: (state: HostState) => void;
    barred?: ((name: string) => boolean) | undefined;
  },
  signal: AbortSignal,
): Speaker {
  const { config, clock, limits, model: given, hostChanged, barred } = needs;
  const understudy = createUnderstudy(clock);
  const models = openModels(
    { ...config, clock, limits, understudy, barred, ...(hostChanged === undefined ? {} : { hostChanged }) },
    signal,
  );
  const model = given ?? (models.configured[0] === undefined ? understudy : { name: models.configured[0].name, understudy: false });
  const watch = createWatch(model, clock);
  const voice = (meter: CallMeter): Model =>
    given === undefined ? models.speaker(meter) : given.understudy ? given : meteredModel(given, meter);
  return {
    state: () => watch.state(),
    firstTokenMs: () => watch.firstTokenMs(),
    subscribe: (listener) => watch.subscribe(listener),
    model: { name: model.name, understudy: model.understudy },
    configured: models.configured,
    hosts: () => models.hosts(),
    voice: (meter) => watch.over(voice(meter)),
    agent: (meter) => (given === undefined ? models.agent(meter) : null),
    [Symbol.dispose]: () => models[Symbol.dispose](),
  };
}
