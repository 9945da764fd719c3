import type { ComposeOptions } from "./compose-options.ts";
import { roomsOf } from "../config/config.ts";
import { listTriggers } from "../config/triggers.ts";
import type { StartReport } from "../operations/runtime-face.ts";
import type { Recovered } from "../road/road.ts";
import type { Model } from "../vocabulary/model.ts";

/** What a start tells of itself: the model or its absence, who may trigger what, what an earlier process left (TR-086). */
export function startReport(options: ComposeOptions, model: Pick<Model, "name" | "understudy">, recovered: Recovered): StartReport {
  const config = options.config.current();
  return {
    model: model.understudy ? null : model.name,
    triggers: listTriggers(config).map(({ surface, answered, command }) => ({
      surface,
      who: surface === "terminal" ? answered : `${answered}; command: ${command}`,
    })),
    open: roomsOf(config).flatMap(({ name, outside, door }) => (outside === null ? [] : [{ surface: name, url: outside.origin, door }])),
    stateDirectory: config.stateDirectory,
    config: options.configName,
    recovered,
  };
}
