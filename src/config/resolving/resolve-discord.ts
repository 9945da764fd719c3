import type { Secret } from "../../foundation/secret.ts";
import { parseCharacterId, parseSurfaceName } from "../../vocabulary/ids.ts";
import type { CharacterId, SurfaceName } from "../../vocabulary/ids.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import { TOKEN_RULE, isBotToken } from "../rules/bot-token.ts";
import type { AllowConfig, DiscordConfig, DiscordPlaceConfig } from "../discord-config.ts";
import type { Environment } from "../files/host-key.ts";
import { keyFromEnvironment, keyFromFile } from "../files/host-key.ts";
import type { ConfigPath } from "../problem.ts";
import { didYouMean, showName } from "../problem.ts";
import type { RawConfig, RawDiscord, RawDiscordPlace } from "../schema/raw-config.ts";
import { suggest } from "../rules/suggest.ts";

type Report = (path: ConfigPath, rule: string) => void;

/** Tokens of the configured bots by the name of their surface. */
export type Tokens = ReadonlyMap<SurfaceName, Secret>;

const ROLE = /^role:(\d+)\/(\d+)$/;

/** Read the bots' tokens: from the environment or a private file alone. Two surfaces with one token would answer everything twice. */
export function resolveTokens(
  { surfaces }: Pick<RawConfig, "surfaces">,
  needs: { readonly directory: string; readonly environment: Environment },
  report: Report,
): Tokens {
  const tokens = new Map<SurfaceName, Secret>();
  const taken = new Map<string, string>();
  for (const [word, surface] of Object.entries(surfaces)) {
    if (surface.kind !== "discord") continue;
    const found = readToken(surface, needs);
    if (found.kind === "refused") {
      report(["surfaces", word, found.key], found.rule);
      continue;
    }
    const value = found.token.reveal();
    const other = taken.get(value);
    if (other !== undefined) report(["surfaces", word, found.key], `the token is already that of ${showName(other)}: one bot, one surface`);
    taken.set(value, word);
    tokens.set(parseSurfaceName(word), found.token);
  }
  return tokens;
}

type TokenKey = "token_env" | "token_file" | "kind";

function readToken(
  { token_env: variable, token_file: file }: RawDiscord,
  { directory, environment }: { readonly directory: string; readonly environment: Environment },
):
  | { readonly kind: "token"; readonly token: Secret; readonly key: TokenKey }
  | { readonly kind: "refused"; readonly key: TokenKey; readonly rule: string } {
  if (variable !== undefined && file !== undefined)
    return { kind: "refused", key: "token_file", rule: "either `token_env` or `token_file`, not both" };
  const key = file === undefined ? "token_env" : "token_file";
  const name = file ?? variable;
  if (name === undefined) return { kind: "refused", key: "kind", rule: "needs `token_env` or `token_file`: where the bot's token is" };
  const reading = key === "token_file" ? keyFromFile(name, directory) : keyFromEnvironment(name, environment);
  if (reading.kind === "refused") return { kind: "refused", key, rule: reading.rule.replace("key file", "token file") };
  return isBotToken(reading.key) ? { kind: "token", token: reading.key, key } : { kind: "refused", key, rule: TOKEN_RULE };
}

/** Make a discord surface of the file's keys. The caller has its token, or has reported that there is none. */
export function resolveDiscord(
  word: string,
  raw: RawDiscord,
  needs: { readonly token: Secret; readonly config: RawConfig },
  report: Report,
): DiscordConfig {
  const path = ["surfaces", word];
  const characters = knownCharacter([...path, "character"], raw.character, needs.config, report);
  const places = new Map<string, DiscordPlaceConfig>();
  for (const [id, place] of Object.entries(raw.places)) places.set(id, placeOf([...path, "places", id], place, needs.config, report));
  return {
    kind: "discord",
    name: parseSurfaceName(word),
    title: raw.title ?? word.charAt(0).toUpperCase() + word.slice(1),
    token: needs.token,
    api: apiOf(path, raw, report),
    characters: characters === null ? [] : [characters],
    admission: raw.admission,
    allow: allowOf(raw.allow),
    moderators: allowOf(raw.moderators).roles,
    delivery: raw.delivery,
    ownerNotices: raw.owner_notices,
    dms: raw.dms,
    bots: raw.bots,
    everyoneIsMention: raw.everyone_is_mention,
    links: raw.links.map((link) => new URL(link).href),
    contextMessages: raw.context_messages,
    contextCharacters: raw.context_chars,
    places,
  };
}

function placeOf(path: ConfigPath, raw: RawDiscordPlace, config: RawConfig, report: Report): DiscordPlaceConfig {
  const character = raw.character === undefined ? null : knownCharacter([...path, "character"], raw.character, config, report);
  return {
    ...(raw.admission === undefined ? {} : { admission: raw.admission }),
    ...(raw.allow === undefined ? {} : { allow: allowOf(raw.allow) }),
    ...(raw.delivery === undefined ? {} : { delivery: raw.delivery }),
    ...(character === null ? {} : { character }),
    ...(raw.context_messages === undefined ? {} : { contextMessages: raw.context_messages }),
    ...(raw.context_chars === undefined ? {} : { contextCharacters: raw.context_chars }),
    ...(raw.calls_per_day === undefined ? {} : { callsPerDay: raw.calls_per_day }),
  };
}

/** The schema has looked at each entry: what is no role is an account. */
function allowOf(entries: readonly string[]): AllowConfig {
  return {
    people: entries.filter((entry) => !ROLE.test(entry)).map((entry) => parsePrincipalId(entry)),
    roles: entries.flatMap((entry) => {
      const [, guild, role] = ROLE.exec(entry) ?? [];
      return guild === undefined || role === undefined ? [] : [`${guild}/${role}`];
    }),
  };
}

function knownCharacter(path: ConfigPath, word: string, { characters }: RawConfig, report: Report): CharacterId | null {
  if (Object.hasOwn(characters, word)) return parseCharacterId(word);
  report(path, `there is no character ${showName(word)}${didYouMean(suggest(word, Object.keys(characters)))}`);
  return null;
}

/** The real address needs no more; any other is a decision of its own, since the token goes there. */
function apiOf(path: ConfigPath, raw: RawDiscord, report: Report): DiscordConfig["api"] {
  const url = new URL(raw.api_base);
  const other = url.hostname !== "discord.com";
  if (other && !raw.other_server)
    report([...path, "api_base"], "is not Discord's own server; write `other_server: true` too, since the token is sent there");
  if (!other && raw.other_server) report([...path, "other_server"], "is for servers that are not Discord's own");
  return { base: url.href.replace(/\/+$/, ""), other };
}
