import { resolve } from "node:path";
import { parseCharacterId, parseSurfaceName } from "../../vocabulary/ids.ts";
import type { CharacterId, SurfaceName } from "../../vocabulary/ids.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import { CEILINGS } from "../../vocabulary/limits.ts";
import type { Limits } from "../../vocabulary/limits.ts";
import type {
  Admission,
  BudgetsConfig,
  CharacterConfig,
  Config,
  EngagementConfig,
  ModelsConfig,
  NotifyConfig,
  RoomConfig,
  SurfaceConfig,
} from "../config.ts";
import type { ConfigPath } from "../problem.ts";
import { didYouMean, showName } from "../problem.ts";
import type { RawCharacter, RawConfig, RawLimits, RawRoom, RawSurface } from "../schema/raw-config.ts";
import type { Tokens } from "./resolve-discord.ts";
import { resolveDiscord } from "./resolve-discord.ts";
import { resolveReach } from "./resolve-reach.ts";
import { suggest } from "../rules/suggest.ts";

const MAX_CHARACTERS = 64;
const MAX_SURFACES = 32;

/** Notes a broken rule; the caller knows where in the file the path stands. */
export type Report = (path: ConfigPath, rule: string) => void;

/** What the file's keys alone do not say. */
export interface ResolveNeeds {
  readonly path: string | null;
  readonly secretFiles: readonly string[];
  readonly stateDirectory: string;
  readonly models: ModelsConfig;
  readonly notify: NotifyConfig;
  readonly tokens: Tokens;
  readonly traces: Config["traces"];
  readonly guardrails: Config["guardrails"];
  readonly hooks: Config["hooks"];
}

/**
 * Check what no single key can show (MC-104: conflicting modes, unknown names, doubled ports) and make the configuration in
 * force. Every broken rule goes to `report`; the result counts only if there was none.
 */
export function resolveConfig(raw: RawConfig, needs: ResolveNeeds, report: Report): Config {
  const config: Config = {
    source: { path: needs.path, secretFiles: needs.secretFiles },
    stateDirectory: needs.stateDirectory,
    characters: resolveCharacters(raw, report),
    people: { ...resolveOperators(raw, report), remoteTools: raw.people.remote_tools },
    agent: agentOf(raw),
    guardrails: needs.guardrails,
    hooks: needs.hooks,
    models: needs.models,
    surfaces: resolveSurfaces(raw, needs.tokens, report),
    console: { port: raw.console.port },
    engagement: engagementOf(raw),
    loops: { rounds: raw.loops.rounds },
    budgets: budgetsOf(raw),
    delivery: {
      disclosure: { ...raw.delivery.disclosure },
      neverSay: [...raw.delivery.never_say],
      commandPrefixes: raw.delivery.command_prefixes,
    },
    notify: needs.notify,
    limits: limitsOf(raw.limits),
    log: { level: raw.log.level, file: logFileOf(raw, needs.stateDirectory) },
    traces: needs.traces,
  };
  checkGreetings(raw, report);
  return freeze(config);
}

function logFileOf({ log }: RawConfig, stateDirectory: string): Config["log"]["file"] {
  if (log.file === undefined) return null;
  return { path: resolve(stateDirectory, log.file), maxBytes: log.max_kib * 1_024, keep: log.keep };
}

function resolveCharacters(raw: RawConfig, report: Report): ReadonlyMap<CharacterId, CharacterConfig> {
  const entries = Object.entries(raw.characters);
  if (entries.length === 0) report(["characters"], "must name at least one character");
  if (entries.length > MAX_CHARACTERS) report(["characters"], `must be at most ${MAX_CHARACTERS}`);
  return new Map(entries.map(([word, character]) => [parseCharacterId(word), characterOf(parseCharacterId(word), character)]));
}

function characterOf(id: CharacterId, raw: RawCharacter): CharacterConfig {
  const name = raw.name ?? capital(id);
  return {
    id,
    name,
    aliases: [...new Map([name, ...(raw.aliases ?? [])].map((alias) => [fold(alias), alias])).values()],
    description: raw.description.trim(),
    private: raw.private.trim(),
    greeting: raw.greeting.trim(),
    ...(raw.language === undefined ? {} : { language: raw.language }),
  };
}

