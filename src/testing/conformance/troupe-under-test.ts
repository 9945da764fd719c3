import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EXAMPLE_YAML } from "../../config/writing/example.ts";
import { loadConfig } from "../../config/load.ts";
import { RuntimeError, isRuntimeError } from "../../foundation/errors.ts";
import { OWN_ROOT } from "../../foundation/own-files.ts";
import { TaskGroup } from "../../foundation/task-group.ts";
import { splitText } from "../../road/4-delivery/split.ts";
import { ManualClock } from "../manual-clock.ts";
import { RuntimeInProcess } from "../room-simulator/runtime-in-process.ts";
import type { ModelCall } from "../room-simulator/simulated-model.ts";
import { SimulatedModel } from "../room-simulator/simulated-model.ts";
import type { PlatformLine, TakenPart } from "../room-simulator/simulated-platform.ts";
import { SimulatedPlatform, platformNamed } from "../room-simulator/simulated-platform.ts";
import { REGULARS } from "./runtime-under-test.ts";
import type { Acknowledgement, CommandRun, LivingRuntime, RuntimeUnderTest, Told, World, WorldPlatform } from "./runtime-under-test.ts";

const NO_PACE = { burst: 1_000, everyMs: 1 };
const JOIN_MS = 5_000;
/** Loaded before the command: at its end it writes the microseconds of processor time to the fourth stream. */
const TELLS_PROCESSOR_TIME: string = `data:text/javascript,${encodeURIComponent(
  'import { writeSync } from "node:fs"; process.on("exit", () => { const { user, system } = process.cpuUsage(); writeSync(3, String(user + system)); });',
)}`;
/** The command as it ships: from its sources it would pay for stripping their types each time. */
const COMMAND: string = fileURLToPath(new URL("../dist/main.js", OWN_ROOT));
/** The last line of the first answer that a person ever gets. */
const INTRODUCTION = /\nAn AI under test · by the owner(?: · .*)?$/;
const DEFAULT_PLATFORMS: readonly WorldPlatform[] = [{ name: "harbour" }];

/** This product as the suite sees it: everything but platforms and model is its own, on a manual clock over a real store. */
export const troupeUnderTest: RuntimeUnderTest = {
  name: "troupe",
  lacks: {
    tools: "a character's turn reaches no tool",
  },
  goodConfiguration: EXAMPLE_YAML,
  open: async (world) => {
    const folder = await mkdtemp(join(tmpdir(), "troupe-conformance-"));
    const living = new TroupeInWorld(world, folder);
    await living.start();
    await living.trust(world.named ?? REGULARS);
    return living;
  },
  checkConfiguration,
  runCommand,
  split: (text, maxBytes) => splitText(text, { maxBytes }),
};

class TroupeInWorld implements LivingRuntime {
  readonly #world: World;
  readonly #folder: string;
  readonly #clock = new ManualClock();
  readonly #platforms: readonly SimulatedPlatform[];
  readonly #model: SimulatedModel;
  readonly #log: string[] = [];
  readonly #failures: Error[] = [];
  readonly #tasks: TaskGroup;
  #runtime: RuntimeInProcess | null = null;

  constructor(world: World, folder: string) {
    this.#world = world;
    this.#folder = folder;
    this.#model = new SimulatedModel(this.#clock, world.mind ?? (() => ({ kind: "says", speech: "Yes." })));
    this.#platforms = (world.platforms ?? DEFAULT_PLATFORMS).map((one) => platformOf(one, this.#clock));
    this.#tasks = new TaskGroup({ clock: this.#clock, joinMs: JOIN_MS, onFailure: (error) => this.#failures.push(asError(error)) });
  }

  async start(): Promise<void> {
    this.#runtime = await RuntimeInProcess.open({
      folder: this.#folder,
      configuration: configurationOf(this.#world),
      clock: this.#clock,
      platforms: this.#platforms,
      model: this.#model,
      log: this.#log,
      ...(this.#world.secret === undefined ? {} : { secrets: [this.#world.secret] }),
    });
  }

  async trust(accounts: readonly string[]): Promise<void> {
    await this.#runtime?.trust(accounts);
  }

  async deliver(line: PlatformLine, platform: string = "harbour"): Promise<Acknowledgement | null> {
    let acknowledged: Acknowledgement | null = null;
    this.#start(line, platform, (acknowledgement) => (acknowledged = acknowledgement));
    await this.#runtime?.settle();
    this.#check();
    return acknowledged;
  }

