import { dirname } from "node:path";
import { botToken, isBotToken, TOKEN_RULE } from "../../config/rules/bot-token.ts";
import { apiBaseRule, placeIdRule } from "../../config/rules/discord-rules.ts";
import type { NewBot } from "../../config/writing/first-yaml.ts";
import type { Environment } from "../../config/files/host-key.ts";
import { keyFromEnvironment, keyFromFile } from "../../config/files/host-key.ts";
import type { Clock } from "../../foundation/clock.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import { line, text, toned } from "../../foundation/line.ts";
import { printable } from "../../foundation/printable.ts";
import type { Secret } from "../../foundation/secret.ts";
import type { BotAccess, BotBench, BotServer, FoundBot } from "./bot-bench.ts";
import type { Questions } from "./questions.ts";

/** The options of `init` for a bot; undefined where none was given. */
export interface BotOptions {
  readonly token_env?: string | undefined;
  readonly token_file?: string | undefined;
  readonly character?: string | undefined;
  readonly operator?: string | undefined;
  readonly api_base?: string | undefined;
}

/** A bot as it was set up, with its token, which stands in no file yet if a person typed it. */
export interface ChosenBot {
  readonly bot: NewBot;
  readonly token: Secret;
  /** Whether the token was typed and needs a file of its own. */
  readonly typed: boolean;
  /** Account that becomes an operator; null for none. */
  readonly operator: string | null;
  /** Where it is added to a server, if it is in none yet. */
  readonly invite: string | null;
}

/** What setting up a bot needs. */
export interface BotNeeds {
  readonly bots: BotBench;
  readonly clock: Clock;
  readonly environment: Environment;
  /** Absolute path of the configuration: a token file is named from there. */
  readonly path: string;
  /** Characters of the file: who may speak. */
  readonly characters: readonly { readonly id: string; readonly name: string }[];
  /** Keys of the surfaces that are there. */
  readonly taken: readonly string[];
  /** Accounts that are operators already. */
  readonly operators: readonly string[];
  /** Whether another surface has this token. */
  readonly isTaken: (token: Secret) => boolean;
}

const DISCORD = "https://discord.com/api";
const PORTAL = printable("https://discord.com/developers/applications");
/** How long nothing is asked between two looks whether somebody added the bot. */
const LOOK_EVERY_MS = 5_000;
const MAX_TOKENS = 5;
/** Servers that are told of one by one. */
const MAX_SHOWN = 10;

/** Ask for a bot: its token, and what only a person at this terminal may decide. Null when no token was given. Nothing is written. */
export async function askBot(questions: Questions, options: BotOptions, needs: BotNeeds, signal: AbortSignal): Promise<ChosenBot | null> {
  const base = options.api_base ?? DISCORD;
  const rule = apiBaseRule(base);
  if (rule !== null) throw new RuntimeError("usage", `Cannot take --api-base: ${rule}`);
  questions.tell(
    line``,
    toned("strong", line`A bot on Discord`),
    line`It needs a bot of your own: ${PORTAL}, New Application, then Bot, Reset Token, and copy it.`,
  );
  const found = await findBot(questions, options, { needs, base }, signal);
  if (found === null) return null;
  using access = found.access;
  const { bot, token, typed } = found;
  const readsContent = await askContent(questions, bot, access, signal);
  const operator = await askOperatorAccount(questions, options, { bot, operators: needs.operators }, signal);
  const character = await askSpeaker(questions, options, needs, signal);
  const joined = await waitForServer(questions, { bot, access, clock: needs.clock }, signal);
  const openServer = await askWhoIsAnswered(questions, joined, signal);
  const { token_env: tokenEnv, token_file: tokenFile } = options;
  const id = freeName(needs.taken);
  return {
    bot: { id, character, tokenEnv, tokenFile, apiBase: base === DISCORD ? undefined : base, readsContent, openServer },
    token,
    typed,
    operator,
    invite: joined.length === 0 ? access.link(bot) : null,
  };
}

/** A bot that was found by its token. */
export interface TokenedBot {
  readonly bot: FoundBot;
  readonly access: BotAccess;
  readonly token: Secret;
  readonly typed: boolean;
}

