import type { DiscordMessage, ShownMember } from "./message-shape.ts";
import { member as shownMember } from "./message-shape.ts";
import type { DiscordRest } from "../rest/rest.ts";
import { bucketOf } from "../rest/rest.ts";

/** People whose standing is asked for in one gap, at most: beyond them, only accounts count and no roles. */
const MAX_ASKED = 20;
const MAX_WAIT_MS = 5_000;

/** What asking for somebody's standing needs. */
export interface StandingNeeds {
  readonly rest: DiscordRest;
  /** Whether anybody is answered for a role. */
  readonly matters: () => boolean;
  /** Whether a message calls the bot: because of others nothing is asked (SE-096). */
  readonly calls: (message: DiscordMessage) => boolean;
}

/**
 * Adds to messages of history what only events carry: their writer's standing in the server. It is asked once for each person, as it is
 * now, so a role that was taken away meanwhile counts no more. Where it is not told, nobody is answered for a role.
 */
export class Standing {
  readonly #needs: StandingNeeds;
  readonly #known = new Map<string, ShownMember | null>();

  constructor(needs: StandingNeeds) {
    this.#needs = needs;
  }

  /** The message with its writer's standing, where that matters. Throws only the signal's reason. */
  async of(message: DiscordMessage, signal: AbortSignal): Promise<DiscordMessage> {
    const { guildId, author, webhookId } = message;
    if (guildId === null || message.member !== null || author.bot || webhookId !== null) return message;
    if (!this.#needs.matters() || !this.#needs.calls(message)) return message;
    const key = `${guildId}/${author.id}`;
    const known = this.#known.get(key);
    if (known !== undefined) return { ...message, member: known };
    if (this.#known.size >= MAX_ASKED) return message;
    const member = await this.#ask(guildId, author.id, signal);
    this.#known.set(key, member);
    return { ...message, member };
  }

  async #ask(guildId: string, account: string, signal: AbortSignal): Promise<ShownMember | null> {
    const result = await this.#needs.rest.call(
      bucketOf("GET", `/guilds/${guildId}/members`),
      (api, ends) => api.guilds.getMember(guildId, account, { signal: ends }),
      { signal, maxWaitMs: MAX_WAIT_MS },
    );
    const parsed = result.kind === "done" ? shownMember.safeParse(result.value) : null;
    return parsed?.success === true ? parsed.data : null;
  }
}
