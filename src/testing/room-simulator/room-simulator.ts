import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RuntimeError } from "../../foundation/errors.ts";
import { TaskGroup } from "../../foundation/task-group.ts";
import type { SurfaceProfile } from "../../surfaces/surface.ts";
import { ManualClock } from "../manual-clock.ts";
import { playBots } from "./bots.ts";
import { Fates } from "./fates.ts";
import { createRandom, seedOf } from "./random.ts";
import type { Random } from "./random.ts";
import type { RoomReport } from "./room-report.ts";
import { countWords, messagesOf, orderViolations, partsTwice, reportPeople } from "./room-report.ts";
import type { BotGroup, Losses, PeopleGroup, ScriptStep } from "./room-script.ts";
import { writeScript } from "./room-script.ts";
import { RuntimeInProcess } from "./runtime-in-process.ts";
import type { Mind } from "./simulated-model.ts";
import { SimulatedModel } from "./simulated-model.ts";
import type { Taking } from "./simulated-platform.ts";
import { SimulatedPlatform, platformNamed } from "./simulated-platform.ts";

/** How fast and how well a model answers. */
export interface ModelManners {
  /** Milliseconds of a call: half of them take less than the first, all less than the second. */
  readonly latencyMs: readonly [number, number];
  /** Share of calls that fail with a status. */
  readonly errorShare?: number;
  /** Share of calls that are never answered. */
  readonly hangShare?: number;
  /** Words of an answer: a long one has many parts. */
  readonly words?: number;
}

/** A room to simulate. */
export interface RoomOptions {
  readonly seed: number;
  readonly people: readonly PeopleGroup[];
  readonly bots?: readonly BotGroup[];
  /** Names of the platforms; one by default. People are spread over them. */
  readonly platforms?: readonly string[];
  readonly losses?: Losses;
  readonly model?: ModelManners;
  /** Shares of sends that a platform refuses, or takes without an answer. */
  readonly sends?: { readonly refuseShare?: number; readonly silentShare?: number };
  /** Moments of the run, in milliseconds, at which the runtime stops in the middle of whatever it does and is started anew. */
  readonly restartsAtMs?: readonly number[];
  /** What a platform is like, where it differs from a plain one. */
  readonly profile?: Partial<SurfaceProfile>;
  /** Further lines of `troupe.yaml`, such as budgets. */
  readonly configuration?: string;
  /** Milliseconds that are waited for answers after the last line; five minutes by default. */
  readonly lullMs?: number;
  /** Milliseconds by which time moves at least when it moves on; larger is faster and less exact. 10 by default. */
  readonly stepMs?: number;
}

const CONFIGURATION = `
characters:
  mirelle: { name: Mirelle, description: "Keeps the inn at the ferry." }
console: { port: 0 }
`;
const JOIN_MS = 5_000;
const LULL_MS = 300_000;

/**
 * Play a room full of simulated people against the whole runtime, in this process and on a manual clock, and report what became
 * of each message. The same options play the same people; how many milliseconds a run takes does not change what it reports.
 */
