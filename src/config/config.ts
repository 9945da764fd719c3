import type { ToolCapability } from "../vocabulary/calls/tool-definition.ts";
import type { DiscordConfig } from "./discord-config.ts";
import type { GuardrailsConfig } from "./guardrails-config.ts";
import type { HookConfig } from "./resolving/resolve-hooks.ts";
import type { EndpointUrl } from "../foundation/endpoint-url.ts";
import type { LogLevel } from "../foundation/log.ts";
import type { ModelPrice } from "../vocabulary/cost.ts";
import type { Secret } from "../foundation/secret.ts";
import type { CharacterId, SurfaceName } from "../vocabulary/ids.ts";
import type { Limits } from "../vocabulary/limits.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { TurnBounds } from "../vocabulary/calls/turn-ceilings.ts";

/** Where an operator's own line has an agent with tools: at this computer, or nowhere. */
export const AGENT_LINES = ["operators", "local", "off"] as const;
/** One of {@link AGENT_LINES}. */
export type AgentLines = (typeof AGENT_LINES)[number];

/** Where the configuration came from. */
export interface ConfigOrigin {
  /** The file as it was named; null for the built-in example. */
  readonly path: string | null;
  /** Files that hold keys, as the configuration names them. */
  readonly secretFiles: readonly string[];
}

/** A character as its author wrote it. */
export interface CharacterConfig {
  readonly id: CharacterId;
  readonly name: string;
  /** Words that address it, as written, the name among them. Never empty. */
  readonly aliases: readonly string[];
  /** What everyone may know of it. */
  readonly description: string;
  /** What it knows and does not say. Fiction: visitors can talk it out of the character (SE-088). */
  readonly private: string;
  /** What it says to someone it meets; "" when it waits to be spoken to. */
  readonly greeting: string;
  /** Language of its fixed texts (`en`, `de-CH`); absent when none is set. */
  readonly language?: string;
}

/** Who is answered in a space (TR-020). */
export const ADMISSIONS = ["addressed", "trusted", "silent"] as const;
/** One of {@link ADMISSIONS}. */
export type Admission = (typeof ADMISSIONS)[number];

/** Which bots are answered in a space (TR-023). */
export const BOTS = ["ignore", "mentions", "all"] as const;
/** One of {@link BOTS}. */
export type Bots = (typeof BOTS)[number];

/** Who may come into a room (TR-094): anyone who gives a name, or only who holds an invite. */
export const DOORS = ["open", "invited"] as const;
/** One of {@link DOORS}. */
export type RoomDoor = (typeof DOORS)[number];

/** How a room is reached from outside. */
export interface OutsideConfig {
  /** The address it listens on. */
  readonly address: string;
  /** The origin that guests open, as a browser writes it: scheme, host, and a port that is no standard one. */
  readonly origin: string;
  /** Addresses of reverse proxies whose word on the client's address counts. */
  readonly proxies: readonly string[];
}

/** A built-in web room. */
export interface RoomConfig {
  readonly kind: "room";
  readonly name: SurfaceName;
  readonly title: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** Null while it is on loopback alone. */
  readonly outside: OutsideConfig | null;
  readonly door: RoomDoor;
  /** At least one, in the order they are listed. */
  readonly characters: readonly CharacterId[];
  readonly admission: Admission;
  /** Which bots are answered (TR-023). */
  readonly bots: Bots;
  /** Whether a line to everyone speaks to the first character here. */
  readonly everyoneIsMention: boolean;
  /** Beginnings of addresses that may stay in replies here, as a parser writes them (TR-090); normally none. */
  readonly links: readonly string[];
}

/** A place people and characters meet. */
export type SurfaceConfig = RoomConfig | DiscordConfig;

/** How to speak to a model server. */
export const APIS = ["openai", "ollama", "anthropic"] as const;
/** Whether and how much a model thinks before it answers. */
export const THINK = ["off", "on", "low", "medium", "high"] as const;
/** The window that is asked of Ollama where the file names none: a whole packet, its answer, and room. */
export const OLLAMA_WINDOW_TOKENS = 8_192;
/** Seconds that Ollama may need to load a model, where the file names none. */
export const OLLAMA_LOAD_S = 120;

/** What is known of one model of a host. */
export interface ModelConfig {
  /** Tokens of its window, prompt and answer together; null when unknown. */
  readonly contextTokens: number | null;
  /** Tokens an answer may have. */
  readonly maxOutputTokens: number;
  /** Null to leave it to the server. */
  readonly think: (typeof THINK)[number] | null;
  /** Null when unknown. */
  readonly price: ModelPrice | null;
}

/** One model server. */
export interface ModelHostConfig {
  readonly api: (typeof APIS)[number];
  readonly url: EndpointUrl;
  /** Sent as the server's interface wants it; null for servers that want none. */
  readonly key: Secret | null;
  /** Milliseconds a request may take (TR-053). */
  readonly deadlineMs: number;
  /** Milliseconds more until the first token while the server may be loading the model. */
  readonly loadMs: number;
  /** Seconds the server keeps the model loaded; -1 for ever, null to leave it to the server. */
  readonly keepAliveS: number | null;
  /** By the name the host knows the model under; never empty. */
  readonly models: ReadonlyMap<string, ModelConfig>;
}

/** Model hosts by name, and the model that answers as `host/model`; null lets the understudy stand in. */
export interface ModelsConfig {
  readonly hosts: ReadonlyMap<string, ModelHostConfig>;
  readonly defaultModel: string | null;
  /** Who answers while the host before is down, in order, as `host/model`. */
  readonly fallbackModels: readonly string[];
}

