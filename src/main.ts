import { readFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { tmpdir, userInfo } from "node:os";
import { fileURLToPath } from "node:url";
import { systemClock } from "./foundation/clock.ts";
import { RuntimeError } from "./foundation/errors.ts";
import { line, toned } from "./foundation/line.ts";
import { createLog } from "./foundation/log.ts";
import { createRedactor } from "./foundation/redact.ts";
import type { DemoAnswer } from "./operations/demo.ts";
import { runCli, showFailure } from "./operations/faces/cli.ts";
import type { Screen } from "./operations/faces/screen.ts";
import { createScreen, wantsColor } from "./operations/faces/screen.ts";
import type { LocalCommandNeeds } from "./operations/local-commands.ts";
import { localCommands, runRemotely } from "./operations/local-commands.ts";
import { LOCAL_ACTOR } from "./operations/local-actor.ts";
import type { BotBench } from "./operations/setup/bot-bench.ts";
import type { ModelBench } from "./operations/setup/model-bench.ts";
import { EXIT_CODES } from "./operations/operation.ts";
import { createOperations } from "./operations/operations.ts";
import type { RuntimeDoor, StartRequest } from "./operations/runtime-face.ts";
import { createBotBench } from "./wiring/trying/bot-bench.ts";
import { createArchives } from "./wiring/archives.ts";
import { COMMANDS } from "./wiring/commands/commands.ts";
import { createRuntimeDoor } from "./wiring/door.ts";
import { createModelBench } from "./wiring/trying/model-bench.ts";

/** How long whatever is still open after everything has ended may keep the process from exiting. */
const LINGER_MS = 2_000;

/** What a test may put in the place of this process's own. */
export interface MainOptions {
  readonly argv: readonly string[];
  readonly door: RuntimeDoor;
  readonly bench: ModelBench;
  readonly bots: BotBench;
}

/** Run the command of `process.argv` and set the exit code. Signals and standard streams are used here and nowhere else (MC-107). */
export async function main(options: Partial<MainOptions> = {}): Promise<void> {
  const screen = createScreen({ out: process.stdout, error: process.stderr }, process.env);
  const argv = options.argv ?? process.argv.slice(2);
  const die = (error: unknown): never => process.exit(showFailure(error, argv.includes("--json"), screen));
  process.on("uncaughtException", die);
  const interrupts = new Interrupts(screen);
  const version = readVersion();
  const writeLog = (text: string): void => void process.stderr.write(text);
  const door =
    options.door ?? createRuntimeDoor({ version, cwd: process.cwd(), environment: process.env, temporaryDirectory: tmpdir(), writeLog });
  const log = createLog({ clock: systemClock, level: "warn", redactor: createRedactor([]), sink: writeLog });

  const exit = await runCli(
    argv,
    {
      version,
      commands: COMMANDS,
      screen,
      run(name, args, request, signal) {
        const needs: LocalCommandNeeds = {
          door,
          version,
          clock: systemClock,
          log,
          screen,
          json: request.json,
          uptimeMs: () => process.uptime() * 1_000,
          onReady: () => flushCompileCache(),
          onHalt: (told) => onSignal("SIGUSR2", told),
          terminal: {
            input: process.stdin,
            output: process.stdout,
            color: wantsColor(process.stdout, process.env),
            interrupt: () => interrupts.take("SIGINT", false),
          },
          present: (of, result) => presentOf(of, result),
          environment: process.env,
          cwd: process.cwd(),
          installation: installation(),
          bench: options.bench ?? createModelBench(systemClock),
          bots: options.bots ?? createBotBench({ clock: systemClock, version }),
          playDemo,
          archives: (of) => archivesOf(of, door, version),
        };
        const local = createOperations(localCommands(needs, request));
        const here = local.list.some((command) => command.name === name);
        return here ? local.run(name, args, LOCAL_ACTOR, signal) : runRemotely(needs, request, { name, args }, signal);
      },
    },
    interrupts.signal,
  );
  process.exitCode = interrupts.by === "SIGINT" ? EXIT_CODES.interrupted : exit;
  interrupts[Symbol.dispose]();
  systemClock.after(LINGER_MS, () => process.exit());
}

/** What runs here, for a service that is to run it again. */
function installation(): LocalCommandNeeds["installation"] {
  const launcher = fileURLToPath(new URL("../bin/troupe.cjs", import.meta.url));
  return { node: process.execPath, launcher, user: userInfo().username };
}

function archivesOf(request: StartRequest, door: RuntimeDoor, version: string): ReturnType<LocalCommandNeeds["archives"]> {
  const { env: environment } = process;
  return createArchives({
    version,
    clock: systemClock,
    request,
    cwd: process.cwd(),
    environment,
    stateDirectory: (one) => door.stateDirectory(one),
  });
}

function presentOf(name: string, result: unknown): ReturnType<LocalCommandNeeds["present"]> {
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined) throw new RuntimeError("not_found", "Cannot show that: there is no such command");
  return command.present(result);
}

/** The demonstration kills a process of its own; it is loaded only when it is asked for. */
async function playDemo(json: boolean, signal: AbortSignal): Promise<DemoAnswer> {
  const { runDemo } = await import("./testing/demo.ts").catch((cause: unknown) => {
    throw new RuntimeError("not_found", "Cannot play the demonstration: this copy was built without it", { cause });
  });
  return runDemo({ json, signal });
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const holds = typeof manifest === "object" && manifest !== null && "version" in manifest && typeof manifest.version === "string";
  return holds ? String(manifest.version) : "0";
}

/** Hear a signal that ends nothing; where the system has none of that name, nobody does. */
function onSignal(name: NodeJS.Signals, told: () => void): Disposable {
  if (process.platform === "win32") return { [Symbol.dispose]: () => {} };
  process.on(name, told);
  return { [Symbol.dispose]: () => process.off(name, told) };
}

/** Ctrl-C and a request to end: the first shuts down in order, a second ends the process at once. */
class Interrupts implements Disposable {
  readonly #controller = new AbortController();
  readonly #screen: Screen;
  readonly #names: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
  readonly #take = (name: NodeJS.Signals): void => this.take(name);
  /** The first signal that came; null before one. */
  by: NodeJS.Signals | null = null;

  constructor(screen: Screen) {
    this.#screen = screen;
    for (const name of this.#names) process.on(name, this.#take);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Begin to stop, or stop at once; `told` false where the screen belongs to a chat. */
  take(name: NodeJS.Signals, told: boolean = this.#screen.interactive): void {
    if (this.by !== null) process.exit(EXIT_CODES.interrupted);
    this.by = name;
    if (told) this.#screen.printError([line``, toned("faint", line`stopping in order; Ctrl-C again stops at once`)]);
    this.#controller.abort(new RuntimeError("aborted", "Cannot go on: it was interrupted"));
  }

  [Symbol.dispose](): void {
    for (const name of this.#names) process.off(name, this.#take);
  }
}

if (import.meta.main) await main();
