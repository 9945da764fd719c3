import type { Config, ReloadResult } from "../config/config.ts";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import { randomIds } from "../foundation/ids.ts";
import type { Log } from "../foundation/log.ts";
import { createLog } from "../foundation/log.ts";
import { OWN_ROOT } from "../foundation/own-files.ts";
import { printable } from "../foundation/printable.ts";
import { createRedactor } from "../foundation/redact.ts";
import { MIN_TOKEN_CHARACTERS, Secret } from "../foundation/secret.ts";
import type { LogFile } from "../observe/log-file.ts";
import { openLogFile } from "../observe/log-file.ts";
import { createTraceCollector } from "../observe/trace-collector.ts";
import type { Traces } from "../observe/traces.ts";
import { NO_TRACES, createTraces } from "../observe/traces.ts";
import { ensureStateDirectory } from "../config/files/state-directory.ts";
import { loadOptionsOf } from "../operations/local-commands.ts";
import type { TrustLedger } from "../operations/trust.ts";
import type { Store } from "../store/store.ts";
import type { OfflineOperations, Runtime, RuntimeDoor, StartRequest } from "../operations/runtime-face.ts";

/** What the way to the runtime is told of its process. */
export interface DoorNeeds {
  readonly version: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly temporaryDirectory: string;
  /** Takes whole lines of the log. */
  readonly writeLog: (line: string) => void;
}

const STATE_FOLDER = ".troupe";
const DATABASE = "troupe.db";

/** Make the way to the runtime; nothing heavy is loaded before it is used. */
export function createRuntimeDoor(needs: DoorNeeds): RuntimeDoor {
  return {
    temporaryDirectory: needs.temporaryDirectory,
    stateDirectory: (request) => stateDirectoryOf(request, needs),
    open: (request, signal) => openRuntime(request, needs, signal),
    openOffline: (request, signal) => openOffline(request, needs, signal),
  };
}

/** The state folder by the rules of the configuration's loader, without reading the file. */
function stateDirectoryOf(request: StartRequest, { cwd, environment }: DoorNeeds): string {
  const named = request.state ?? (environment["TROUPE_STATE"] || undefined);
  if (named !== undefined) return resolve(cwd, named);
  const config = request.config ?? (environment["TROUPE_CONFIG"] || undefined);
  return join(config === undefined ? cwd : dirname(resolve(cwd, config)), STATE_FOLDER);
}