/** What may be said and asked of models in a time (TR-024, TR-058). */
export interface BudgetsConfig {
  readonly repliesPerMinutePerRoom: number;
  readonly repliesPerMinutePerPerson: number;
  readonly callsPerDayPerPerson: number;
  readonly callsPerDayPerSpace: number;
  readonly callsPerDayInAll: number;
  readonly toolCallsPerDayPerPerson: number;
  readonly toolCallsPerDayInAll: number;
  /** Millionths of the currency; null for no bound (TR-092). */
  readonly moneyPerDayInAllMicros: number | null;
  readonly moneyPerDayPerSpaceMicros: number | null;
  /** What is said where a day's budget is used up; null for the fixed sentence. */
  readonly spentText: string | null;
}

/** When a character is spoken to without its name (MC-026). */
export interface EngagementConfig {
  /** Greetings by language; null for the built-in ones. */
  readonly greetingWords: ReadonlyMap<string, readonly string[]> | null;
  readonly greetingMaxCharacters: number;
  readonly greetingRadiusMetres: number;
  readonly whisperRadiusMetres: number;
  /** Milliseconds a conversation goes on without a name after the last exchange; 0 for never. */
  readonly followUpMs: number;
  /** People in conversation with one character in one place. */
  readonly people: number;
}

/** What the delivery gate needs to know. */
export interface DeliveryConfig {
  /** The parts of the first line a person ever gets; none can be empty (TR-091). */
  readonly disclosure: {
    /** What speaks: `AI character`. */
    readonly what: string;
    /** `run by`. */
    readonly by: string;
    /** Who answers for it. */
    readonly operator: string;
  };
  /** Words and phrases that never leave, in any case (SE-095). */
  readonly neverSay: readonly string[];
  /** Characters that never stand directly before the first word of a line (SE-095). */
  readonly commandPrefixes: string;
}

/** Where notices go beside the console (TR-093). */
export interface NotifyConfig {
  /** An address that takes them as JSON; null for none. */
  readonly webhook: Secret | null;
}

/**
 * The configuration in force: checked, complete with defaults, frozen. Read it anew for each turn through
 * {@link ConfigSource.current}; nothing else holds a copy.
 */
export interface Config {
  readonly source: ConfigOrigin;
  /** Absolute path of the folder for everything the runtime keeps. */
  readonly stateDirectory: string;
  /** At least one, in the order of the file. */
  readonly characters: ReadonlyMap<CharacterId, CharacterConfig>;
  readonly people: {
    /** Platform accounts with an operator's role (MC-035); `local:owner` is one without standing here. */
    readonly operators: readonly PrincipalId[];
    /** Those of them that are the owner's own (TR-010). */
    readonly ownAccounts: readonly PrincipalId[];
    /** What operators may do from an account of a platform that otherwise takes the own machine (SE-081). */
    readonly remoteTools: readonly ToolCapability[];
  };
  /** Where an operator's own line has an agent with tools (TR-032, SE-081), and how far one turn of it goes (MC-079). */
  readonly agent: TurnBounds & { readonly lines: AgentLines };
  readonly guardrails: GuardrailsConfig;
  /** The operator's own code that hears turns with tools, in its order. */
  readonly hooks: readonly HookConfig[];
  readonly models: ModelsConfig;
  readonly surfaces: ReadonlyMap<SurfaceName, SurfaceConfig>;
  readonly console: {
    /** Loopback port; 0 takes any free one. */
    readonly port: number;
  };
  readonly engagement: EngagementConfig;
  /** Rounds without a person before a place goes silent (TR-023). */
  readonly loops: { readonly rounds: number };
  readonly budgets: BudgetsConfig;
  readonly delivery: DeliveryConfig;
  readonly notify: NotifyConfig;
  readonly limits: Limits;
  readonly log: {
    readonly level: LogLevel;
    /** Null for standard error. */
    readonly file: {
      /** Absolute. */
      readonly path: string;
      readonly maxBytes: number;
      readonly keep: number;
    } | null;
  };
  /** The collector that spans go to; null for none. */
  readonly traces: { readonly url: EndpointUrl; readonly key: Secret | null } | null;
}

/** The way to the configuration in force. */
export interface ConfigSource {
  /** The configuration in force now; looks whether the file has changed, at most twice a second. Never throws. */
  current(): Config;
  /** Look at the file at once and say what came of it. Never throws for what stands in the file. */
  reload(): ReloadResult;
}

/** What became of a changed file. */
export type ReloadResult =
  | { readonly kind: "unchanged" }
  /** In force from the next message; `waiting` names the changed keys that need a new start. */
  | { readonly kind: "loaded"; readonly waiting: readonly string[] }
  /** The file breaks rules; the last good configuration stays (TR-006). `shut`: all calls of tools are denied until it is right. */
  | { readonly kind: "kept"; readonly why: string; readonly shut: boolean };

/** Operators as a set, made once for each configuration: it is asked for with every message. */
const OPERATORS = new WeakMap<Config["people"], ReadonlySet<PrincipalId>>();

/** Who is an operator by configuration. */
export function operatorsOf({ people }: Pick<Config, "people">): ReadonlySet<PrincipalId> {
  const known = OPERATORS.get(people) ?? new Set(people.operators);
  OPERATORS.set(people, known);
  return known;
}

/** The configured rooms, in the order of the file. */
export function roomsOf({ surfaces }: Pick<Config, "surfaces">): readonly RoomConfig[] {
  return [...surfaces.values()].filter((surface) => surface.kind === "room");
}

/** The disclosure as one line (TR-091). The commands stand in it whatever the wording. */
export function disclosureLine(disclosure: DeliveryConfig["disclosure"]): string {
  return `${disclosure.what} · ${disclosure.by} ${disclosure.operator} · /about · /forget`;
}
