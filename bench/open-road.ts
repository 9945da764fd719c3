import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { compose } from "../src/compose.ts";
import type { Config, ConfigSource } from "../src/config/config.ts";
import { loadConfig } from "../src/config/load.ts";
import { openConfigSource } from "../src/config/reload.ts";
import type { Clock } from "../src/foundation/clock.ts";
import { systemClock } from "../src/foundation/clock.ts";
import { randomIds } from "../src/foundation/ids.ts";
import { createLog } from "../src/foundation/log.ts";
import { createRedactor } from "../src/foundation/redact.ts";
import { answered } from "../src/testing/answered.ts";
import { CEILINGS } from "../src/vocabulary/limits.ts";
import type { Model } from "../src/vocabulary/model.ts";
import type { PrincipalId } from "../src/vocabulary/principal.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../src/vocabulary/principal.ts";
import { InstantSurface } from "./instant-surface.ts";

const CONFIG = `
characters:
  mirelle: { name: Mirelle, description: "Keeps the inn at the ferry and knows everybody who crosses." }
surfaces:
  inn: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
`;
const ANSWER = JSON.stringify({ action_label: "speak", visible_action: "", spoken_text: "The ferry runs at six, if the fog allows." });
/** More than any run uses: budgets are counted and kept as always, and stop nobody. */
const NO_LIMIT = 1e12;
const MAX_COMPLAINTS = 20;

/** What a measurement may set. */
export interface BenchRoadOptions {
  /** How long the model takes for each answer. */
  readonly thinkMs: number;
  /** A state folder that is there already, in a folder of its own; without it a fresh one is made. Both go with the road. */
  readonly state?: string;
  readonly clock?: Clock;
  /** People to put on the trust list first; strangers share what is left of the turns. */
  readonly trusted?: readonly PrincipalId[];
}

/** The whole runtime with a surface and a model of the bench: everything else is the product's own, composed as it composes itself. */
export interface BenchRoad extends AsyncDisposable {
  readonly surface: InstantSurface;
  /** Path of the database. */
  readonly database: string;
  /** How long it took from opening the state folder until the surfaces were open. */
  readonly openedMs: number;
  /** Turns that wait for the model now. */
  readonly thinking: () => number;
  /** Wait until no turn runs. */
  readonly idle: () => Promise<void>;
  /** End it in order, and leave the folder until the road is disposed. */
  readonly close: () => Promise<void>;
}

/** A person of the bench, under a platform account of 47 characters: the key of their place has 70. */
export function benchPerson(number: number): PrincipalId {
  return parsePrincipalId(`scripted:p${String(number).padStart(45, "0")}`);
}

/** Open it on a folder of its own. */
export async function openBenchRoad(options: BenchRoadOptions): Promise<BenchRoad> {
  const folder = options.state === undefined ? await mkdtemp(join(tmpdir(), "troupe-bench-")) : dirname(options.state);
  const state = options.state ?? join(folder, ".troupe");
  const clock = options.clock ?? systemClock;
  const stop = new AbortController();
  await writeFile(join(folder, "troupe.yaml"), CONFIG);

  const surface = new InstantSurface(clock, stop.signal);
  const model = new TimedModel(clock, options.thinkMs);
  const fromMs = performance.now();
  const runtime = await compose(
    {
      config: withoutLimits(folder, state, clock),
      configName: "troupe.yaml",
      floor: { clock, ids: randomIds, log: complainingLog(clock), redactor: createRedactor([]), limits: CEILINGS },
      process: { version: "bench", pid: process.pid, startedAtMs: clock.nowMs() },
      page: folder,
      moreSurfaces: () => Promise.resolve([surface]),
      model,
    },
    stop.signal,
  );
  const openedMs = performance.now() - fromMs;
  const trust = (person: PrincipalId): Promise<void> =>
    runtime.store.setTrust({ person, role: "trusted", by: LOCAL_OWNER, atMs: clock.nowMs() });
  await Promise.all((options.trusted ?? []).map(trust));

  const end = async (): Promise<void> => {
    await runtime[Symbol.asyncDispose]();
    stop.abort();
  };
  let closed: Promise<void> | null = null;
  const close = (): Promise<void> => (closed ??= end());
  return {
    surface,
    database: join(state, "troupe.db"),
    openedMs,
    thinking: () => model.thinking,
    idle: () => runtime.idle(),
    close,
    async [Symbol.asyncDispose]() {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Says the same thing after a fixed time. */
class TimedModel implements Model {
  readonly name = "bench/model";
  readonly understudy = false;
  thinking = 0;
  readonly #clock: Clock;
  readonly #thinkMs: number;

  constructor(clock: Clock, thinkMs: number) {
    this.#clock = clock;
    this.#thinkMs = thinkMs;
  }

  async generate(_request: unknown, signal: AbortSignal): ReturnType<Model["generate"]> {
    this.thinking += 1;
    try {
      if (this.#thinkMs > 0) await this.#clock.sleep(this.#thinkMs, signal);
      return answered(ANSWER, { firstTokenMs: this.#thinkMs, by: this.name });
    } finally {
      this.thinking -= 1;
    }
  }
}

/** The configuration with budgets that nobody uses up. */
function withoutLimits(folder: string, state: string, clock: Clock): ConfigSource {
  const loadOptions = { cwd: folder, environment: { TROUPE_STATE: state } };
  const source = openConfigSource({ options: loadOptions, first: loadConfig(loadOptions), clock, notify: () => {} });
  let raised: { readonly from: Config; readonly to: Config } | null = null;
  return {
    current() {
      const config = source.current();
      if (raised?.from !== config) {
        const budgets = Object.fromEntries(Object.keys(config.budgets).map((key) => [key, NO_LIMIT])) as unknown as Config["budgets"];
        raised = { from: config, to: { ...config, budgets } };
      }
      return raised.to;
    },
    reload: () => source.reload(),
  };
}

/** What goes wrong stands in the failed measurement's output, the first few times. */
function complainingLog(clock: Clock): ReturnType<typeof createLog> {
  let complaints = 0;
  const sink = (line: string): void => {
    if (complaints++ < MAX_COMPLAINTS) process.stderr.write(line);
  };
  return createLog({ clock, level: "warn", redactor: createRedactor([]), sink });
}
