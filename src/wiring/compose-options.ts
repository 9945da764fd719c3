import type { Tool } from "../agents/tools/tool.ts";
import type { ConfigSource } from "../config/config.ts";
import type { Clock } from "../foundation/clock.ts";
import type { IdSource } from "../foundation/ids.ts";
import type { Log } from "../foundation/log.ts";
import type { Redactor } from "../foundation/redact.ts";
import type { LogFile } from "../observe/log-file.ts";
import type { Traces } from "../observe/traces.ts";
import type { Surface } from "../surfaces/surface.ts";
import type { Limits } from "../vocabulary/limits.ts";
import type { Model } from "../vocabulary/model.ts";

/** The floors everything stands on, and what a test or a bench may set otherwise. */
export interface ComposeOptions {
  readonly config: ConfigSource;
  /** The configuration's name for people. */
  readonly configName: string;
  readonly floor: {
    readonly clock: Clock;
    readonly ids: IdSource;
    readonly log: Log;
    readonly redactor: Redactor;
    readonly limits: Limits;
  };
  readonly process: { readonly version: string; readonly pid: number; readonly startedAtMs: number };
  /** Where spans go; nowhere where it is left out. */
  readonly traces?: Traces;
  /** The file that log lines go to, for its counts; absent where they go to standard error. */
  readonly logFile?: Pick<LogFile, "dropped" | "rotations">;
  /** Folder of the built page. */
  readonly page: string;
  /** Take an older copy of the database, without its authority (SE-099). */
  readonly restored?: boolean;
  /** Surfaces beside the configured ones; only `testing/` and `bench/` have any. */
  readonly moreSurfaces?: (signal: AbortSignal) => Promise<readonly Surface[]>;
  /** Tools beside the program's own; only `testing/` has any. */
  readonly moreTools?: readonly Tool[];
  /** A model in place of the configured one; only `testing/` and `bench/` have one. */
  readonly model?: Model;
}
