import type { ModelHostConfig } from "../../config/config.ts";
import type { ErrorCode } from "../../foundation/errors.ts";
import type { Line } from "../../foundation/line.ts";
import type { Secret } from "../../foundation/secret.ts";
import type { ModelTrial } from "../../vocabulary/model-trial.ts";

/** A model server as it is spoken to. */
export interface ServerAddress {
  readonly api: ModelHostConfig["api"];
  readonly url: string;
  readonly key: Secret | null;
}

/** A model server that answered on a port of this computer. */
export interface FoundServer {
  /** What it seems to be: `Ollama`. */
  readonly name: string;
  /** A name for it in the configuration. */
  readonly host: string;
  readonly api: ModelHostConfig["api"];
  readonly url: string;
  /** The models it says it has; only names that the configuration takes. */
  readonly models: readonly string[];
}

/** A model to be tried, as it is or would be configured. */
export interface Candidate {
  /** `host/model`. */
  readonly name: string;
  readonly host: ModelHostConfig;
  /** Who speaks in the trial's first packet. */
  readonly character: { readonly name: string; readonly description: string };
}

/** What came of a trial. */
export type TrialOutcome =
  | {
      readonly kind: "tried";
      readonly trial: ModelTrial;
      /** What it said to a newcomer's greeting; "" for nothing. */
      readonly said: string;
    }
  /** It could not be tried: why, in words that are safe to print. */
  | { readonly kind: "failed"; readonly code: ErrorCode; readonly why: string };

/** Looks for models and tries them. Nothing is sent before one of these is called. */
export interface ModelBench {
  /** The ports that {@link ModelBench.look} looks at. */
  readonly ports: readonly number[];
  /** Ask each of those ports of this computer whether a model server answers: only on a person's word (TR-072). */
  look(signal: AbortSignal): Promise<readonly FoundServer[]>;
  /** The models a server says it has; empty when it does not say. */
  modelsOf(server: ServerAddress, signal: AbortSignal): Promise<readonly string[]>;
  /** Send real packets to one model and say what it can do. `told` hears of each step. @throws the signal's reason on abort. */
  tryOut(candidate: Candidate, told: (line: Line) => void, signal: AbortSignal): Promise<TrialOutcome>;
}
