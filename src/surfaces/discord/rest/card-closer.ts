import { literally } from "../interactions/answer-body.ts";
import type { Place } from "../../../vocabulary/place.ts";
import type { CardOutcome } from "../../surface.ts";
import type { DirectChannels } from "./direct-channels.ts";
import type { DiscordRest } from "./rest.ts";
import { bucketOf } from "./rest.ts";

const MAX_WAIT_MS = 30_000;
const MAX_CHARACTERS = 1_000;

/** Say under one of the bot's private messages what became of its question. Its words stay; its buttons go, and nobody is called. */
export async function closeCard(
  { rest, directs }: { readonly rest: DiscordRest; readonly directs: DirectChannels },
  { place, messageId, words }: { readonly place: Place; readonly messageId: string; readonly words: string },
  signal: AbortSignal,
): Promise<CardOutcome> {
  if (place.kind !== "direct") return { kind: "refused", reason: "not_private" };
  const channel = await directs.open(place.person, signal);
  if (channel.kind !== "channel")
    return channel.kind === "refused" ? { kind: "refused", reason: "no_channel" } : { kind: "later", afterMs: 0 };
  const result = await rest.call(
    bucketOf("PATCH", `/channels/${channel.id}/messages`),
    (api, ends) =>
      api.channels.editMessage(
        channel.id,
        messageId,
        {
          components: [],
          embeds: [{ description: literally(words.slice(0, MAX_CHARACTERS)) }],
          allowed_mentions: { parse: [], replied_user: false },
        },
        { signal: ends },
      ),
    { signal, maxWaitMs: MAX_WAIT_MS },
  );
  switch (result.kind) {
    case "done":
      return { kind: "closed" };
    case "refused":
      return { kind: "refused", reason: `refused_${result.code}` };
    case "limited":
      return { kind: "later", afterMs: result.afterMs };
    case "blocked":
      return result.afterMs === null ? { kind: "refused", reason: result.reason } : { kind: "later", afterMs: result.afterMs };
    case "lost":
      return { kind: "later", afterMs: 0 };
  }
}
