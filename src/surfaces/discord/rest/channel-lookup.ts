import { z } from "zod";
import type { Directory } from "./directory.ts";
import type { DiscordRest } from "./rest.ts";
import { isSnowflake } from "../snowflake.ts";

/** A thread lies in a channel, that in a category: two questions tell all. */
const MAX_STEPS = 3;
const MAX_WAIT_MS = 5_000;
const parent = z.object({ parent_id: z.string().refine(isSnowflake).nullish() });

/** Ask where a channel lies, and what it lies in. False when that cannot be known: then nothing said there is heard. Throws only the signal's reason. */
export async function lookUpChannel(
  needs: { readonly rest: DiscordRest; readonly directory: Directory },
  channelId: string,
  guildId: string,
  signal: AbortSignal,
): Promise<boolean> {
  let at: string | null = channelId;
  for (let step = 0; at !== null && step < MAX_STEPS && !needs.directory.knows(at); step += 1) {
    const asked: string = at;
    const result = await needs.rest.call(`GET /channels/${asked}`, (api, ends) => api.channels.get(asked, { signal: ends }), {
      signal,
      maxWaitMs: MAX_WAIT_MS,
    });
    const parsed = result.kind === "done" ? parent.safeParse(result.value) : null;
    if (result.kind !== "done" || parsed?.success !== true) return false;
    needs.directory.addChannel(result.value, guildId);
    at = parsed.data.parent_id ?? null;
  }
  return needs.directory.knows(channelId);
}
