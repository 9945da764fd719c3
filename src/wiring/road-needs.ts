import type { TakenAnswer } from "../authority/approvals/take-answer.ts";
import type { Authority } from "../authority/authority.ts";
import { readProposal } from "../operations/mcp/proposal.ts";
import { proposedVoice } from "./mcp/mcp-reply.ts";
import type { Payer } from "../authority/money.ts";
import { createCoordinator } from "../characters/coordinator.ts";
import { noticeText } from "../characters/fixed-texts.ts";
import type { Spot } from "../characters/spaces.ts";
import { hearersOf, spaceOf } from "../characters/spaces.ts";
import type { Chronicle } from "../chronicle/chronicle.ts";
import { createLedger } from "../chronicle/ledger.ts";
import type { ComposeOptions } from "./compose-options.ts";
import { createOrder } from "./commands/acts.ts";
import type { OperatorChat } from "./commands/operator-chat.ts";
import type { OperatorDesk } from "./commands/operator-desk.ts";
import { createOperatorDesk } from "./commands/operator-desk.ts";
import type { Surface } from "../surfaces/surface.ts";
import type { Config } from "../config/config.ts";
import { disclosureLine } from "../config/config.ts";
import { printable } from "../foundation/printable.ts";
import type { Speaker } from "../models/speaker.ts";
import { NO_TRACES } from "../observe/traces.ts";
import type { Notices } from "../observe/notices.ts";
import type { OwnerChatFace } from "../operations/faces/owner-chat.ts";
import type { ResponsePolicies } from "../operations/policy/response-policies.ts";
import type { Outcomes } from "../observe/outcomes.ts";
import { publishRoad } from "../observe/road-outcomes.ts";
import type { TriggerLogs } from "../observe/trigger-logs.ts";
import { respond } from "../responder/responder.ts";
import type { NoticeSituation } from "../road/3-turns/turns.ts";
import { createResponderVoice } from "../road/3-turns/responder-voice.ts";
import type { ToolShape } from "../road/4-delivery/findings.ts";
import { createGate } from "../road/4-delivery/gate.ts";
import type { InertRules } from "../road/4-delivery/inert.ts";
import type { RoadNeeds, RoadObserver, RoadPolicy } from "../road/road.ts";
import type { Store } from "../store/store.ts";
import type { AgentVoices } from "./agent/agent.ts";
import { engagementRule, greetingRule } from "./addressing.ts";
import type { CharacterId, SurfaceName } from "../vocabulary/ids.ts";
import type { Place } from "../vocabulary/place.ts";
import { pauseOver } from "../vocabulary/pause.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import { LOCAL_OWNER } from "../vocabulary/principal.ts";
import { responseMode } from "../vocabulary/response-policy.ts";
import type { Turn } from "../vocabulary/turn.ts";
import { chatCommands } from "./commands/chat-commands.ts";
import { COMMANDS } from "./commands/commands.ts";
import type { ModelKnowledge } from "./trying/model-knowledge.ts";
import { noticesOfRoad } from "./notices.ts";
import { botsOf } from "./commands/policies.ts";
import { UNTRACED, traceVoices } from "./traced-voice.ts";
import { voiceChoice } from "./agent/voice-choice.ts";

/** Milliseconds beyond the model's own deadline: for the packet, and for asking once more. */
const TURN_MARGIN_MS = 15_000;
const UNDERSTUDY_DEADLINE_MS = 60_000;

/** What stands already when the road is built. */
export interface RoadFloors {
  readonly store: Store;
  readonly chronicle: Chronicle;
  /** With what trials found out of the models; nothing where that is left out. */
  readonly speaker: Speaker & { readonly known?: Pick<ModelKnowledge, "habits"> };
  readonly authority: Authority;
  readonly outcomes: Outcomes;
  /** Where what an operator should know goes; nowhere when it is left out. */
  readonly notices?: Pick<Notices, "note">;
  /** Where replies go; where they were asked when it is left out. */
  readonly policies?: Pick<ResponsePolicies, "of">;
  /** Where messages that call a bot are logged; nowhere when it is left out. */
  readonly triggers?: TriggerLogs;
  /** The commands of a bot's owner; there are none when it is left out. */
  readonly owner?: OwnerChatFace;
  /** The commands that operators say on their own lines; there are none when it is left out. */
  readonly operatorChat?: OperatorChat;
  /** The voice with tools; nobody has it where that is left out. */
  readonly agent?: AgentVoices;
  readonly key: Uint8Array;
  /** Where people are; those that are open by now. */
  readonly surfaces?: () => readonly Surface[];
}

