import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import { stampOf } from "./files/bounded-file.ts";
import type { ConfigSource, ReloadResult } from "./config.ts";
import type { LoadOptions, LoadedConfig } from "./load.ts";
import { loadConfig } from "./load.ts";
import type { ConfigProblem } from "./problem.ts";
import { ConfigInvalid, showPath } from "./problem.ts";
import type { RawConfig, RawSurface } from "./schema/raw-config.ts";
import { configKeys } from "./schema/registry.ts";
import { resolveConfig } from "./resolving/resolve-config.ts";

/** Least time between two looks at the file. */
const LOOK_EVERY_MS = 500;
/** Waiting keys that are named, at most. */
const MAX_WAITING = 32;

/** What a source of configuration needs. */
export interface ReloadNeeds {
  readonly options: LoadOptions;
  /** What the start loaded; in force until the file changes. */
  readonly first: LoadedConfig;
  readonly clock: Clock;
  /** Told once of each changed file: that it is in force, or why it is not (TR-006). */
  readonly notify: (result: Exclude<ReloadResult, { kind: "unchanged" }>) => void;
}

/**
 * Watch the file on use, without a timer: keys whose moment is `next message` follow it, the others keep the value of the
 * start. A file that breaks a rule changes nothing, and neither does one that went away; but where its rules over calls cannot be
 * used, every call is denied until they can. The built-in example never changes.
 */
export function openConfigSource(needs: ReloadNeeds): ConfigSource {
  return new WatchedConfig(needs);
}

class WatchedConfig implements ConfigSource {
  readonly #needs: ReloadNeeds;
  #inForce: LoadedConfig;
  #stamp: string | null;
  #last: ReloadResult = { kind: "unchanged" };
  #lookedAtMs: number;

  constructor(needs: ReloadNeeds) {
    this.#needs = needs;
    this.#inForce = needs.first;
    this.#stamp = needs.first.file?.stamp ?? null;
    this.#lookedAtMs = needs.clock.monotonicMs();
  }

  current(): LoadedConfig["config"] {
    const nowMs = this.#needs.clock.monotonicMs();
    if (nowMs - this.#lookedAtMs >= LOOK_EVERY_MS) this.reload();
    return this.#inForce.config;
  }

  reload(): ReloadResult {
    const file = this.#needs.first.file;
    this.#lookedAtMs = this.#needs.clock.monotonicMs();
    if (file === null) return { kind: "unchanged" };
    const stamp = stampOf(file.path);
    // A bad file that nobody touched since is still bad, and was warned of.
    if (stamp === this.#stamp) return this.#last.kind === "kept" ? this.#last : { kind: "unchanged" };
    const result = this.#follow(file.path);
    // Only now: what broke while it was read is no file that was looked at, and is read again.
    this.#stamp = stamp;
    this.#last = result;
    this.#needs.notify(result);
    return result;
  }

  #follow(path: string): Exclude<ReloadResult, { kind: "unchanged" }> {
    try {
      const next = loadConfig({ ...this.#needs.options, path });
      const raw = merge(this.#inForce.raw, next.raw);
      this.#inForce = { ...next, raw, config: this.#resolve(raw, next.config.guardrails) };
      return { kind: "loaded", waiting: waitingKeys(raw, next.raw) };
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error;
      return { kind: "kept", why: error.message, shut: this.#shut(error) };
    }
  }

  /** Rules that cannot be read might deny anything, so everything is denied until they can be (TR-006, CH-074). */
  #shut(error: RuntimeError): boolean {
    const { config } = this.#inForce;
    const isAbout =
      error instanceof ConfigInvalid && error.problems.some(({ path: [section] }) => section === undefined || section === "guardrails");
    if (isAbout && config.guardrails.unusable === null) {
      const guardrails = Object.freeze({ ...config.guardrails, unusable: "the rules over calls in the configuration cannot be used" });
      this.#inForce = { ...this.#inForce, config: Object.freeze({ ...config, guardrails }) };
    }
    return this.#inForce.config.guardrails.unusable !== null;
  }

  #resolve(raw: RawConfig, guardrails: LoadedConfig["config"]["guardrails"]): LoadedConfig["config"] {
    const { source, stateDirectory, models, notify, traces, surfaces, hooks } = this.#inForce.config;
    const tokens = new Map([...surfaces.values()].flatMap((one) => (one.kind === "discord" ? [[one.name, one.token] as const] : [])));
    const problems: ConfigProblem[] = [];
    const config = resolveConfig(raw, { ...source, stateDirectory, models, notify, tokens, traces, guardrails, hooks }, (path, rule) =>
      problems.push({ path, position: null, environment: null, rule }),
    );
    if (problems.length > 0) throw ConfigInvalid.of(`${this.#inForce.name} together with what stays until the next start`, problems);
    return config;
  }
}

/** The running file with the new one's `next message` keys in it. */
function merge(running: RawConfig, next: RawConfig): RawConfig {
  const characters: RawConfig["characters"] = {};
  for (const [id, old] of Object.entries(running.characters)) characters[id] = next.characters[id] ?? old;
  const surfaces: RawConfig["surfaces"] = {};
  for (const [name, old] of Object.entries(running.surfaces)) {
    surfaces[name] = mergeSurface(old, next.surfaces[name] ?? old);
  }
  const { agent, guardrails, engagement, loops, budgets, delivery } = next;
  const people = { ...running.people, remote_tools: next.people.remote_tools };
  return { ...running, people, agent, guardrails, characters, surfaces, engagement, loops, budgets, delivery };
}

function mergeSurface(old: RawSurface, fresh: RawSurface): RawSurface {
  // Another kind of surface under an old name is another surface: it waits for the start.
  if (old.kind !== fresh.kind) return old;
  const waits = keysThatWait(old.kind);
  const kept = Object.entries(old).filter(([key]) => waits.has(key));
  const followed = Object.entries(fresh).filter(([key]) => !waits.has(key));
  // oxlint-disable-next-line no-unsafe-type-assertion -- each key's value is one of two surfaces of this kind
  return Object.fromEntries([...kept, ...followed]) as unknown as RawSurface;
}

/** The keys of a kind of surface that wait for the next start, as the registry says: whatever it adds is taken over by that alone. */
function keysThatWait(kind: RawSurface["kind"]): ReadonlySet<string> {
  const known = WAITING.get(kind);
  if (known !== undefined) return known;
  const rows = configKeys().filter((row) => row.kind === kind && row.reload === "start" && row.path.startsWith("surfaces.*."));
  const keys = new Set(rows.map(({ path }) => path.slice("surfaces.*.".length)));
  WAITING.set(kind, keys);
  return keys;
}

const WAITING = new Map<RawSurface["kind"], ReadonlySet<string>>();

function waitingKeys(inForce: RawConfig, wanted: RawConfig): string[] {
  const now = leavesOf(inForce, []);
  const then = leavesOf(wanted, []);
  const differing = [...new Set([...now.keys(), ...then.keys()])].filter((path) => now.get(path) !== then.get(path));
  return differing.toSorted().slice(0, MAX_WAITING);
}

/** Every value that is no map, as JSON, by its path. Lists count as one value; their order matters. */
function leavesOf(value: unknown, path: readonly string[]): Map<string, string> {
  const leaves = new Map<string, string>();
  if (value === undefined) return leaves;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return leaves.set(showPath(path), JSON.stringify(value));
  for (const [name, inner] of Object.entries(value)) for (const [at, leaf] of leavesOf(inner, [...path, name])) leaves.set(at, leaf);
  return leaves;
}
