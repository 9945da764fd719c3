import { resolve } from "node:path";
import { z } from "zod";
import type { PortAt, PortState } from "../config/checking/check-config.ts";
import type { Environment } from "../config/files/host-key.ts";
import type { LoadOptions } from "../config/load.ts";
import { CONFIG_FILE } from "../config/files/file-name.ts";
import { isRuntimeError } from "../foundation/errors.ts";
import type { Archives } from "./backup.ts";
import { bindBackup } from "./backup.ts";
import type { ChatNeeds } from "./chat.ts";
import { bindChat } from "./chat.ts";
import { bindCheck } from "./checking/check.ts";
import { consoleAddress, consoleCode, consoleCommand, writeRedirect } from "./console-link.ts";
import type { DemoAnswer } from "./demo.ts";
import { demo } from "./demo.ts";
import { connectLocal } from "./faces/local-client.ts";
import { socketPathOf } from "./faces/socket-path.ts";
import { openPrompter } from "./faces/terminal-prompter.ts";
import { bindInit } from "./setup/init.ts";
import type { InitNeeds } from "./setup/init-session.ts";
import { bindInviteCommand } from "./invite-command.ts";
import { serveMcpStdio } from "./faces/mcp-stdio.ts";
import { bindMcpCommand } from "./mcp/mcp-command.ts";
import { LOCAL_ACTOR } from "./local-actor.ts";
import type { BotBench } from "./setup/bot-bench.ts";
import type { ModelBench } from "./setup/model-bench.ts";
import type { Operation } from "./operation.ts";
import { portState } from "./port-state.ts";
import type { RunNeeds } from "./run.ts";
import { bindRun } from "./run.ts";
import type { StartRequest } from "./runtime-face.ts";
import type { ServiceFacts } from "./service.ts";
import { bindService } from "./service.ts";

/** What the commands of the command line need. */
export interface LocalCommandNeeds extends RunNeeds, Omit<ChatNeeds, keyof RunNeeds> {
  readonly environment: Environment;
  readonly cwd: string;
  /** What runs here, for a service that is to run it again. */
  readonly installation: Pick<ServiceFacts, "node" | "launcher" | "user">;
  /** Looks for models and tries them. */
  readonly bench: ModelBench;
  /** Asks the platforms of bots about them. */
  readonly bots: BotBench;
  /** Play the demonstration, showing it unless a program reads the answer. */
  playDemo(json: boolean, signal: AbortSignal): Promise<DemoAnswer>;
  /** What makes and restores backups. */
  archives(request: StartRequest): Archives;
}

/** The commands that run in the command's own process rather than in the running one. */
export function localCommands(needs: LocalCommandNeeds, request: StartRequest): readonly Operation[] {
  return [
    bindRun(needs, request),
    bindChat(needs, request),
    bindInit(initNeeds(needs, request)),
    bindCheck({
      options: loadOptionsOf(request, needs),
      bench: needs.bench,
      bots: needs.bots,
      portState: (at, signal) => portOf(at, needs, request, signal),
      told: (step) => {
        if (!needs.json) needs.screen.printError([step]);
      },
    }),
    bindService({
      ...needs.installation,
      workingDirectory: needs.cwd,
      stateDirectory: needs.door.stateDirectory(request),
      socketFolder: socketOf(needs, request).elsewhere ? needs.door.temporaryDirectory : null,
      config: request.config === null ? null : resolve(needs.cwd, request.config),
      version: needs.version,
    }),
    demo.bind((_, { signal }) => needs.playDemo(needs.json, signal)),
    bindConsole(needs, request),
    bindInviteCommand({
      screen: needs.screen,
      json: needs.json,
      stateDirectory: needs.door.stateDirectory(request),
      remote: (name, args, signal) => runRemotely(needs, request, { name, args }, signal),
    }),
    bindMcpCommand({
      screen: needs.screen,
      json: needs.json,
      cwd: needs.cwd,
      environment: needs.environment,
      stateDirectory: needs.door.stateDirectory(request),
      remote: (name, args, signal) => runRemotely(needs, request, { name, args }, signal),
      async serve(token, signal) {
        await using client = await connectLocal(socketOf(needs, request), needs.clock, signal);
        await serveMcpStdio({ input: needs.terminal.input, output: needs.terminal.output, client, token }, signal);
      },
    }),
    ...bindBackup({
      cwd: needs.cwd,
      archives: needs.archives(request),
      remote: (name, args, signal) => runRemotely(needs, request, { name, args }, signal),
    }),
  ];
}

