import { openChronicle } from "./chronicle/chronicle.ts";
import { openRetention } from "./chronicle/retention.ts";
import { ensureInstallKey } from "./config/files/install-key.ts";
import { ensureStateDirectory } from "./config/files/state-directory.ts";
import type { Console } from "./console/console.ts";
import { RuntimeError } from "./foundation/errors.ts";
import { createOutcomes } from "./observe/outcomes.ts";
import { TriggerLogs } from "./observe/trigger-logs.ts";
import type { Runtime } from "./operations/runtime-face.ts";
import { openRoad } from "./road/road.ts";
import type { Store } from "./store/store.ts";
import type { Surface } from "./surfaces/surface.ts";
import { openStore } from "./store/sqlite/sqlite.ts";
import type { ToolDefinition } from "./vocabulary/calls/tool-definition.ts";
import type { ComposeOptions } from "./wiring/compose-options.ts";
import { openAgent } from "./wiring/agent/agent.ts";
import { configuredAuthority } from "./wiring/configured-authority.ts";
import { haltBy } from "./wiring/halt-by.ts";
import { openHooks } from "./wiring/agent/hooks.ts";
import { heedHaltFile } from "./wiring/halt-file.ts";
import { roadNeeds } from "./wiring/road-needs.ts";
import { openKnownSpeaker } from "./wiring/trying/model-knowledge.ts";
import { noteHost, noteRestart, openNotices } from "./wiring/notices.ts";
import { bindOperations } from "./wiring/operations.ts";
import { addressesOf, openOwnersConsole } from "./wiring/pages.ts";
import { openSurfaces } from "./wiring/surfaces.ts";
import { createOperatorChat } from "./wiring/commands/operator-chat.ts";
import { ownerCommands } from "./wiring/commands/owner-commands.ts";
import { dropForgotten } from "./wiring/commands/forgetting.ts";
import { openPolicies } from "./wiring/commands/policies.ts";
import { startReport } from "./wiring/start-report.ts";

export type { ComposeOptions } from "./wiring/compose-options.ts";

/** The code in the fragment of a fresh console link (SE-086). */
function codeOf(console: Console | null, untilUsed: boolean): string {
  if (console === null) throw new RuntimeError("closed", "Cannot make a code: the console is not open");
  return new URL(console.issueLink({ untilUsed })).hash.replace("#code=", "");
}

/** A whole runtime, and the parts that tests look into. */
export interface Composed extends Runtime {
  readonly store: Store;
  /** Where people are, in the order in which they were opened. */
  readonly surfaces: readonly Surface[];
  /** Every tool that an agent could be given. */
  readonly tools: readonly ToolDefinition[];
  /** Wait until no turn runs. */
  idle(): Promise<void>;
}

/**
 * Build everything bottom-up and open it: store, chronicle, models, road, surfaces, console. Disposing what comes back is the
 * orderly shutdown; on a failed start everything that was opened is closed again.
 * @throws RuntimeError `state_*`, `config_*`, `port_in_use`
 */
export async function compose(options: ComposeOptions, signal: AbortSignal): Promise<Composed> {
  await using stack = new AsyncDisposableStack();
  const { clock, log, limits } = options.floor;
  const config = options.config.current();

  ensureStateDirectory(config.stateDirectory);
  const key = ensureInstallKey(config.stateDirectory);
  const store = stack.use(
    await openStore({ directory: config.stateDirectory, clock, log, installation: { key, restored: options.restored ?? false } }, signal),
  );
  const chronicle = stack.use(openChronicle({ store, clock, log }));
  const notices = stack.use(openNotices(config, { clock, log }));
  const speaker = stack.use(openKnownSpeaker(options, notices, signal));
  stack.use(noteHost(speaker, notices));
  const outcomes = stack.use(createOutcomes({ reader: store.read, capacity: limits.observations, log }));
  const authority = configuredAuthority(options, { store, notices });
  const policies = openPolicies(options, { store, notices });
  const triggers = new TriggerLogs(clock);
  const hooks = stack.use(await openHooks(options, notices, signal));
  for (const held of [triggers, hooks]) stack.use(dropForgotten(chronicle, held));
  const here: Surface[] = [];
  const owner = ownerCommands(options, { store, policies, surfaces: () => here });
  const operatorChat = createOperatorChat(options, { isHalted: () => store.read.halted() !== null, surfaces: () => here });
  const agent = openAgent(options, { store, authority, speaker, notices, hooks });
  const beneath = { store, chronicle, speaker, authority, outcomes, notices, surfaces: () => here };
  const road = stack.use(agent.goesOnBy(openRoad(roadNeeds(options, { ...beneath, policies, owner, operatorChat, triggers, agent, key }))));
  const { rooms, terminal, all: surfaces } = stack.use(await openSurfaces(options, { ...beneath, key }, signal));
  here.push(...surfaces);
  let opened: Console | null = null;
  const addresses = (): Runtime["addresses"] => addressesOf(rooms, opened);
  const issueConsoleCode = (untilUsed: boolean): string => codeOf(opened, untilUsed);
  const floors = { store, chronicle, speaker, notices, road, authority, agent, surfaces: () => surfaces };
  const operations = operatorChat.bind(bindOperations(options, { ...floors, rooms, policies, triggers, addresses, issueConsoleCode }));
  opened = stack.use(await openOwnersConsole(options, { rooms, operations, speaker, store, outcomes }, signal));
  stack.use(await heedHaltFile(config.stateDirectory, { store, operations, clock, log }));
  const recovered = await road.open(surfaces, signal);
  noteRestart(recovered, notices);
  for (const one of [agent.scheduling.begin(), openRetention({ store, chronicle, clock, log })]) stack.use(one);

  const owned = stack.move();
  return {
    operations,
    store,
    surfaces,
    tools: agent.definitions,
    failed: store.failed,
    terminal,
    addresses: addresses(),
    halt: () => haltBy(operations, "signal", log),
    issueConsoleCode: () => issueConsoleCode(true),
    startReport: startReport(options, speaker, { recovered, store }),
    idle: () => road.idle(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
