import { join, relative, resolve } from "node:path";
import { accountIn } from "../../config/rules/bot-token.ts";
import type { DiscordConfig } from "../../config/discord-config.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { writeStateFile } from "../../config/writing/write-setup.ts";
import { throwIfAborted } from "../../foundation/cancellation.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import { text } from "../../foundation/line.ts";
import { printable } from "../../foundation/printable.ts";
import type { BotNeeds, BotOptions, TokenedBot } from "./ask-bot.ts";
import { findBot } from "./ask-bot.ts";
import type { Questions } from "./questions.ts";

/** What a new token takes. */
export interface RotateNeeds extends Pick<BotNeeds, "bots" | "environment" | "path"> {
  readonly stateDirectory: string;
  readonly loaded: LoadedConfig;
}

/**
 * Put a bot's new token into the file that the old one stands in: whole or not at all, once its platform said that it is the same bot's.
 * Gives the file's path, or null when nothing was wanted.
 * @throws RuntimeError `usage`, `secret_invalid`, `not_found`, `state_unwritable`, `aborted`
 */
export async function rotateToken(
  questions: Questions,
  options: BotOptions & { readonly surface?: string | undefined },
  needs: RotateNeeds,
  signal: AbortSignal,
): Promise<string | null> {
  const surface = await chooseBot(questions, options.surface, needs.loaded, signal);
  const name = tokenFile(surface, needs);
  const digest = surface.token.digest(surface.name);
  const isTaken = (token: TokenedBot["token"]): boolean =>
    token.digest(surface.name) !== digest && isElsewhere(token, surface, needs.loaded);
  const found = await findBot(questions, options, { needs: { ...needs, isTaken }, base: surface.api.base }, signal);
  if (found === null) return null;
  using _access = found.access;
  const before = accountIn(surface.token);
  if (before !== null && before !== found.bot.userId)
    throw new RuntimeError(
      "usage",
      `Cannot take that token: it is of another bot than ${printable(surface.name)} has; troupe init discord adds that one`,
    );
  // A token that does not say whose it is: a person has to.
  const words = text`Is ${printable(found.bot.name, 60)} the bot of ${printable(surface.name)}`;
  if (before === null && !(await questions.yes({ words, option: "--yes", given: undefined, fallback: true }, signal))) return null;
  throwIfAborted(signal);
  writeStateFile(needs.stateDirectory, { name, text: `${found.token.reveal()}\n`, replaces: true });
  return join(needs.stateDirectory, name);
}

async function chooseBot(
  questions: Questions,
  named: string | undefined,
  { config }: LoadedConfig,
  signal: AbortSignal,
): Promise<DiscordConfig> {
  const bots = [...config.surfaces.values()].filter((surface) => surface.kind === "discord");
  const [first] = bots;
  if (first === undefined) throw new RuntimeError("usage", "Cannot change a token: no bot is configured; troupe init discord adds one");
  if (bots.length === 1 && named === undefined) return first;
  const chosen = await questions.choose(
    {
      words: printable("Whose token"),
      option: "--surface",
      given: named,
      options: bots.map(({ name, title }) => ({ word: name, says: text`${printable(name)}: ${printable(title)}` })),
      fallback: first.name,
    },
    signal,
  );
  return bots.find(({ name }) => name === chosen) ?? first;
}

/** The file of the state folder that holds it: only what this program wrote is written again. */
function tokenFile({ name }: DiscordConfig, { loaded, path, stateDirectory }: RotateNeeds): string {
  const raw = loaded.raw.surfaces[name];
  const [file, variable] = raw?.kind === "discord" ? [raw.token_file, raw.token_env] : [];
  if (file === undefined)
    throw new RuntimeError(
      "usage",
      `Cannot change the token: it stands in the environment variable ${printable(variable ?? "")}; set the new one there`,
    );
  const inside = relative(stateDirectory, resolve(path, "..", file));
  if (inside.startsWith("..") || resolve(stateDirectory, inside) !== resolve(path, "..", file))
    throw new RuntimeError("usage", `Cannot change the token: ${printable(file)} is a file of your own; put the new one there`);
  return inside;
}

function isElsewhere(token: TokenedBot["token"], surface: DiscordConfig, { config }: LoadedConfig): boolean {
  return [...config.surfaces.values()].some(
    (other) => other.kind === "discord" && other.name !== surface.name && other.token.digest(surface.name) === token.digest(surface.name),
  );
}