/**
 * Get a token by an option or from the person, and look up whose it is, until one is a bot's. What opened is the caller's to dispose.
 * @throws RuntimeError `secret_invalid` for one that can never be used; `not_found` when nobody answers; `usage`, `aborted`
 */
export async function findBot(
  questions: Questions,
  options: Pick<BotOptions, "token_env" | "token_file">,
  { needs, base }: { readonly needs: Pick<BotNeeds, "bots" | "environment" | "path" | "isTaken">; readonly base: string },
  signal: AbortSignal,
): Promise<TokenedBot | null> {
  for (let tries = 1; ; tries += 1) {
    const given = givenToken(options, needs);
    const token = given ?? (await askToken(questions, signal));
    if (token === null) return null;
    if (needs.isTaken(token)) throw new RuntimeError("usage", "Cannot take that token: another surface has it, and one bot is one surface");
    await using opening = new AsyncDisposableStack();
    const access = opening.use(await needs.bots.open({ token, base }, signal));
    const answer = await access.who(signal);
    if (answer.kind === "bot") {
      opening.move();
      questions.tell(line`  ✓ ${printable(answer.bot.name, 80)}, application ${printable(answer.bot.applicationId, 20)}`);
      return { bot: answer.bot, access, token, typed: given === null };
    }
    const why = answer.kind === "refused" ? answer.cure : `Cannot ask whose token it is: ${answer.why}`;
    const error = new RuntimeError(
      answer.kind === "refused" ? "secret_invalid" : "not_found",
      answer.kind === "refused" ? `Cannot use the token: ${why}` : why,
    );
    if (given !== null || tries === MAX_TOKENS) throw error;
    questions.tell(toned("bad", line`  ✗ ${printable(why)}`));
  }
}

function givenToken(
  options: Pick<BotOptions, "token_env" | "token_file">,
  { environment, path }: Pick<BotNeeds, "environment" | "path">,
): Secret | null {
  const { token_env: variable, token_file: file } = options;
  if (variable !== undefined && file !== undefined)
    throw new RuntimeError("usage", "Cannot take both --token-env and --token-file: a bot has one token");
  const name = file ?? variable;
  if (name === undefined) return null;
  const option = file === undefined ? "--token-env" : "--token-file";
  const reading = file === undefined ? keyFromEnvironment(name, environment) : keyFromFile(name, dirname(path));
  if (reading.kind === "refused")
    throw new RuntimeError("usage", `Cannot take ${option}: ${reading.rule.replace("key file", "token file")}`);
  if (!isBotToken(reading.key)) throw new RuntimeError("usage", `Cannot take ${option}: it ${TOKEN_RULE}`);
  return reading.key;
}

async function askToken(questions: Questions, signal: AbortSignal): Promise<Secret | null> {
  if (!questions.interactive)
    throw new RuntimeError(
      "usage",
      "Cannot ask for the bot's token: this is no terminal; name an environment variable with --token-env or a private file with --token-file",
    );
  const words = printable("Its token (it is not shown; only Enter for no bot)");
  return await questions.hidden(words, (typed) => botToken(typed, "what was typed"), signal);
}

/** A change of the account itself is made on a person's word alone. */
async function askContent(questions: Questions, bot: FoundBot, access: BotAccess, signal: AbortSignal): Promise<boolean> {
  if (bot.readsContent || !questions.interactive) return true;
  questions.tell(line`It hears whoever mentions it. What was said in a channel before that, it may not read yet.`);
  const wanted = await questions.yes(
    {
      words: printable("Let it (this switches Message Content Intent on, for your application)"),
      option: "--yes",
      given: undefined,
      fallback: true,
    },
    signal,
  );
  if (!wanted) return false;
  if (await access.allowContent(signal)) questions.tell(line`  ✓ switched on`);
  else
    questions.tell(
      toned("bad", line`  ✗ Discord did not take that: switch it on yourself, at ${PORTAL} under Bot; until then context stays off`),
    );
  return true;
}