async function openRuntime(request: StartRequest, needs: DoorNeeds, signal: AbortSignal): Promise<Runtime> {
  const [{ compose }, { loadConfig }, { openConfigSource }] = await Promise.all([
    import("../compose.ts"),
    import("../config/load.ts"),
    import("../config/reload.ts"),
  ]);
  const options = loadOptionsOf(request, needs);
  const first = loadConfig(options);
  const redactor = createRedactor(secretsOf(first.config));
  await using opening = new AsyncDisposableStack();
  const logFile = openLogOf(first.config, needs);
  if (logFile !== null) opening.use(logFile);
  const level = request.quiet === true ? "error" : first.config.log.level;
  const sink = logFile === null ? needs.writeLog : (line: string): void => logFile.write(line);
  const log = createLog({ clock: systemClock, level, redactor, sink });
  const config = openConfigSource({ options, first, clock: systemClock, notify: (result) => tellReload(result, log) });
  const floor = { clock: systemClock, ids: randomIds, log, redactor, limits: first.config.limits };
  const startedAtMs = Math.round(systemClock.nowMs() - process.uptime() * 1_000);
  const about = { version: needs.version, pid: process.pid, startedAtMs };
  const traces = openTracesOf(first.config, { log, version: needs.version });
  opening.use(traces);
  const said = { config, configName: first.name, floor, process: about, page: pageFolder(), restored: request.restored ?? false, traces };
  const runtime = opening.use(await compose({ ...said, ...(logFile === null ? {} : { logFile }) }, signal));
  const opened = opening.move();
  return { ...runtime, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** The file that log lines go to; null for standard error, which also takes what the file does not. */
function openLogOf({ log, stateDirectory }: Config, { writeLog }: DoorNeeds): LogFile | null {
  if (log.file === null) return null;
  ensureStateDirectory(stateDirectory);
  return openLogFile(log.file, writeLog);
}

/** Spans go to the configured collector and nowhere else; without one there are none. */
function openTracesOf({ traces }: Config, { log, version }: { readonly log: Log; readonly version: string }): Traces {
  if (traces === null) return NO_TRACES;
  const send = createTraceCollector(traces, systemClock);
  return createTraces({ clock: systemClock, log, send, about: { version, instance: randomIds.next("i") } });
}

/** What no output may hold: hosts' keys, and what their addresses carry beside the place (MC-105); shorter values would answer guesses (SE-093). */
function secretsOf({ models, notify, traces, surfaces }: Config): Secret[] {
  const ofHosts = [...models.hosts.values(), ...(traces === null ? [] : [traces])].flatMap(({ key, url }) => {
    const parts = url.sensitiveParts().filter((part) => part.length >= MIN_TOKEN_CHARACTERS);
    return [...(key === null ? [] : [key]), ...parts.map((part) => Secret.parse(part, "an address of the configuration"))];
  });
  // Each word of a bot's token as well: no output holds a part of one.
  const ofBots = [...surfaces.values()].flatMap((surface) => {
    if (surface.kind !== "discord") return [];
    const words = surface.token.reveal().split(".");
    const parts = words.filter((word) => word.length >= MIN_TOKEN_CHARACTERS);
    return [surface.token, ...parts.map((part) => Secret.parse(part, "a bot's token"))];
  });
  return [...ofHosts, ...ofBots, ...(notify.webhook === null ? [] : [notify.webhook])];
}

function tellReload(result: Exclude<ReloadResult, { kind: "unchanged" }>, log: Log): void {
  const level = result.kind === "loaded" ? "info" : "warn";
  const word = result.kind === "kept" && result.shut ? "kept_without_calls" : result.kind;
  log.write(level, "config_changed", { result: printable(word) });
}

/** The built page lies beside the built modules; the sources use the one of the last build. */
function pageFolder(): string {
  const beside = fileURLToPath(new URL("ui", OWN_ROOT));
  return existsSync(beside) ? beside : fileURLToPath(new URL("../dist/ui", OWN_ROOT));
}

async function openOffline(request: StartRequest, needs: DoorNeeds, signal: AbortSignal): Promise<OfflineOperations> {
  const directory = stateDirectoryOf(request, needs);
  if (!existsSync(join(directory, DATABASE)))
    throw new RuntimeError(
      "not_running",
      `Cannot find anything in ${printable(directory)}: no process runs, and nothing was kept yet. Start one: troupe run`,
    );
  const [{ openStore }, { ensureInstallKey }, { bindStoreOperations }, { bindWhy }, { bindTrust }, { createOperations }] =
    await Promise.all([
      import("../store/sqlite/sqlite.ts"),
      import("../config/files/install-key.ts"),
      import("./store-operations.ts"),
      import("../observe/why-operation.ts"),
      import("../operations/trust.ts"),
      import("../operations/operations.ts"),
    ]);
  const log = createLog({ clock: systemClock, level: "error", redactor: createRedactor([]), sink: needs.writeLog });
  const key = ensureInstallKey(directory);
  const store = await openStore({ directory, clock: systemClock, log, installation: { key } }, signal);
  return {
    operations: createOperations([
      bindWhy(store.read),
      ...bindTrust(trustLedgerOf(store), systemClock),
      ...bindStoreOperations({ store, stateDirectory: directory }, systemClock),
    ]),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** Where trust is kept, as the operations see it. */
function trustLedgerOf(store: Store): TrustLedger {
  return {
    trust: (person) => store.read.trust(person),
    nameOf: (person) => store.read.member(person)?.name ?? null,
    setTrust: (row) => store.setTrust(row),
  };
}
