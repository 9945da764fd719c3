import type { Agents } from "../../agents/agents.ts";
import type { LiveTurns } from "../../agents/live-turns.ts";
import { openAgents } from "../../agents/agents.ts";
import { createScheduledVoice, scheduleStateOf } from "../../agents/schedule/scheduled-voice.ts";
import { systemText } from "../../agents/system-text.ts";
import { clockTool } from "../../agents/tools/clock.ts";
import { noteTools } from "../../agents/tools/notes.ts";
import { scheduleTools } from "../../agents/tools/schedules.ts";
import type { Tool } from "../../agents/tools/tool.ts";
import type { Standpoint } from "../../authority/gateway/turn-authority.ts";
import type { Road } from "../../road/road.ts";
import type { Authority, GatewayTools } from "../../authority/authority.ts";
import type { Reservation } from "../../authority/budgets.ts";
import type { Config } from "../../config/config.ts";
import { RuntimeError, isRuntimeError } from "../../foundation/errors.ts";
import type { Speaker } from "../../models/speaker.ts";
import type { Notices } from "../../observe/notices.ts";
import type { GuardrailsDesk } from "../../operations/guardrails.ts";
import type { HooksDesk } from "../../operations/hooks.ts";
import type { SchedulesLedger } from "../../operations/schedule.ts";
import type { Voice } from "../../road/3-turns/voice.ts";
import type { Charge, Store } from "../../store/store.ts";
import type { Gateway } from "../../vocabulary/calls/gateway.ts";
import type { SessionId } from "../../vocabulary/ids.ts";
import { Origin } from "../../vocabulary/origin.ts";
import { assuranceReaches } from "../../vocabulary/principal.ts";
import { joinLabels, labelText } from "../../vocabulary/calls/text-label.ts";
import type { ToolDefinition } from "../../vocabulary/calls/tool-definition.ts";
import type { SessionFacts } from "../../vocabulary/calls/session.ts";
import type { Turn } from "../../vocabulary/turn.ts";
import type { TurnStarter } from "../../vocabulary/calls/turn-ceilings.ts";
import { ceilingsOf } from "../../vocabulary/calls/turn-ceilings.ts";
import { agentControl, controlIn } from "./agent-control.ts";
import { guardrailsDesk, openGuardrail } from "./guardrails.ts";
import type { OpenHooks } from "./hooks.ts";
import { ownSchedules } from "./own-schedules.ts";
import type { Scheduling } from "./schedules.ts";
import { protectsOf } from "./protects.ts";
import { openScheduling } from "./schedules.ts";
import { foreignIn } from "./sessions.ts";
import type { ComposeOptions } from "../compose-options.ts";
import { openUnread } from "./unread.ts";

/** Tokens of one answer of a turn with tools. */
const ANSWER_TOKENS = 2_048;
/** How long a model that refused a question with tools is asked without. */
const WITHOUT_TOOLS_MS = 600_000;
/** Entries behind the last answer of a model that may belong to its calls. */
const NEWEST_ENTRIES = 512;

/** What stands already when the agent is opened. */
export interface AgentFloors {
  readonly store: Store;
  readonly authority: Pick<Authority, "gateway" | "preview" | "reserveFurther" | "meterFor" | "roleOf">;
  readonly speaker: Pick<Speaker, "agent" | "configured">;
  readonly notices: Pick<Notices, "note">;
  readonly hooks: OpenHooks;
}

