import type { Clock } from "../../../foundation/clock.ts";
import { isRuntimeError } from "../../../foundation/errors.ts";
import { withDeadline } from "../../../foundation/cancellation.ts";
import type { Log } from "../../../foundation/log.ts";
import type { GapChannel } from "./gap-channels.ts";
import type { DiscordMessage } from "./message-shape.ts";
import { discordMessage } from "./message-shape.ts";
import type { DiscordRest, RestResult } from "../rest/rest.ts";
import { bucketOf } from "../rest/rest.ts";
import { byMoment, firstIdAt } from "../snowflake.ts";

/** Channels that are asked about at the same time; pages of each, and how long all of it may take. */
const AT_ONCE = 4;
const MAX_PAGES = 3;
const PAGE = 100;
const FILL_MS = 20_000;
/** How often a page without an answer is asked for again, and after how long. */
const MAX_LOSSES = 3;
const AGAIN_MS = 1_000;
/** What is older is not answered any more, so it is not asked for. */
const MAX_AGE_MS = 12 * 60_000;

/** What filling a gap stands on. */
export interface GapNeeds {
  readonly clock: Clock;
  readonly log: Log;
  readonly rest: DiscordRest;
  /** The message with its writer's standing in the server, which history leaves out. */
  readonly standing: (message: DiscordMessage, signal: AbortSignal) => Promise<DiscordMessage>;
  readonly take: (message: DiscordMessage) => void;
  /** Told of each channel once all that could be had of it was taken. */
  readonly read: (channelId: string) => void;
}

/** Ask for what was said in channels while no session stood, once. What is had twice is known by its ids. */
export async function fillGap(needs: GapNeeds, channels: readonly GapChannel[], signal: AbortSignal): Promise<void> {
  if (channels.length === 0) return;
  using deadline = withDeadline(needs.clock, FILL_MS, signal);
  let count = 0;
  const left = channels.values();
  const readSome = async (): Promise<void> => {
    for (const channel of left) {
      const messages = await pagesAfter(needs, channel, deadline.signal);
      count += messages.length;
      for (const message of messages) needs.take(await needs.standing(message, deadline.signal));
      needs.read(channel.channelId);
    }
  };
  // One channel that is to be asked later holds up no other.
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, readSome));
  for (const end of ends) {
    if (end.status === "fulfilled") continue;
    if (signal.aborted || !isRuntimeError(end.reason, "deadline")) throw end.reason;
    needs.log.write("warn", "discord_gap_not_filled");
    break;
  }
  needs.log.write("info", "discord_gap", { channels: channels.length, messages: count });
}

async function pagesAfter(needs: GapNeeds, channel: GapChannel, signal: AbortSignal): Promise<readonly DiscordMessage[]> {
  const { channelId, guildId } = channel;
  const messages: DiscordMessage[] = [];
  let after = laterOf(channel.after, firstIdAt(needs.clock.nowMs() - MAX_AGE_MS));
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const from = after;
    const result = await askPage(needs, channelId, from, signal);
    if (result.kind !== "done" || !Array.isArray(result.value)) break;
    const found = result.value
      .flatMap((one): DiscordMessage[] => {
        const parsed = discordMessage.safeParse(one);
        return parsed.success ? [{ ...parsed.data, guildId }] : [];
      })
      .filter(({ id }) => byMoment(id, from) > 0)
      .toSorted((a, b) => byMoment(a.id, b.id));
    messages.push(...found);
    after = found.at(-1)?.id ?? after;
    if (result.value.length < PAGE || found.length === 0) break;
  }
  return messages;
}

/** One page of history. A channel that is left out is not heard at all, so it is asked again where the platform wants that later or is silent. */
async function askPage({ clock, rest }: GapNeeds, channelId: string, after: string, signal: AbortSignal): Promise<RestResult> {
  for (let losses = 0; ;) {
    const result = await rest.call(
      bucketOf("GET", `/channels/${channelId}/messages`),
      (api, ends) => api.channels.getMessages(channelId, { after, limit: PAGE }, { signal: ends }),
      { signal, maxWaitMs: FILL_MS },
    );
    if (result.kind === "lost") losses += 1;
    else if (result.kind !== "limited") return result;
    if (losses > MAX_LOSSES) return result;
    await clock.sleep(result.kind === "limited" ? result.afterMs : AGAIN_MS, signal);
  }
}

function laterOf(a: string, b: string): string {
  return byMoment(a, b) >= 0 ? a : b;
}
