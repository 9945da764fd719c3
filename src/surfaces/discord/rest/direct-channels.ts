import { z } from "zod";
import type { PrincipalId } from "../../../vocabulary/principal.ts";
import type { DiscordRest, RestResult } from "./rest.ts";
import { isSnowflake } from "../snowflake.ts";

const MAX_KNOWN = 4_096;
const MAX_WAIT_MS = 60_000;
const opened = z.object({ id: z.string().refine(isSnowflake) });

/** The channel of somebody's private line, or why there is none. */
export type DirectChannel = { readonly kind: "channel"; readonly id: string } | Exclude<RestResult, { kind: "done" }>;

/** The private lines of people. They are opened only to answer somebody, never to begin. Kept in memory alone: they can be asked for again. */
export class DirectChannels {
  readonly #rest: DiscordRest;
  readonly #known = new Map<PrincipalId, string>();

  constructor(rest: DiscordRest) {
    this.#rest = rest;
  }

  /** A person wrote in this channel. */
  note(person: PrincipalId, channelId: string): void {
    this.#known.delete(person);
    this.#known.set(person, channelId);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_KNOWN) break;
      this.#known.delete(oldest);
    }
  }

  /** The channel of somebody's private line, opened if need be. */
  async open(person: PrincipalId, signal: AbortSignal): Promise<DirectChannel> {
    const known = this.#known.get(person);
    if (known !== undefined) return { kind: "channel", id: known };
    const account = person.slice(person.indexOf(":") + 1);
    const result = await this.#rest.call("POST /users/@me/channels", (api, ends) => api.users.createDM(account, { signal: ends }), {
      signal,
      maxWaitMs: MAX_WAIT_MS,
    });
    if (result.kind !== "done") return result;
    const parsed = opened.safeParse(result.value);
    if (!parsed.success) return { kind: "refused", status: 0, code: 0 };
    this.note(person, parsed.data.id);
    return { kind: "channel", id: parsed.data.id };
  }
}
