import type { DiscordMessage } from "./message-shape.ts";

/**
 * Leave out of a channel's talk what the owner ordered there, and what the bot answered to that: both are the runtime's business and no
 * part of the conversation (TR-033, VS-045). `messages` are in their order. The first part of an answer refers to what it answers and
 * those behind it to nothing, so each of these goes with the first; where that is not here, or what it answers is gone, nobody can
 * tell any more what it was, and it stays out too.
 */
export function withoutCommands(
  messages: readonly DiscordMessage[],
  { self, isCommand }: { readonly self: string; readonly isCommand: (content: string) => boolean },
): readonly DiscordMessage[] {
  let isTalk = false;
  return messages.filter(({ author, content, repliesTo }) => {
    if (author.id !== self) return !isCommand(content);
    if (repliesTo !== null) isTalk = repliesTo.content !== null && !isCommand(repliesTo.content);
    return isTalk;
  });
}
