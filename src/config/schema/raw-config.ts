import type { HookName } from "../../vocabulary/calls/hook-event.ts";
import type { GuardrailMode } from "../../vocabulary/calls/guardrail-rule.ts";
import type { AskScope, ToolCapability } from "../../vocabulary/calls/tool-definition.ts";
import type { APIS, Admission, AgentLines, Bots, RoomDoor, THINK } from "../config.ts";
import type { Delivery, DirectMode, OwnerNotices } from "../discord-config.ts";
import type { LogLevel } from "../../foundation/log.ts";

/** A value that may be left out of the file. */
type Absent<Value> = Value | undefined;

/** A character as the file has it, defaults filled in. */
export interface RawCharacter {
  name?: Absent<string>;
  aliases?: Absent<string[]>;
  description: string;
  private: string;
  greeting: string;
  language?: Absent<string>;
}

/** Prices of a million tokens as the file has them. */
export interface RawPrice {
  prompt: number;
  completion: number;
  cache_read?: Absent<number>;
  cache_write?: Absent<number>;
}

/** A model as the file has it. */
export interface RawModel {
  context?: Absent<number>;
  max_output: number;
  think?: Absent<boolean | (typeof THINK)[number]>;
  price?: Absent<"unknown" | "free" | RawPrice>;
}

/** A model host as the file has it. */
export interface RawHost {
  api: (typeof APIS)[number];
  url: string;
  key_env?: Absent<string>;
  key_file?: Absent<string>;
  deadline_s: number;
  load_s?: Absent<number>;
  keep_alive?: Absent<number | string>;
  models: string[] | Record<string, RawModel>;
}

/** A surface as the file has it. */
export type RawSurface = RawRoom | RawDiscord;

/** A place on Discord as the file has it. */
export interface RawDiscordPlace {
  admission?: Absent<Admission>;
  delivery?: Absent<Delivery>;
  allow?: Absent<string[]>;
  character?: Absent<string>;
  context_messages?: Absent<number>;
  context_chars?: Absent<number>;
  calls_per_day?: Absent<number>;
}

/** A discord surface as the file has it. */
export interface RawDiscord {
  kind: "discord";
  title?: Absent<string>;
  token_env?: Absent<string>;
  token_file?: Absent<string>;
  character: string;
  admission: Admission;
  allow: string[];
  moderators: string[];
  delivery: Delivery;
  owner_notices: OwnerNotices;
  dms: DirectMode;
  bots: Bots;
  everyone_is_mention: boolean;
  links: string[];
  context_messages: number;
  context_chars: number;
  places: Record<string, RawDiscordPlace>;
  api_base: string;
  other_server: boolean;
}

/** A room as the file has it. */
export interface RawRoom {
  kind: "room";
  title?: Absent<string>;
  port: number;
  listen?: Absent<string>;
  public_url?: Absent<string>;
  proxies: string[];
  door?: Absent<RoomDoor>;
  character?: Absent<string>;
  characters?: Absent<string[]>;
  admission: Admission;
  bots: Bots;
  everyone_is_mention: boolean;
  links: string[];
}

/** A call as an example of a rule. */
export interface RawExample {
  tool: string;
  kind?: Absent<ToolCapability>;
  folder?: Absent<string>;
  arguments: Record<string, unknown>;
}

/** A rule over calls as the file has it. */
export interface RawRule {
  tool?: Absent<string[]>;
  kind?: Absent<ToolCapability[]>;
  command?: Absent<string>;
  path?: Absent<string[]>;
  outside?: Absent<string[]>;
  arguments?: Absent<Record<string, string>>;
  verdict: "ask" | "deny";
  reason: string;
  scopes?: Absent<Exclude<AskScope, "once">[]>;
  models?: Absent<string[]>;
  modes?: Absent<GuardrailMode[]>;
  match: RawExample[];
  not_match: RawExample[];
}

/** A hook as the file has it. */
export interface RawHook {
  file: string;
  sha256: string;
  events: HookName[];
  required?: Absent<boolean>;
  deadline_ms: number;
}

/** Rules over calls as the file has them. */
export interface RawGuardrails {
  enabled: boolean;
  mode: GuardrailMode;
  disable: string[];
  small_models: string[];
  rules: Record<string, RawRule>;
}

/** Ceilings as the file has them. */
export interface RawLimits {
  concurrent_turns: number;
  senders: number;
  queued_per_lane: number;
  ingress: number;
  message_bytes: number;
  packet_lines: number;
  model_requests: number;
  public_reply_bytes: number;
  direct_reply_bytes: number;
  operators: number;
}

/** The whole file after the schema: every type right, every default filled in, nothing checked across keys. */
export interface RawConfig {
  characters: Record<string, RawCharacter>;
  people: { operators: string[]; own_accounts: string[]; remote_tools: ToolCapability[] };
  agent: { lines: AgentLines; requests_per_turn: number; calls_per_turn: number; requests_until_asked: number };
  guardrails: RawGuardrails;
  hooks: Record<string, RawHook>;
  models: { hosts: Record<string, RawHost>; default?: Absent<string | string[]> };
  surfaces: Record<string, RawSurface>;
  console: { port: number };
  engagement: {
    greeting_words?: Absent<Record<string, string[]>>;
    greeting_max_characters: number;
    greeting_radius_m: number;
    whisper_radius_m: number;
    follow_up_s: number;
    people: number;
  };
  loops: { rounds: number };
  budgets: {
    replies_per_minute_per_room: number;
    replies_per_minute_per_person: number;
    calls_per_day_per_person: number;
    calls_per_day_per_space: number;
    calls_per_day_in_all: number;
    tool_calls_per_day_per_person: number;
    tool_calls_per_day_in_all: number;
    money_per_day_in_all?: Absent<number>;
    money_per_day_per_space?: Absent<number>;
    spent_text?: Absent<string>;
  };
  delivery: {
    disclosure: { what: string; by: string; operator: string };
    never_say: string[];
    command_prefixes: string;
  };
  notify: { webhook_url_env?: Absent<string>; webhook_file?: Absent<string> };
  limits: RawLimits;
  log: { level: LogLevel; file?: Absent<string>; max_kib: number; keep: number };
  traces: { otlp_url?: Absent<string>; key_env?: Absent<string>; key_file?: Absent<string> };
}