function resolveOperators(raw: RawConfig, report: Report): Pick<Config["people"], "operators" | "ownAccounts"> {
  const { operators, own_accounts: own } = raw.people;
  if (operators.length > raw.limits.operators)
    report(["people", "operators"], `must be at most ${raw.limits.operators} entries, as limits.operators says`);
  const seen = new Set<PrincipalId>();
  for (const [index, entry] of operators.entries()) {
    const id = parsePrincipalId(entry);
    if (seen.has(id)) report(["people", "operators", index], "this account stands here twice");
    seen.add(id);
  }
  for (const [index, entry] of own.entries())
    if (!seen.has(parsePrincipalId(entry))) report(["people", "own_accounts", index], "this account does not stand under people.operators");
  return { operators: [...seen], ownAccounts: own.map(parsePrincipalId) };
}

function resolveSurfaces(raw: RawConfig, tokens: Tokens, report: Report): ReadonlyMap<SurfaceName, SurfaceConfig> {
  const entries = Object.entries(raw.surfaces);
  if (entries.length > MAX_SURFACES) report(["surfaces"], `must be at most ${MAX_SURFACES}`);
  const ports = new Map<number, string>([[raw.console.port, "the console"]]);
  const surfaces = new Map<SurfaceName, SurfaceConfig>();
  for (const [word, surface] of entries) {
    const name = parseSurfaceName(word);
    if (surface.kind === "room") {
      const taken = surface.port === 0 ? undefined : ports.get(surface.port);
      if (taken !== undefined) report(["surfaces", word, "port"], `the port is already that of ${taken}`);
      ports.set(surface.port, `surfaces.${word}`);
      surfaces.set(name, resolveRoom(word, surface, raw, report));
      continue;
    }
    const token = tokens.get(name);
    // Without a token the file is refused already; what else is wrong is said all the same.
    if (token !== undefined) surfaces.set(name, resolveDiscord(word, surface, { token, config: raw }, report));
  }
  return surfaces;
}

function resolveRoom(word: string, surface: RawRoom, raw: RawConfig, report: Report): RoomConfig {
  const outside = resolveReach(["surfaces", word], surface, report);
  return {
    kind: "room",
    name: parseSurfaceName(word),
    title: surface.title ?? capital(word),
    port: surface.port,
    outside,
    door: surface.door ?? (outside === null ? "open" : "invited"),
    characters: cast(raw, word, surface, report),
    admission: surface.admission,
    bots: surface.bots,
    everyoneIsMention: surface.everyone_is_mention,
    links: surface.links.map((link) => new URL(link).href),
  };
}

/** The characters of a surface: known ones, each once, and no two with one alias. */
function cast(raw: RawConfig, surface: string, own: RawRoom, report: Report): CharacterId[] {
  const known = new Set<string>();
  const aliases = new Map<string, string>();
  for (const [at, word] of listedCharacters(["surfaces", surface], own, report)) {
    const character = Object.hasOwn(raw.characters, word) ? raw.characters[word] : undefined;
    if (character === undefined)
      report(at, `there is no character ${showName(word)}${didYouMean(suggest(word, Object.keys(raw.characters)))}`);
    else if (known.has(word)) report(at, `the character ${showName(word)} stands here twice`);
    else checkAliases(characterOf(parseCharacterId(word), character), aliases, (rule) => report(at, rule));
    known.add(word);
  }
  return [...known].map((word) => parseCharacterId(word));
}

/** What either key lists, each with its place in the file. */
function listedCharacters(path: ConfigPath, { character, characters }: RawRoom, report: Report): [ConfigPath, string][] {
  if (characters !== undefined) {
    if (character !== undefined) report([...path, "character"], "either `character` or `characters`, not both");
    return characters.map((word, index) => [[...path, "characters", index], word]);
  }
  if (character !== undefined) return [[[...path, "character"], character]];
  report(path, "needs a `character` or a list of `characters`");
  return [];
}

