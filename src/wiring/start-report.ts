import type { ComposeOptions } from "./compose-options.ts";
import { roomsOf } from "../config/config.ts";
import { listTriggers } from "../config/checking/triggers.ts";
import type { StartReport } from "../operations/runtime-face.ts";
import type { ModelKnowledge } from "./trying/model-knowledge.ts";
import type { Store } from "../store/store.ts";
import type { Recovered } from "../road/road.ts";
import type { Model } from "../vocabulary/model.ts";

/** What a start tells of itself: the model or its absence, who may trigger what, what an earlier process left (TR-086). */
export function startReport(
  options: ComposeOptions,
  { model, known }: { readonly model: Pick<Model, "name" | "understudy">; readonly known: Pick<ModelKnowledge, "trial" | "barred"> },
  { recovered, store }: { readonly recovered: Recovered; readonly store: Store },
): StartReport {
  const config = options.config.current();
  return {
    model: model.understudy ? null : model.name,
    trial: known.barred(model.name) ? "barred" : known.trial(model.name) === null ? "untried" : "fit",
    traces: config.traces?.url.origin ?? null,
    triggers: listTriggers(config).map(({ surface, answered, command }) => ({
      surface,
      who: surface === "terminal" ? answered : `${answered}; command: ${command}`,
    })),
    open: roomsOf(config).flatMap(({ name, outside, door }) => (outside === null ? [] : [{ surface: name, url: outside.origin, door }])),
    stateDirectory: config.stateDirectory,
    config: options.configName,
    halted: store.read.halted() !== null,
    recovered,
  };
}
