import type { Directory } from "../rest/directory.ts";
import { byMoment, firstIdAt, momentOf } from "../snowflake.ts";
import type { Marks } from "./marks.ts";

/** Channels that are asked about after one loss of a session, at most. */
const MAX_CHANNELS = 50;
/** Channels are told of side by side: one may have been silent for so long while another was already told of. */
const SLACK_MS = 5_000;

/** A channel in which something may have been said that nobody told us. */
export interface GapChannel {
  readonly channelId: string;
  readonly guildId: string | null;
  /** What was said after this may not have been told. */
  readonly after: string;
}

/**
 * Channels to ask what was said in them while no session stood, those with the newest news first: all that have a mark, and of the others
 * those in which something was said since the bot was last told anything. What is older than the bot's first session is past.
 */
export function gapChannels(marks: Marks, directory: Pick<Directory, "lastSaid">): readonly GapChannel[] {
  const marked = marks.all.toReversed().map(([channelId, { messageId, guildId }]) => ({ channelId, guildId, after: messageId }));
  const last = new Map(directory.lastSaid.map((one) => [one.channelId, one.messageId]));
  const reached = reachedBy(marks);
  const unmarked = reached === null ? [] : directory.lastSaid.filter(({ channelId }) => marks.of(channelId) === null);
  const found = [...marked, ...unmarked.map(({ channelId, guildId }) => ({ channelId, guildId, after: reached ?? "" }))];
  const newsOf = ({ channelId, after }: GapChannel): string | null => {
    const id = last.get(channelId) ?? null;
    return id !== null && byMoment(id, after) > 0 ? id : null;
  };
  const withNews = found.filter((one) => newsOf(one) !== null).toSorted((a, b) => byMoment(newsOf(b) ?? "0", newsOf(a) ?? "0"));
  // What a server says of the last message may be old: channels that are spoken in are asked all the same, as far as there is room.
  const others = marked.filter((one) => newsOf(one) === null);
  return [...withNews, ...others].slice(0, MAX_CHANNELS);
}

/** Up to which message everything was told, wherever it was said; null where the bot was told nothing yet. */
function reachedBy({ all, since }: Marks): string | null {
  const ids = all.map(([, { messageId }]) => messageId).toSorted(byMoment);
  const newest = ids.at(-1) ?? null;
  const told = newest === null ? null : firstIdAt(momentOf(newest) - SLACK_MS);
  if (told === null || since === null) return told ?? since;
  return byMoment(told, since) > 0 ? told : since;
}
