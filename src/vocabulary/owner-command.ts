/** Commands of a bot's owner (VS-009…VS-016, VS-046). */
export const OWNER_COMMANDS = ["whitelist", "config"] as const;
/** One of {@link OWNER_COMMANDS}. */
export type OwnerCommandName = (typeof OWNER_COMMANDS)[number];

/** Words of a command that are looked at. */
const MAX_WORDS = 100;

/** A command of a bot's owner, taken apart: its name, and the words behind it as they were written. */
export interface OwnerCommand {
  readonly name: OwnerCommandName;
  readonly words: readonly string[];
}

/** Read an owner's command from the words of a line that holds nothing else; null where the first word names none. Case does not matter: phones begin a line with a capital. */
export function parseOwnerCommand(text: string): OwnerCommand | null {
  const [first = "", ...words] = text.trim().split(/\s+/, MAX_WORDS);
  const name = OWNER_COMMANDS.find((one) => one === first.toLowerCase());
  return name === undefined ? null : { name, words };
}