export async function simulateRoom(options: RoomOptions, signal: AbortSignal): Promise<RoomReport> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-room-"));
  try {
    return await new RoomRun(options, folder).play(signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

class RoomRun {
  readonly #options: RoomOptions;
  readonly #folder: string;
  readonly #clock = new ManualClock();
  readonly #startMs = this.#clock.nowMs();
  readonly #script: readonly ScriptStep[];
  readonly #platforms: readonly SimulatedPlatform[];
  readonly #model: SimulatedModel;
  readonly #log: string[] = [];
  readonly #tasks: TaskGroup;
  readonly #failures: Error[] = [];
  #deliveries = 0;

  constructor(options: RoomOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    const names = options.platforms ?? ["harbour"];
    const random = createRandom(options.seed + 2);
    this.#script = writeScript({
      seed: options.seed,
      platforms: names,
      people: options.people,
      ...(options.losses === undefined ? {} : { losses: options.losses }),
    });
    this.#platforms = names.map(
      (name) =>
        new SimulatedPlatform({
          name,
          clock: this.#clock,
          ...(options.profile === undefined ? {} : { profile: options.profile }),
          taking: () => takingOf(options, random),
        }),
    );
    this.#model = new SimulatedModel(this.#clock, mindOf(options.model ?? { latencyMs: [800, 4_000] }, options.seed));
    this.#tasks = new TaskGroup({ clock: this.#clock, joinMs: JOIN_MS, onFailure: (error) => this.#failures.push(asError(error)) });
  }

  async play(signal: AbortSignal): Promise<RoomReport> {
    for (const [at, bots] of (this.#options.bots ?? []).entries()) {
      const deliver = (name: string, line: ScriptStep["line"]): void => this.#deliver(name, line);
      playBots(bots, this.#platforms[0], { ring: `ring${at + 1}`, clock: this.#clock, deliver });
    }
    let runtime = await this.#open();
    try {
      await this.#trust(runtime);
      for (const moment of this.#moments()) {
        signal.throwIfAborted();
        await runtime.pass(moment.atMs - (this.#clock.nowMs() - this.#startMs));
        if (moment.steps === null) runtime = await this.#restart(runtime);
        else for (const { platform, line } of moment.steps) this.#deliver(platform, line);
      }
      await this.#lull(runtime);
      const [failure] = this.#failures;
      if (failure !== undefined) throw failure;
      return this.#report(runtime);
    } finally {
      await this.#tasks.close();
      await runtime[Symbol.asyncDispose]();
    }
  }

  /** Everything that happens from outside, in order; steps within one `stepMs` come together. `null` is a restart. */
  #moments(): readonly { readonly atMs: number; readonly steps: readonly ScriptStep[] | null }[] {
    const { stepMs = 10, restartsAtMs = [] } = this.#options;
    const grouped = Map.groupBy(this.#script, ({ atMs }) => Math.ceil(atMs / stepMs) * stepMs);
    const said = [...grouped].map(([atMs, steps]) => ({ atMs, steps }));
    return [...said, ...restartsAtMs.map((atMs) => ({ atMs, steps: null }))].toSorted((a, b) => a.atMs - b.atMs);
  }

  #open(): Promise<RuntimeInProcess> {
    return RuntimeInProcess.open({
      folder: this.#folder,
      configuration: `${CONFIGURATION}${this.#options.configuration ?? ""}`,
      clock: this.#clock,
      platforms: this.#platforms,
      model: this.#model,
      log: this.#log,
      stepMs: this.#options.stepMs ?? 10,
    });
  }

  async #restart(runtime: RuntimeInProcess): Promise<RuntimeInProcess> {
    await runtime[Symbol.asyncDispose]();
    const next = await this.#open();
    for (const platform of this.#platforms) for (const line of platform.unacknowledged) this.#deliver(platform.name, line);
    return next;
  }

  #trust(runtime: RuntimeInProcess): Promise<void> {
    const named = this.#options.people.filter(({ standing }) => standing === "named");
    return runtime.trust(named.flatMap(({ group, count }) => Array.from({ length: count }, (_, at) => `${group}${at + 1}`)));
  }

  #deliver(platform: string, line: ScriptStep["line"]): void {
    this.#deliveries += 1;
    this.#tasks.start(async (ends) => {
      await platformNamed(this.#platforms, platform).deliver(line, ends);
    });
  }

  /** Wait until nothing is open any more, at most for the lull. */
  async #lull(runtime: RuntimeInProcess): Promise<void> {
    const { lullMs = LULL_MS } = this.#options;
    for (let waitedMs = 0; waitedMs < lullMs; waitedMs += 5_000) {
      await runtime.pass(5_000);
      const { inbox, parts } = runtime.composed.store.read.counts();
      if ([inbox["open"], inbox["running"], parts["queued"], parts["sending"]].every((count) => (count ?? 0) === 0)) return;
    }
  }

  #report(runtime: RuntimeInProcess): RoomReport {
    const fates = new Fates({
      read: runtime.composed.store.read,
      platforms: this.#platforms,
      calls: this.#model.calls,
      startMs: this.#startMs,
    });
    const messages = messagesOf(this.#script).map((step) => fates.of(step));
    const ledger = this.#platforms.flatMap((platform) => platform.ledger);
    return {
      seed: this.#options.seed,
      messages,
      people: reportPeople(messages),
      fates: countWords(messages.map(({ fate }) => fate)),
      suppressed: countWords(messages.flatMap(({ fate, reason }) => (fate === "suppressed" ? [reason] : []))),
      deliveries: this.#deliveries,
      parts: ledger.length,
      partsTwice: partsTwice(ledger),
      orderViolations: this.#platforms.flatMap((platform) => orderViolations(platform.ledger, messages)),
      restarts: this.#options.restartsAtMs?.length ?? 0,
      modelCalls: this.#model.calls.length,
      modelCallsAtOnce: this.#model.mostOpen,
      spendMicros: fates.spendMicros,
      fixedTexts: ledger.filter(({ body }) => /^\(.*\)$/.test(body)).length,
      notices: runtime.notices(),
    };
  }
}

function takingOf({ sends = {} }: RoomOptions, random: Random): Taking {
  const at = random.next();
  const { refuseShare = 0, silentShare = 0 } = sends;
  if (at < refuseShare) return "refuse";
  return at < refuseShare + silentShare ? "take_in_silence" : "take";
}

/** The same words meet the same model in any run with this seed, whoever else speaks: only a second try is drawn anew. */
function mindOf({ latencyMs: [half, most], hangShare = 0, errorShare = 0, words = 6 }: ModelManners, seed: number): Mind {
  const tries = new Map<string, number>();
  const speech = "The lamp is lit on the quay. ".repeat(Math.ceil(words / 7)).trim();
  return ({ number, heard }) => {
    const tried = (tries.get(heard) ?? 0) + 1;
    tries.set(heard, tried);
    const random = createRandom(seedOf(`${seed} ${tried} ${heard}`));
    const fate = random.next();
    const at = random.next();
    const afterMs = Math.round(at < 0.5 ? half * (0.5 + at) : half + (most - half) * (2 * at - 1) ** 3);
    if (fate < hangShare) return { kind: "hangs" };
    if (fate < hangShare + errorShare) return { kind: "fails", how: "status", afterMs };
    return { kind: "says", speech: `Answer ${number}. ${speech}`, afterMs };
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new RuntimeError("internal", "Cannot go on: something was thrown that is no error");
}
