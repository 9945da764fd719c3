import type { Finding } from "../../config/checking/check-config.ts";
import type { LoadOptions, LoadedConfig } from "../../config/load.ts";
import { loadConfig } from "../../config/load.ts";
import { knownTrial, withTrial } from "../../config/model-trials.ts";
import { writeStateFile } from "../../config/writing/write-setup.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { Line } from "../../foundation/line.ts";
import { printable } from "../../foundation/printable.ts";
import type { ModelTrial } from "../../vocabulary/model-trial.ts";
import type { ModelBench } from "../setup/model-bench.ts";
import { trialFindings } from "../setup/trial-lines.ts";

/** What looking at the models works with. */
export interface CheckModelsNeeds {
  readonly options: LoadOptions;
  readonly bench: ModelBench;
  /** Send them real packets now; else only what is known is told. */
  readonly connect: boolean;
  /** Told of each step while a model is tried. */
  readonly told: (line: Line) => void;
}

/** What is known of the configured models, in their order. */
export interface ModelsReport {
  readonly findings: readonly Finding[];
  readonly trials: readonly ModelTrial[];
}

const NOTHING: ModelsReport = { findings: [], trials: [] };

/**
 * Tell what trials found out about each model that may answer, after trying each anew if that was asked for; what is found is
 * kept in the state folder, and a running process goes by it from its next message. A configuration that cannot be read has no models.
 * @throws RuntimeError `state_unwritable`, `disk_full`; the signal's reason on abort.
 */
export async function checkModels(needs: CheckModelsNeeds, signal: AbortSignal): Promise<ModelsReport> {
  const loaded = load(needs.options);
  if (loaded === null) return NOTHING;
  const { defaultModel, fallbackModels } = loaded.config.models;
  const names = [defaultModel, ...fallbackModels].filter((name) => name !== null);
  const findings: Finding[] = [];
  const trials: ModelTrial[] = [];
  for (const name of names) {
    const found = needs.connect ? await tryNow(name, loaded, needs, signal) : known(name, loaded);
    findings.push(...found.findings);
    trials.push(...found.trials);
  }
  return { findings, trials };
}

function load(options: LoadOptions): LoadedConfig | null {
  try {
    return loadConfig(options);
  } catch (error) {
    // The report has told of it already.
    if (error instanceof RuntimeError) return null;
    throw error;
  }
}

function known(name: string, { config }: LoadedConfig): ModelsReport {
  const host = config.models.hosts.get(name.slice(0, name.indexOf("/")));
  const trial = host === undefined ? null : knownTrial(config.stateDirectory, name, host);
  if (trial !== null) return { findings: findingsOf(trial), trials: [trial] };
  const message = "not tried as it is configured now: check sends nothing";
  return {
    findings: [{ level: "ok", path: printable(name), line: null, message, cure: "troupe check --connect sends it real packets" }],
    trials: [],
  };
}

async function tryNow(name: string, { config }: LoadedConfig, needs: CheckModelsNeeds, signal: AbortSignal): Promise<ModelsReport> {
  const host = config.models.hosts.get(name.slice(0, name.indexOf("/")));
  const [character] = config.characters.values();
  if (host === undefined || character === undefined) return NOTHING;
  const outcome = await needs.bench.tryOut({ name, host, character }, needs.told, signal);
  if (outcome.kind === "failed")
    return { findings: [{ level: "error", path: printable(name), line: null, message: printable(outcome.why), cure: "" }], trials: [] };
  writeStateFile(config.stateDirectory, withTrial(config.stateDirectory, outcome.trial, host));
  return { findings: findingsOf(outcome.trial), trials: [outcome.trial] };
}

function findingsOf(trial: ModelTrial): readonly Finding[] {
  const when = new Date(trial.atMs).toISOString().slice(0, 10);
  return trialFindings(trial).map(({ level, message, cure }, at) => ({
    level,
    path: printable(trial.model),
    line: null,
    message: at === 0 ? `${message} (tried ${when})` : message,
    cure,
  }));
}
