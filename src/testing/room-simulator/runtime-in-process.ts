import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Composed } from "../../compose.ts";
import { compose } from "../../compose.ts";
import { loadConfig } from "../../config/load.ts";
import { openConfigSource } from "../../config/reload.ts";
import { randomIds } from "../../foundation/ids.ts";
import { createLog } from "../../foundation/log.ts";
import { createRedactor } from "../../foundation/redact.ts";
import { Secret } from "../../foundation/secret.ts";
import { LOCAL_ACTOR } from "../../operations/local-actor.ts";
import { parseTurnId, partIdOf } from "../../vocabulary/ids.ts";
import type { Limits } from "../../vocabulary/limits.ts";
import { CEILINGS } from "../../vocabulary/limits.ts";
import type { ManualClock } from "../manual-clock.ts";
import type { SimulatedModel } from "./simulated-model.ts";
import type { SimulatedPlatform } from "./simulated-platform.ts";
import { accountOf } from "./simulated-platform.ts";

/** What a runtime in this process stands on. */
export interface RuntimeInProcessOptions {
  /** A folder of its own, which may hold what an earlier life left. */
  readonly folder: string;
  /** Its configuration, as `troupe.yaml` would have it. */
  readonly configuration: string;
  readonly clock: ManualClock;
  readonly platforms: readonly SimulatedPlatform[];
  readonly model: SimulatedModel;
  /** Values that may never be said. */
  readonly secrets?: readonly string[];
  readonly limits?: Partial<Limits>;
  /** Gets every line of the log, at its lowest level. */
  readonly log: string[];
  /** Milliseconds by which time moves at least when it moves on; 1 by default. */
  readonly stepMs?: number;
}

/** Rounds without anything happening after which everything has happened: no two steps of a turn are further apart. */
const QUIET_ROUNDS = 3;
/** The id of a part that is never there: asking for it changes nothing and comes back after all that was asked before. */
const NO_PART = partIdOf(parseTurnId("t-0000"), 0);

/** Lines of the log that stand for a notice to operators. */
const NOTICE = /\bnotice\b.*?\bkind\W+([a-z_]+)/;

/** The whole product on a manual clock, but for surfaces and model. Disposing it is a stop: nothing that runs is finished. */
export class RuntimeInProcess implements AsyncDisposable {
  readonly composed: Composed;
  readonly #options: RuntimeInProcessOptions;
  readonly #stop: AbortController;

  private constructor(options: RuntimeInProcessOptions, composed: Composed, stop: AbortController) {
    this.#options = options;
    this.composed = composed;
    this.#stop = stop;
  }

  /** Compose and open it. Ends with its disposal. */
  static async open(options: RuntimeInProcessOptions): Promise<RuntimeInProcess> {
    const { folder, clock, log, platforms } = options;
    await writeFile(join(folder, "troupe.yaml"), options.configuration);
    const loadOptions = { cwd: folder, environment: {} };
    const first = loadConfig(loadOptions);
    const redactor = createRedactor((options.secrets ?? []).map((value, at) => Secret.parse(value, `secret ${at}`)));
    const stop = new AbortController();
    const composed = await compose(
      {
        config: openConfigSource({ options: loadOptions, first, clock, notify: () => {} }),
        configName: first.name,
        floor: {
          clock,
          ids: randomIds,
          log: createLog({ clock, level: "debug", redactor, sink: (line) => log.push(line) }),
          redactor,
          limits: { ...CEILINGS, ...options.limits },
        },
        process: { version: "test", pid: process.pid, startedAtMs: clock.nowMs() },
        page: join(folder, "no-page"),
        moreSurfaces: () => Promise.resolve(platforms.map((platform) => platform.connect())),
        model: options.model.port,
      },
      stop.signal,
    );
    const runtime = new RuntimeInProcess(options, composed, stop);
    await runtime.settle();
    return runtime;
  }

  /** Let everything happen that can without time passing, what the store's own thread does among it. */
  async settle(): Promise<void> {
    const { clock } = this.#options;
    for (let quiet = 0; quiet < QUIET_ROUNDS;) {
      const before = this.#activity();
      await this.composed.store.claim(NO_PART, 0);
      await clock.advance(0);
      quiet = this.#activity() === before ? quiet + 1 : 0;
    }
  }

  /** Let time pass, timer by timer, and let everything happen on the way. */
  async pass(ms: number): Promise<void> {
    const { clock, stepMs = 1 } = this.#options;
    await this.settle();
    for (let left = ms; left > 0;) {
      const due = clock.nextDueMs;
      const step = due === null || due > left ? left : Math.min(left, Math.max(stepMs, due));
      await clock.advance(step);
      await this.settle();
      left -= step;
    }
  }

  /** Put accounts of the platforms on the trust list, as the owner would. */
  async trust(accounts: readonly string[]): Promise<void> {
    for (const from of accounts) {
      const change = { person: accountOf(from, false), yes: true };
      await this.composed.operations.run("trust", change, LOCAL_ACTOR, this.#stop.signal);
    }
  }

  /** The kind of each notice to operators, in order, as the log has them. */
  notices(): readonly string[] {
    return this.#options.log.flatMap((line) => NOTICE.exec(line)?.[1] ?? []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const platform of this.#options.platforms) platform.disconnect();
    await this.composed[Symbol.asyncDispose]();
    this.#stop.abort();
  }

  #activity(): number {
    const { clock, model, platforms } = this.#options;
    return platforms.reduce((sum, { activity }) => sum + activity, clock.timersSet + model.activity);
  }
}