/** The agent, as the road meets it. */
export interface AgentVoices {
  /** Whether a turn is the agent's: an operator's own line, as far as configuration gives it one (SE-081), with a model to ask. */
  serves(turn: Turn): boolean;
  /** Whether a line stops, steers or renews what the agent does there. */
  isControl(text: string, line: Pick<Turn, "origin" | "place">): boolean;
  /** The voice of such lines. */
  control(): Voice;
  /** Note the road by which a turn goes on that waits, and give it back. */
  goesOnBy(road: Road): Road;
  readonly classesOf: Standpoint["classesOf"];
  /** Every tool there is. */
  readonly definitions: readonly ToolDefinition[];
  /** What `troupe guardrails` shows and tries. */
  readonly guardrails: GuardrailsDesk;
  /** The turns that run now. */
  readonly live: LiveTurns;
  /** What `troupe hooks` shows. */
  readonly hooks: HooksDesk;
  /** What happens by the clock. */
  readonly scheduling: Scheduling;
  /** The voice of schedules, and whether a turn that goes on is one's. */
  scheduled(): Voice;
  isScheduled(turn: Turn): boolean;
  /** The voice of such a turn; `otherwise` speaks where the model takes no tools. */
  voice(otherwise: Voice): Voice;
}

/** Open the agent over its harmless sets of tools: its own notes, the time, and questions about texts that it does not read. */
export function openAgent(options: ComposeOptions, floors: AgentFloors): AgentVoices {
  const { store, authority, speaker, notices, hooks } = floors;
  const { clock, log } = options.floor;
  const config = (): Config => options.config.current();
  const classesOf: Standpoint["classesOf"] = (tool) => agents.toolbox.definitions.find(({ name }) => name === tool)?.classes ?? null;
  const unread = openUnread(options, { store, authority, speaker, classesOf, live: () => agents.live });
  const endorsed: Standpoint["endorsed"] = (sha256) => store.read.calls.endorsed(sha256);
  const own = ownTools(options, { store, gateway: () => gateway, ledger: () => scheduling.ledger, classesOf, endorsed });
  const agents: Agents = openAgents({ tools: [...own, clockTool(clock), ...unread, ...(options.moreTools ?? [])] });
  const tools: GatewayTools = {
    definitions: agents.toolbox.definitions,
    remote: () => new Set(config().people.remoteTools),
    protects: protectsOf(config),
    guardrail: openGuardrail(options, speaker, () => hooks.votes()),
    endorsed,
    asksSpent: (foreign) => notices.note("asks_spent", { ids: foreign }),
  };
  const gateway: Gateway = authority.gateway(tools);
  const voice = agentVoice(options, { store, authority, speaker, agents, gateway, hooks });
  let rejectsUntilMs = Number.NEGATIVE_INFINITY;
  const takesTools = (): boolean => speaker.agent(UNMETERED) !== null && clock.monotonicMs() >= rejectsUntilMs;
  let road: Pick<Road, "resume" | "takeUp"> | null = null;
  const scheduling: Scheduling = openScheduling(options, {
    store,
    authority,
    takeUp: (id) => road?.takeUp(id),
    tools: () => agents.toolbox.definitions.map(({ name }) => name),
  });
  return {
    classesOf,
    hooks: hooks.desk,
    definitions: agents.toolbox.definitions,
    guardrails: guardrailsDesk(options, { authority, speaker, tools }),
    live: agents.live,
    scheduling,
    scheduled: () => createScheduledVoice({ clock, agent: voice }),
    isScheduled: (turn) => scheduleStateOf(turn) !== null,
    goesOnBy: (one) => (road = one),
    isControl: (text, line) => isAgents(config(), line) && takesTools() && controlIn(text, line.place, options) !== null,
    control: () =>
      agentControl(options, { store, live: agents.live, classesOf, resume: async (answer) => (await road?.resume(answer)) ?? false }),
    serves: (turn) => turn.kind === "resume" || (isAgents(config(), turn) && takesTools()),
    voice: (otherwise) => ({
      async run(turn, signal) {
        hooks.tellUnusable();
        try {
          return await voice.run(turn, signal);
        } catch (error) {
          // A model that takes no tools refuses the question whole: then the voice speaks that can do less.
          if (!isRuntimeError(error, "model_rejected") || turn.kind === "resume") throw error;
          rejectsUntilMs = clock.monotonicMs() + WITHOUT_TOOLS_MS;
          log.write("warn", "agent_without_tools");
          return await otherwise.run(turn, signal);
        }
      },
    }),
  };
}

