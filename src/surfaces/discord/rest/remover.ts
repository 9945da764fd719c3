import type { Place } from "../../../vocabulary/place.ts";
import type { TakeBackOutcome } from "../../surface.ts";
import type { DirectChannels } from "./direct-channels.ts";
import type { DiscordRest } from "./rest.ts";
import { bucketOf } from "./rest.ts";

/** The message is not there, or nothing of its channel is any more. */
const GONE: ReadonlySet<number> = new Set([10008, 10003]);
const MAX_WAIT_MS = 30_000;

/** Delete one of the bot's own messages. One that is gone already is gone. */
export async function removeMessage(
  { rest, directs }: { readonly rest: DiscordRest; readonly directs: DirectChannels },
  { place, messageId }: { readonly place: Place; readonly messageId: string },
  signal: AbortSignal,
): Promise<TakeBackOutcome> {
  const channel =
    place.kind === "direct"
      ? await directs.open(place.person, signal)
      : ({ kind: "channel", id: place.id.slice(place.id.lastIndexOf(":") + 1) } as const);
  if (channel.kind !== "channel")
    return channel.kind === "refused" ? { kind: "refused", reason: "no_channel" } : { kind: "later", afterMs: 0 };
  const result = await rest.call(
    bucketOf("DELETE", `/channels/${channel.id}/messages`),
    (api, ends) => api.channels.deleteMessage(channel.id, messageId, { signal: ends }),
    { signal, maxWaitMs: MAX_WAIT_MS },
  );
  switch (result.kind) {
    case "done":
      return { kind: "gone" };
    case "refused":
      return GONE.has(result.code) ? { kind: "gone" } : { kind: "refused", reason: `refused_${result.code}` };
    case "limited":
      return { kind: "later", afterMs: result.afterMs };
    case "blocked":
      return result.afterMs === null ? { kind: "refused", reason: result.reason } : { kind: "later", afterMs: result.afterMs };
    case "lost":
      return { kind: "later", afterMs: 0 };
  }
}