type DeskedFloors = RoadFloors & { readonly desk: OperatorDesk };

/** Hand the road its ports. Configuration is read anew for each message. */
export function roadNeeds(options: ComposeOptions, floors: RoadFloors): RoadNeeds {
  const { store, chronicle, authority } = floors;
  const config = (): Config => options.config.current();
  const gate = createGate({ redactor: options.floor.redactor, rules: (place) => gateRules(config(), place), tools: () => TOOLS });
  const desk = createOperatorDesk(options, { ...floors, gate });
  const present = (surface: SurfaceName): CharacterId[] => hearersOf(config(), surface);
  return {
    ledger: createLedger({ store, chronicle, present }),
    authority: { ...authority, proveAnswer: async (answer, signal) => answeredHere(store, await authority.proveAnswer(answer, signal)) },
    policy: roadPolicy(options, { ...floors, desk }),
    gate,
    observer: observerOf(options, { ...floors, desk }),
    environment: options.floor,
  };
}

/** What a program proposes is answered where all of it was shown, and never by a word in chat (SE-082). */
function answeredHere({ read }: Pick<Store, "read">, judged: TakenAnswer): TakenAnswer {
  const record = judged.kind === "taken" ? read.calls.ask(judged.row.approval) : null;
  return record === null || readProposal(record) === null ? judged : { kind: "refused", why: "show_first" };
}

function observerOf(
  { config, floor }: ComposeOptions,
  { outcomes, triggers, desk, notices = { note: () => {} } }: DeskedFloors,
): RoadObserver {
  const people = publishRoad(outcomes);
  const operator = noticesOfRoad(notices);
  return {
    ...people,
    notice(notice) {
      operator.notice(notice);
      desk.notice(notice);
    },
    waiting(row, event) {
      people.waiting(row);
      triggers?.waiting(row, event);
    },
    begins: (rows, before) => triggers?.begins(rows, before),
    ended(ended) {
      people.ended(ended);
      triggers?.ended(ended.row);
    },
    suppressed(id, event, reason) {
      people.suppressed(id, event, reason);
      operator.suppressed(id, event, reason);
      desk.suppressed(id, event, reason);
    },
    // What could not be told in private is told nowhere else: only the log and whoever runs this hear of it (VS-021).
    receipt({ state, place, part, turn }) {
      if (state !== "failed" || place.kind !== "direct" || !botsOf(config.current()).includes(place.surface)) return;
      floor.log.write("warn", "direct_failed", { surface: printable(place.surface), part: printable(part) });
      notices.note("direct_failed", { ids: [turn] });
    },
  };
}

/** Every command by name and arguments, as a model would write a call of it. */
const TOOLS: readonly ToolShape[] = COMMANDS.map(({ name, arguments: args }) => ({ name, parameters: args.map((arg) => arg.name) }));

/** What the gate lets into a place: that surface's own links, or any in an operator's own line (TR-059, TR-090). */
function gateRules({ surfaces, people, delivery }: Config, place: Place): InertRules {
  const isOperators = place.kind === "direct" && (place.person === LOCAL_OWNER || people.operators.includes(place.person));
  return {
    links: isOperators ? "any" : (surfaces.get(place.surface)?.links ?? []),
    neverSay: delivery.neverSay,
    commandPrefixes: delivery.commandPrefixes,
  };
}