  async remove(delivery: string, platform: string = "harbour"): Promise<void> {
    platformNamed(this.#platforms, platform).remove(delivery);
    await this.#runtime?.settle();
    this.#check();
  }

  async pass(ms: number): Promise<void> {
    await this.#runtime?.pass(ms);
    this.#check();
  }

  sent(platform: string = "harbour"): readonly TakenPart[] {
    return platformNamed(this.#platforms, platform).ledger.map((part) => ({ ...part, body: part.body.replace(INTRODUCTION, "") }));
  }

  calls(): readonly ModelCall[] {
    return this.#model.calls;
  }

  async restart(): Promise<void> {
    await this.#runtime?.[Symbol.asyncDispose]();
    await this.start();
    for (const platform of this.#platforms) for (const line of platform.unacknowledged) this.#start(line, platform.name, () => {});
    await this.#runtime?.settle();
    this.#check();
  }

  log(): readonly string[] {
    return this.#log;
  }

  notices(): readonly string[] {
    return this.#runtime?.notices() ?? [];
  }

  configuration(): string {
    return readFileSync(join(this.#folder, "troupe.yaml"), "utf8");
  }

  why(delivery: string, platform: string = "harbour"): Told | null {
    const read = this.#runtime?.composed.store.read;
    if (read === undefined) return null;
    const on = platformNamed(this.#platforms, platform);
    const id = on.acknowledged.get(delivery)?.id ?? read.delivered(on.name, delivery);
    const decision = id === null ? undefined : read.explain(id)?.decision;
    if (decision === undefined) return null;
    const { reason, gate, rule, key } = decision;
    return { reason: reason ?? "", gate: `${gate} ${rule}`, key };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runtime?.[Symbol.asyncDispose]();
    await this.#tasks.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #start(line: PlatformLine, platform: string, told: (acknowledgement: Acknowledgement) => void): void {
    this.#tasks.start(async (ends) => {
      const heard = await platformNamed(this.#platforms, platform).deliver(line, ends);
      if (heard !== null) told({ admitted: heard.kind === "admitted", reason: heard.kind === "admitted" ? "" : heard.reason });
    });
  }

  #check(): void {
    const [failure] = this.#failures;
    if (failure !== undefined) throw failure;
  }
}

function platformOf(options: WorldPlatform, clock: ManualClock): SimulatedPlatform {
  const { name, maxBytes = 1_000, readsBack = true, everyMs = 0, gathering, people, taking } = options;
  const pace = everyMs === 0 ? NO_PACE : { burst: 3, everyMs };
  return new SimulatedPlatform({
    name,
    clock,
    profile: {
      limits: { maxBytes },
      readsBack,
      pacing: { public: pace, direct: pace },
      ...(gathering === undefined ? {} : { timing: gathering }),
    },
    ...(people === undefined ? {} : { people }),
    ...(taking === undefined ? {} : { taking }),
  });
}

/** A configuration is YAML, and JSON is YAML: what is written here is never read as anything else. */
function configurationOf({ characters, callsPerDayPerPerson = 2_000 }: World): string {
  const cast = characters ?? [{ id: "mirelle", name: "Mirelle" }];
  return JSON.stringify({
    characters: Object.fromEntries(
      cast.map(({ id, name, private: secret }) => [
        id,
        { name, description: "Lives here.", ...(secret === undefined ? {} : { private: secret }) },
      ]),
    ),
    console: { port: 0 },
    delivery: { disclosure: { what: "An AI under test", by: "by", operator: "the owner" } },
    budgets: {
      replies_per_minute_per_room: 120,
      replies_per_minute_per_person: 60,
      calls_per_day_per_person: callsPerDayPerPerson,
      calls_per_day_per_space: 20_000,
    },
  });
}

function checkConfiguration(text: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "troupe-check-"));
  try {
    writeFileSync(join(folder, "troupe.yaml"), text);
    loadConfig({ cwd: folder, environment: {} });
    return [];
  } catch (error) {
    if (!isRuntimeError(error, "config_invalid")) throw error;
    return error.message.split("\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runCommand(words: readonly string[], signal: AbortSignal): Promise<CommandRun> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-command-"));
  try {
    const child = spawn(process.execPath, ["--import", TELLS_PROCESSOR_TIME, COMMAND, ...words], {
      cwd: folder,
      env: { PATH: process.env["PATH"] },
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      signal,
    });
    const texts = ["", "", ""];
    for (const [at, stream] of [child.stdout, child.stderr, child.stdio[3]].entries()) {
      stream?.on("data", (piece: Buffer) => (texts[at] += piece.toString("utf8")));
    }
    await once(child, "close");
    return { exitCode: child.exitCode ?? -1, output: `${texts[0]}${texts[1]}`, processorMs: Number(texts[2]) / 1_000 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new RuntimeError("internal", "Cannot go on: something was thrown that is no error");
}
