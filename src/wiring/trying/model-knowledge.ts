import type { Config } from "../../config/config.ts";
import { modelTrials } from "../../config/model-trials.ts";
import type { Speaker } from "../../models/speaker.ts";
import { openSpeaker } from "../../models/speaker.ts";
import type { ModelTrial } from "../../vocabulary/model-trial.ts";
import { maySpeak } from "../../vocabulary/model-trial.ts";
import type { Notices } from "../../observe/notices.ts";
import { noteFallback } from "../notices.ts";
import type { ComposeOptions } from "../compose-options.ts";

/** What trials found out about the configured models, read anew when their file changes: a trial counts from the next turn. */
export interface ModelKnowledge {
  /** Whether a trial showed that a model's host drops part of whatever it is sent. */
  barred(name: string): boolean;
  /** What the next packet has to suit: the form that the model now asked keeps, and a length that every model of the list gets whole. */
  habits(down: (name: string) => boolean): {
    readonly contract: "lean" | "plain";
    readonly asksForSchema: boolean;
    readonly packetBytes: number | null;
  };
  /** The trial of a model as it is configured; null when there is none. */
  trial(name: string): ModelTrial | null;
}

/** Know the models of this configuration. Hosts are those of the start: they change with the next one. */
function modelKnowledge(options: Pick<ComposeOptions, "config" | "floor">): ModelKnowledge {
  const config = (): Config => options.config.current();
  const trials = modelTrials(config().stateDirectory, options.floor.clock);
  const trial = (name: string): ModelTrial | null => {
    const host = config().models.hosts.get(name.slice(0, name.indexOf("/")));
    return host === undefined ? null : trials.of(name, host);
  };
  return {
    trial,
    barred(name) {
      const known = trial(name);
      return known !== null && !maySpeak(known);
    },
    habits(down) {
      const { defaultModel, fallbackModels } = config().models;
      const names = [defaultModel, ...fallbackModels].filter((name) => name !== null);
      const tried = names.map(trial).filter((one) => one !== null && maySpeak(one));
      const now = names.find((name) => !down(name)) ?? names[0];
      const format = now === undefined ? null : (trial(now)?.format ?? null);
      const lengths = tried.flatMap((one) => one?.packetBytes ?? []);
      return {
        contract: format === "plain" ? "plain" : "lean",
        asksForSchema: format !== "json",
        packetBytes: lengths.length === 0 ? null : Math.min(...lengths),
      };
    },
  };
}

/** What speaks, and what is known of it. */
export interface KnownSpeaker extends Speaker {
  readonly known: ModelKnowledge;
}

/** Open what speaks by this configuration; a model that a trial barred is never asked. Hosts that go and come are told to the operator's notices. Ends with `signal` or by disposal. */
export function openKnownSpeaker(options: ComposeOptions, notices: Pick<Notices, "note">, signal: AbortSignal): KnownSpeaker {
  const { clock, limits } = options.floor;
  const known = modelKnowledge(options);
  const config = options.config.current().models;
  const hostChanged = noteFallback(config, notices);
  return {
    known,
    ...openSpeaker({ config, clock, limits, model: options.model, hostChanged, barred: (name) => known.barred(name) }, signal),
  };
}