/** Who commands is said here, at the terminal, and never by a word in chat. */
async function askOperatorAccount(
  questions: Questions,
  options: BotOptions,
  { bot, operators }: { readonly bot: FoundBot; readonly operators: readonly string[] },
  signal: AbortSignal,
): Promise<string | null> {
  if (options.operator !== undefined) {
    const rule = placeIdRule(options.operator);
    if (rule !== null) throw new RuntimeError("usage", "Cannot take --operator: must be an account's id of 17 to 20 digits, not a name");
    return `discord:${options.operator}`;
  }
  const fresh = bot.owners.filter(({ id }) => !operators.includes(`discord:${id}`));
  if (!questions.interactive || fresh.length === 0) return null;
  const shown = (one: FoundBot["owners"][number]): ReturnType<typeof printable> =>
    text`${printable(one.name, 60)} (account ${printable(one.id, 20)})`;
  const [only, ...others] = fresh;
  questions.tell(line`An operator commands it from Discord: whom it trusts, whom it blocks, when it is silent.`);
  if (only !== undefined && others.length === 0) {
    const words = text`Is that you, and an operator: ${shown(only)}`;
    const yes = await questions.yes({ words, option: "--operator", given: undefined, fallback: false }, signal);
    return yes ? `discord:${only.id}` : null;
  }
  const choices = [...fresh.map((one) => ({ word: one.id, says: shown(one) })), { word: "nobody", says: printable("nobody of them") }];
  const chosen = await questions.choose(
    { words: printable("Who of the team is an operator"), option: "--operator", given: undefined, options: choices, fallback: "nobody" },
    signal,
  );
  return chosen === "nobody" ? null : `discord:${chosen}`;
}

async function askSpeaker(questions: Questions, options: BotOptions, { characters }: BotNeeds, signal: AbortSignal): Promise<string> {
  const [first] = characters;
  if (first === undefined) throw new RuntimeError("config_invalid", "Cannot add a bot: there is no character to speak");
  if (characters.length === 1 && options.character === undefined) return first.id;
  return await questions.choose(
    {
      words: printable("Who speaks"),
      option: "--character",
      given: options.character,
      options: characters.map(({ id, name }) => ({ word: id, says: text`${printable(name, 60)}` })),
      fallback: first.id,
    },
    signal,
  );
}

/** Wait until the bot is in a server, or the person has seen enough; then say what it may not do there. */
async function waitForServer(
  questions: Questions,
  { bot, access, clock }: { readonly bot: FoundBot; readonly access: BotAccess; readonly clock: Clock },
  signal: AbortSignal,
): Promise<readonly BotServer[]> {
  const there = (await access.servers(signal)) ?? [];
  if (there.length > 0) return tellServers(questions, there);
  questions.tell(line``, line`Add it to a server of yours with this link:`, toned("strong", line`  ${printable(access.link(bot), 300)}`));
  const joined = await questions.waitFor(
    printable("Waiting until it is there (only Enter goes on without)"),
    async (ends) => {
      for (;;) {
        await clock.sleep(LOOK_EVERY_MS, ends);
        const found = await access.servers(ends);
        if (found !== null && found.length > 0) return found;
      }
    },
    signal,
  );
  return tellServers(questions, joined ?? []);
}

function tellServers(questions: Questions, servers: readonly BotServer[]): readonly BotServer[] {
  for (const { name, missing } of servers.slice(0, MAX_SHOWN)) {
    questions.tell(line`  ✓ in ${printable(name, 80)}`);
    if (missing.length > 0)
      questions.tell(
        toned("bad", line`  ✗ it may not do there: ${printable(missing.join(", "))}`),
        toned("faint", line`    → give its role these rights in the server's settings (Roles)`),
      );
  }
  return servers;
}

/** In the one server it is in; of several nothing is asked, so none is opened by a slip. */
async function askWhoIsAnswered(questions: Questions, servers: readonly BotServer[], signal: AbortSignal): Promise<string | undefined> {
  const [only, ...others] = servers;
  if (only === undefined || others.length > 0 || !questions.interactive) return undefined;
  const chosen = await questions.choose(
    {
      words: text`Who is answered in ${printable(only.name, 60)}`,
      option: "--yes",
      given: undefined,
      options: [
        { word: "trusted", says: printable("you, and whom you trust") },
        { word: "addressed", says: printable("everyone who mentions it") },
      ],
      fallback: "trusted",
    },
    signal,
  );
  return chosen === "addressed" ? only.id : undefined;
}

function freeName(taken: readonly string[]): string {
  for (let number = 2, name = "discord"; ; number += 1) {
    if (!taken.includes(name)) return name;
    name = `discord-${number}`;
  }
}
