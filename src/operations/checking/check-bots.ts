import type { Finding } from "../../config/checking/check-config.ts";
import type { DiscordConfig } from "../../config/discord-config.ts";
import { wantsContent } from "../../config/discord-config.ts";
import type { LoadOptions } from "../../config/load.ts";
import { loadConfig } from "../../config/load.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import { printable } from "../../foundation/printable.ts";
import type { BotAccess, BotBench, BotServer, FoundBot } from "../setup/bot-bench.ts";

/** What looking at the bots works with. */
export interface CheckBotsNeeds {
  readonly options: LoadOptions;
  readonly bots: BotBench;
}

/** Servers and places of one bot that are told of. */
const MAX_TOLD = 20;

/**
 * Ask the platform of each configured bot whether its token is taken, what it may read, in which servers it is, and what it may not do
 * there (TR-081). A configuration that cannot be read has no bots. @throws the signal's reason on abort
 */
export async function checkBots({ options, bots }: CheckBotsNeeds, signal: AbortSignal): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const surface of botsOf(options)) {
    using access = await bots.open({ token: surface.token, base: surface.api.base }, signal);
    findings.push(...(await checkBot(surface, access, signal)));
  }
  return findings;
}

function botsOf(options: LoadOptions): readonly DiscordConfig[] {
  try {
    return [...loadConfig(options).config.surfaces.values()].filter((surface) => surface.kind === "discord");
  } catch (error) {
    // The report has told of it already.
    if (error instanceof RuntimeError) return [];
    throw error;
  }
}

async function checkBot(surface: DiscordConfig, access: BotAccess, signal: AbortSignal): Promise<readonly Finding[]> {
  const about = finderOf(surface);
  const answer = await access.who(signal);
  if (answer.kind === "refused") return [about("error", "its token cannot be used", answer.cure)];
  if (answer.kind === "failed") return [about("warn", `cannot ask about it: ${answer.why}`, "")];
  const { bot } = answer;
  const servers = await access.servers(signal);
  return [
    about("ok", `${bot.name}, in ${count(servers)}`, ""),
    ...contentOf(surface, bot, about),
    ...(servers?.length === 0 ? [about("warn", "it is in no server", `add it to one: ${access.link(bot)}`)] : []),
    ...(servers ?? []).slice(0, MAX_TOLD).flatMap((server) => rightsOf(server, about)),
    ...(await checkPlaces(surface, { access, servers: servers ?? [] }, signal)),
  ];
}

function count(servers: readonly BotServer[] | null): string {
  if (servers === null) return "nobody says which servers";
  return servers.length === 1 ? "1 server" : `${servers.length} servers`;
}

/** What was said before a mention is read only where the platform allows it (TR-025). */
function contentOf(surface: DiscordConfig, { readsContent }: FoundBot, about: Finder): readonly Finding[] {
  if (readsContent || !wantsContent(surface)) return [];
  return [
    about(
      "warn",
      "the intent Message Content is missing: it hears who mentions it, and nothing that was said before",
      "switch on Message Content Intent in the developer portal (Bot), or write `context_messages: 0`",
    ),
  ];
}

function rightsOf({ name, missing }: BotServer, about: Finder): readonly Finding[] {
  if (missing.length === 0) return [];
  const what = missing.length === 1 ? "right is" : "rights are";
  return [
    about(
      "warn",
      `in ${name} ${missing.length} ${what} missing: ${missing.join(", ")}`,
      "give its role these rights in the server's settings (Roles)",
    ),
  ];
}

/** Places of the file that the bot does not see, where what they say holds nowhere; and those that keep rights from it that their server gives. */
async function checkPlaces(
  { places, name }: DiscordConfig,
  { access, servers }: { readonly access: BotAccess; readonly servers: readonly BotServer[] },
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const others = [...places.keys()].filter((id) => !servers.some((server) => server.id === id));
  for (const id of others.slice(0, MAX_TOLD)) {
    const sight = await access.sees(id, signal);
    const path = `surfaces.${name}.places.${id}`;
    if (sight.kind === "seen" && sight.missing.length > 0)
      findings.push(
        finding(
          "warn",
          path,
          `there, and not in its server, it lacks: ${sight.missing.join(", ")}`,
          "give its role these rights in that channel's own settings (Permissions), or in those of the category it follows",
        ),
      );
    if (sight.kind === "hidden")
      findings.push(finding("warn", path, "the bot may not see that channel", "give its role View Channels there"));
    if (sight.kind === "missing")
      findings.push(
        finding("warn", path, "the bot is in no server, category, channel or thread with that id", "look at the id: right click, Copy ID"),
      );
  }
  return findings;
}

type Finder = (level: Finding["level"], message: string, cure: string) => Finding;

function finderOf({ name }: DiscordConfig): Finder {
  return (level, message, cure) => finding(level, `surfaces.${name}`, message, cure);
}

function finding(level: Finding["level"], path: string, message: string, cure: string): Finding {
  return { level, path: printable(path), line: null, message: printable(message), cure: printable(cure) };
}