function roadPolicy(options: ComposeOptions, floors: DeskedFloors): RoadPolicy {
  const config = (): Config => options.config.current();
  const { clock } = options.floor;
  const { speaker, authority } = floors;
  const habits = (): ReturnType<ModelKnowledge["habits"]> | undefined =>
    speaker.known?.habits((name) => speaker.hosts().some(({ by, down }) => by === name && down !== null));
  const apiOf = (name: string): string | undefined => config().models.hosts.get(name.slice(0, name.indexOf("/")))?.api;
  const { traces = NO_TRACES } = options;
  const traced = traces === NO_TRACES ? UNTRACED : traceVoices({ traces, key: floors.key, apiOf });
  const coordinator = createCoordinator({
    config,
    clock,
    key: floors.key,
    model: () => habits() ?? { contract: "lean", packetBytes: null },
    visibleFor: (character, destination, range) => floors.chronicle.visibleFor(character, destination, range),
  });
  const responder = createResponderVoice({
    packetFor: (turn, maxBytes) => coordinator.packetFor(turn, maxBytes),
    alarm: ({ id, character }) => {
      options.floor.log.write("error", "voice_stopped", { character: printable(character), turn: printable(id) });
      floors.notices?.note("voice_stopped", { ids: [character, id] });
    },
    tooLong: ({ id, character }) => floors.notices?.note("truncated_window", { ids: [character, id] }),
    respond: (turn, packet, signal) => {
      const model = traced.model(turn, speaker.voice(authority.meterFor(payerOf(turn))));
      return respond({ model, clock, asksForSchema: habits()?.asksForSchema ?? true }, packet, signal);
    },
  });
  const { policies } = floors;
  const chat = chatCommands(options, floors);
  const order = createOrder(options, { ...floors, chat: chat.own });
  const isHalted = (): boolean => floors.store.read.halted() !== null;
  const voices = voiceChoice({ operation: chat.voice, responder, agents: floors.agent, operatorChat: floors.operatorChat });
  return {
    space: (spot) => spaceAt(spot, { config: config(), floors, bars: (person) => order.bars(spot, person) }),
    engagement: () => engagementRule(config()),
    acts: (act, road) => order.acts(act, road),
    cards: floors.desk.cards,
    barred: (where, person) => order.barred(where, person),
    optedOut: (person) => floors.store.read.optedOut(person),
    halted: isHalted,
    paused: (where) => isHalted() || pauseOver(floors.store.read.pauses(), where) !== null,
    classOf: (text, channel) => chat.classOf(text, channel),
    // While everything stands there is no turn to stop or steer.
    isControl: (text, line) =>
      floors.operatorChat?.isCommand(text, line) === true || (!isHalted() && floors.agent?.isControl(text, line) === true),
    answersBy: ({ event: { surface, text }, class: kind, character }) =>
      policies !== undefined && botsOf(config()).includes(surface)
        ? responseMode(policies.of(surface).policy, kind === "command" ? chat.nameIn(text, character) : null)
        : "channel",
    voiceOf: (turn) => proposedVoice(turn) ?? traced.voice(voices.voiceOf(turn)),
    // The agent's voice bounds itself, by what made its turn run: waiting for a person does not count (TR-057).
    deadlineMs: (turn) => (voices.isAgents(turn) ? null : deadlineOf(config()) + TURN_MARGIN_MS),
    noticeText: (turn, end) => noticeOf(config(), turn, end),
    // The owner is told by the program itself, at its start.
    disclosure: (turn) => (turn.person === LOCAL_OWNER ? null : disclosureLine(config().delivery.disclosure)),
  };
}

/** The space of a spot, with what operators and moderators decided beside the configuration. */
function spaceAt(
  spot: Spot,
  { config, floors, bars }: { readonly config: Config; readonly floors: DeskedFloors; readonly bars: (person: PrincipalId) => boolean },
): ReturnType<RoadPolicy["space"]> {
  const { store, desk, speaker } = floors;
  const known = (person: PrincipalId): boolean => store.read.member(person) !== null;
  const space = spaceOf(config, spot, { known, open: desk.isOpen(spot), understudy: speaker.model.understudy });
  return { ...space, greeting: greetingRule(config), bars };
}

/** Whose call it is, as the budgets count it. */
function payerOf({ person, place, character }: Turn): Payer {
  return { person, surface: place.surface, character };
}

/** The fixed text for a situation; the one for a spent day may be the owner's. */
function noticeOf({ budgets, characters }: Config, turn: Turn, situation: NoticeSituation): string {
  const own = situation === "spent" ? budgets.spentText : null;
  return own ?? noticeText(situation, characters.get(turn.character)?.language);
}

/** The time of all that may be asked one after another, loading included. */
function deadlineOf({ models }: Config): number {
  const names = [models.defaultModel, ...models.fallbackModels].filter((name) => name !== null);
  const hosts = names.map((name) => models.hosts.get(name.slice(0, name.indexOf("/"))));
  if (hosts.length === 0) return UNDERSTUDY_DEADLINE_MS;
  return hosts.reduce((sum, host) => sum + (host === undefined ? 0 : host.deadlineMs + host.loadMs), 0);
}