/** A word that calls two characters of one place would call neither reliably. */
function checkAliases(character: CharacterConfig, taken: Map<string, string>, report: (rule: string) => void): void {
  for (const alias of character.aliases) {
    const other = taken.get(fold(alias));
    if (other !== undefined) report(`the characters ${showName(other)} and ${showName(character.id)} answer to the same alias`);
    taken.set(fold(alias), character.id);
  }
}

/** `silent` admits nothing and says nothing, so a greeting that only silent places could give is a mistake (MC-104). */
function checkGreetings(raw: RawConfig, report: Report): void {
  for (const [id, character] of Object.entries(raw.characters)) {
    const places = Object.values(raw.surfaces).flatMap((surface) => placesOf(surface, id));
    const silent = places.length > 0 && places.every((admission) => admission === "silent");
    if (silent && character.greeting.trim() !== "") {
      report(["characters", id, "greeting"], "can never be said: every surface of this character is `silent`; remove one of the two");
    }
  }
}

/** How each place of a surface admits in which a character speaks. */
function placesOf(surface: RawSurface, id: string): readonly Admission[] {
  const own = surface.character === id || (surface.kind === "room" && surface.characters?.includes(id) === true);
  const inner = surface.kind === "room" ? [] : Object.values(surface.places).filter(({ character }) => character === id);
  return [...(own ? [surface.admission] : []), ...inner.map(({ admission }) => admission ?? surface.admission)];
}

/** Where there is an agent, and how far one turn of it goes. */
function agentOf({ agent }: RawConfig): Config["agent"] {
  const { lines, requests_per_turn: requests, calls_per_turn: calls, requests_until_asked: askAfterRequests } = agent;
  return { lines, requests, calls, askAfterRequests };
}

function engagementOf({ engagement }: RawConfig): EngagementConfig {
  const words = engagement.greeting_words;
  return {
    greetingWords: words === undefined ? null : new Map(Object.entries(words)),
    greetingMaxCharacters: engagement.greeting_max_characters,
    greetingRadiusMetres: engagement.greeting_radius_m,
    whisperRadiusMetres: engagement.whisper_radius_m,
    followUpMs: engagement.follow_up_s * 1_000,
    people: engagement.people,
  };
}

function budgetsOf({ budgets }: RawConfig): BudgetsConfig {
  return {
    repliesPerMinutePerRoom: budgets.replies_per_minute_per_room,
    repliesPerMinutePerPerson: budgets.replies_per_minute_per_person,
    callsPerDayPerPerson: budgets.calls_per_day_per_person,
    callsPerDayPerSpace: budgets.calls_per_day_per_space,
    callsPerDayInAll: budgets.calls_per_day_in_all,
    toolCallsPerDayPerPerson: budgets.tool_calls_per_day_per_person,
    toolCallsPerDayInAll: budgets.tool_calls_per_day_in_all,
    moneyPerDayInAllMicros: microsOf(budgets.money_per_day_in_all),
    moneyPerDayPerSpaceMicros: microsOf(budgets.money_per_day_per_space),
    spentText: budgets.spent_text ?? null,
  };
}

/** The nearest millionth. */
function microsOf(amount: number | undefined): number | null {
  return amount === undefined ? null : Math.round(amount * 1_000_000);
}

function limitsOf(raw: RawLimits): Limits {
  return {
    ...CEILINGS,
    concurrentTurns: raw.concurrent_turns,
    senders: raw.senders,
    queuedPerLane: raw.queued_per_lane,
    ingress: raw.ingress,
    messageBytes: raw.message_bytes,
    packetLines: raw.packet_lines,
    modelRequests: raw.model_requests,
    publicReplyBytes: raw.public_reply_bytes,
    directReplyBytes: raw.direct_reply_bytes,
    operators: raw.operators,
  };
}

function fold(alias: string): string {
  return alias.normalize("NFKC").toLowerCase();
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Freeze plain objects, lists and the values of maps, all the way down. */
function freeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  const inner =
    value instanceof Map
      ? [...value.values()]
      : Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
        ? Object.values(value)
        : [];
  for (const part of inner) freeze(part);
  return Array.isArray(value) || value instanceof Map || Object.getPrototypeOf(value) === Object.prototype ? Object.freeze(value) : value;
}
