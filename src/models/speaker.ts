import type { Clock } from "../foundation/clock.ts";
import type { Limits } from "../vocabulary/limits.ts";
import type { Model } from "../vocabulary/model.ts";
import type { WatchedModel } from "./availability.ts";
import { watchModel } from "./availability.ts";
import type { ModelsConfig } from "./models-config.ts";
import { openModels } from "./models.ts";
import { createUnderstudy } from "./understudy.ts";

/** The one model that speaks, watched: the configured one, or the understudy when there is none. */
export type Speaker = WatchedModel & Disposable;

/** Open the speaker of this configuration, or watch the model that is given instead. Ends with `signal` or by disposal. */
export function openSpeaker(
  needs: { config: ModelsConfig; clock: Clock; limits: Limits; model?: Model | undefined },
  signal: AbortSignal,
): Speaker {
  const models = openModels(
    { ...needs.config, clock: needs.clock, limits: needs.limits, understudy: createUnderstudy(needs.clock) },
    signal,
  );
  const watched = watchModel(needs.model ?? models.speaker(), needs.clock);
  return { ...watched, [Symbol.dispose]: () => models[Symbol.dispose]() };
}