interface OwnToolsFloors extends Pick<AgentFloors, "store">, Pick<Standpoint, "classesOf" | "endorsed"> {
  readonly gateway: () => Gateway;
  readonly ledger: () => SchedulesLedger;
}

/** What an agent has of its own line: notes, and what happens by the clock. */
function ownTools({ floor }: ComposeOptions, { store, gateway, ledger, classesOf, endorsed }: OwnToolsFloors): readonly Tool[] {
  const labelIn = (session: SessionId): string => labelOf(gateway(), store, session);
  const carriesOthers = ({ id, person, character }: SessionFacts): boolean =>
    foreignIn(labelIn(id), { person, character, classesOf, endorsed }).length > 0;
  return [
    ...noteTools({ clock: floor.clock, verbs: store.sessions, reads: store.read.sessions, labelOf: labelIn }),
    ...scheduleTools(ownSchedules({ store, ledger, carriesOthers })),
  ];
}

/** The agent's voice over the store, the models and the authority. */
function agentVoice(
  options: ComposeOptions,
  {
    store,
    authority,
    speaker,
    agents,
    gateway,
    hooks,
  }: Omit<AgentFloors, "notices"> & { readonly agents: Agents; readonly gateway: Gateway },
): Voice {
  const { clock, ids, log } = options.floor;
  const config = (): Config => options.config.current();
  return agents.voice({
    clock,
    ids,
    log,
    gateway,
    hooks: hooks.hooks,
    verbs: store.sessions,
    reads: store.read.sessions,
    system: ({ character }) => systemText(characterOf(config(), character)),
    model(turn) {
      const payer = { person: turn.person, surface: turn.place.surface, character: turn.character };
      const model = speaker.agent(authority.meterFor(payer));
      if (model === null) throw new RuntimeError("not_found", "Cannot run a turn with tools: no model is configured");
      return model;
    },
    reserve: (turn) => chargesOf(authority.reserveFurther(turn.person, turn.place.surface)),
    startOf(turn) {
      const state = scheduleStateOf(turn);
      return state === null ? { starter: starterOf(turn), grant: null } : { starter: "schedule", grant: state.grant };
    },
    asks: ({ person, place }) => store.read.openQuestions(person, place.id).length > 0,
    maxOutputTokens: () => ANSWER_TOKENS,
    ceilings: (starter) => ceilingsOf(starter, config().agent),
  });
}

/** Only to see whether there is a model at all; nothing is asked through it. */
const UNMETERED = {
  reserve: () => Promise.reject(new RuntimeError("budget_spent", "Cannot ask: nobody pays for this")),
} as const;

function isAgents({ agent }: Config, { origin }: Pick<Turn, "origin">): boolean {
  if (agent.lines === "off") return false;
  const { role, channel, assurance } = Origin.factsOf(origin);
  if (role !== "operator" || channel !== "direct") return false;
  return assuranceReaches(assurance, agent.lines === "local" ? "local" : "relayed");
}

function starterOf({ place }: Turn): TurnStarter {
  return place.surface === "terminal" ? "terminal" : "surface";
}

function chargesOf(reservation: Reservation): readonly Charge[] | null {
  return reservation.kind === "reserved" ? reservation.charges : null;
}

function characterOf(config: Config, id: Turn["character"]): Parameters<typeof systemText>[0] {
  const character = config.characters.get(id);
  if (character === undefined) throw new RuntimeError("not_found", "Cannot speak as that character: it is no longer configured");
  return character;
}

/** The label of everything that stands in a session: the last answer's holds all before it, and what came since is joined to it. */
function labelOf({ labels }: Gateway, store: Store, session: SessionId): string {
  const last = store.read.sessions.facts(session)?.last ?? 0;
  const newest = store.read.sessions.entries(session, Math.max(0, last - NEWEST_ENTRIES), NEWEST_ENTRIES);
  return labelText(joinLabels(labels.ofRuntime(), ...newest.map(({ label }) => labels.read(label))));
}
