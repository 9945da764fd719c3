import { parseOwnerCommand } from "../../../vocabulary/owner-command.ts";
import { saidWords } from "./written-words.ts";

/** By which marks the bot is called, and whether it needs to be. */
export interface CallMarks {
  readonly user: string;
  /** The role that Discord made for the bot in this server. */
  readonly role: string | null;
  /** Whether the line is private: then the whole text is the command, and no call is needed (VS-009). */
  readonly direct: boolean;
}

/**
 * The words of an owner's command, with accounts as they were written; null where the message is none (VS-009, VS-045, SE-096). Where
 * others read, the call must be the very first word. Only what its writer says in plain words is read: nothing in code or quotes, and
 * nothing of the list of mentions beside the words.
 */
export function ownerWords(content: string, { user, role, direct }: CallMarks): string | null {
  const marks = [`<@!?${user}>`, ...(role === null ? [] : [`<@&${role}>`])].join("|");
  const call = new RegExp(`^\\s*(?:${marks})[\\s,:]*`).exec(content)?.[0] ?? null;
  if (call === null && !direct) return null;
  const said = saidWords(content)
    .slice(call?.length ?? 0)
    // Marks need no blanks between them.
    .replace(/<@!?\d{1,20}>/g, (mark) => ` ${mark} `)
    .replace(/^\s*\//, "")
    .replace(/\s+/g, " ")
    .trim();
  return parseOwnerCommand(said) === null ? null : said;
}