function initNeeds(needs: LocalCommandNeeds, request: StartRequest): InitNeeds {
  return {
    path: resolve(needs.cwd, request.config ?? (needs.environment["TROUPE_CONFIG"] || CONFIG_FILE)),
    stateDirectory: needs.door.stateDirectory(request),
    load: loadOptionsOf(request, needs),
    bench: needs.bench,
    bots: needs.bots,
    clock: needs.clock,
    // Where a program reads the answer nobody is asked.
    openPrompter: () => (needs.json ? null : openPrompter(needs.terminal)),
    isFree: async (port, signal) => (await portState({ address: "127.0.0.1", port }, [], signal)) === "free",
  };
}

/** What the configuration's loader is told. */
export function loadOptionsOf(request: StartRequest, from: { readonly cwd: string; readonly environment: Environment }): LoadOptions {
  return {
    cwd: from.cwd,
    environment: from.environment,
    ...(request.config === null ? {} : { path: request.config }),
    ...(request.state === null ? {} : { stateDirectory: request.state }),
  };
}

/**
 * Run an operation in the running process; where none runs, on the store alone if the operation needs no more.
 * @throws RuntimeError `not_running` when it needs a running process, or with the code it failed with.
 */
export async function runRemotely(
  needs: LocalCommandNeeds,
  request: StartRequest,
  call: { readonly name: string; readonly args: unknown },
  signal: AbortSignal,
): Promise<unknown> {
  let stopped: unknown;
  try {
    await using client = await connectLocal(socketOf(needs, request), needs.clock, signal);
    return await client.run(call.name, call.args, signal);
  } catch (error) {
    if (!isRuntimeError(error, "not_running")) throw error;
    stopped = error;
  }
  await using offline = await needs.door.openOffline(request, signal);
  if (!offline.operations.list.some(({ name }) => name === call.name)) throw stopped;
  return await offline.operations.run(call.name, call.args, LOCAL_ACTOR, signal);
}

function socketOf(needs: LocalCommandNeeds, request: StartRequest): ReturnType<typeof socketPathOf> {
  return socketPathOf({ stateDirectory: needs.door.stateDirectory(request), temporaryDirectory: needs.door.temporaryDirectory });
}

function bindConsole(needs: LocalCommandNeeds, request: StartRequest): Operation {
  return consoleCommand.bind(async (_, { signal }) => {
    await using client = await connectLocal(socketOf(needs, request), needs.clock, signal);
    const way = consoleCode.parse(await client.run(consoleCode.name, {}, signal));
    if (needs.screen.interactive && !needs.json) {
      needs.screen.print([{ tone: "plain", text: consoleAddress(way) }]);
      return { url: way.url, file: null };
    }
    return { url: way.url, file: await writeRedirect(needs.door.stateDirectory(request), way) };
  });
}

async function portOf(at: PortAt, needs: LocalCommandNeeds, request: StartRequest, signal: AbortSignal): Promise<PortState> {
  const state = await portState(at, [], signal);
  return state === "taken" ? portState(at, await ownPorts(needs, request, signal), signal) : state;
}

const held = z.object({ console: z.url(), rooms: z.array(z.object({ port: z.int() })) });

/** The ports of the running process, as its `status` tells them; none where nothing runs. */
async function ownPorts(needs: LocalCommandNeeds, request: StartRequest, signal: AbortSignal): Promise<readonly number[]> {
  try {
    await using client = await connectLocal(socketOf(needs, request), needs.clock, signal);
    const told = held.safeParse(await client.run("status", {}, signal));
    if (!told.success) return [];
    return [Number(new URL(told.data.console).port), ...told.data.rooms.map(({ port }) => port)];
  } catch (error) {
    if (!isRuntimeError(error, "not_running")) throw error;
    return [];
  }
}
