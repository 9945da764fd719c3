import { z } from "zod";
import type { TaskGroup } from "../../../foundation/task-group.ts";
import type { PersonalAct } from "../../../vocabulary/act.ts";
import type { Inbox } from "../../surface.ts";
import { actOf } from "../interactions/act-of.ts";
import { member, orNull } from "./message-shape.ts";
import type { Reading } from "./normalise.ts";
import { isSnowflake, momentOf } from "../snowflake.ts";

/** The mark by which somebody takes back what was said to them. */
const TAKE_BACK = "❌";

const id = z.string().refine(isSnowflake);
const reaction = z.object({
  user_id: id,
  channel_id: id,
  message_id: id,
  guild_id: orNull(id),
  message_author_id: orNull(id),
  emoji: z.object({ name: z.string().nullish() }),
  member: orNull(member).catch(null),
});

/** Read a mark that somebody put under one of the bot's own messages; null for every other one. */
function readReaction(raw: unknown, reading: Reading): PersonalAct | null {
  const parsed = reaction.safeParse(raw);
  if (!parsed.success || parsed.data.emoji.name !== TAKE_BACK) return null;
  const {
    user_id: account,
    channel_id: channelId,
    message_id: message,
    message_author_id: author,
    guild_id: told,
    member: standing,
  } = parsed.data;
  const own = author === null ? reading.isOwn(message) : author === reading.self.userId;
  if (!own || account === reading.self.userId) return null;
  return actOf(
    {
      deliveryId: `${message}:${account}:mark`,
      account,
      displayName: "",
      isBot: false,
      channelId,
      guildId: told ?? reading.directory.guildOf(channelId),
      member: standing,
      what: { kind: "take_back", message, postedAtMs: momentOf(message), by: "mark" },
    },
    reading,
  );
}

/** What marks stand on. */
export interface ReactionsNeeds {
  readonly tasks: TaskGroup;
  readonly inbox: () => Inbox | null;
  readonly reading: () => Reading;
}

/** Hears marks under messages of the bot. Each is told again until what follows from it is kept; nobody is answered. */
export class Reactions {
  readonly #needs: ReactionsNeeds;

  constructor(needs: ReactionsNeeds) {
    this.#needs = needs;
  }

  take(data: unknown, done: () => void): void {
    const { tasks, inbox, reading } = this.#needs;
    const act = readReaction(data, reading());
    const taken = act === null ? undefined : inbox()?.act?.(act);
    if (taken?.kind !== "taken" || tasks.signal.aborted) return done();
    tasks.start(async (signal) => {
      await taken.answer(signal);
      done();
    });
  }
}
