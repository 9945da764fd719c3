import { z } from "zod";
import type { Clock } from "../../../foundation/clock.ts";
import type { Secret } from "../../../foundation/secret.ts";
import type { Account, AccountAnswer } from "./account.ts";
import { CONTENT_LIMITED, readAccount } from "./account.ts";
import { inviteLink, missingOf } from "./permissions.ts";
import type { RestResult, RestWork } from "./rest.ts";
import { DiscordRest, bucketOf } from "./rest.ts";
import { isSnowflake } from "../snowflake.ts";
import { oneLine } from "../reading/written-words.ts";

/** How long one question waits for a limit of the platform. */
const MAX_WAIT_MS = 30_000;

/** A server that a bot is in. */
export interface JoinedServer {
  readonly id: string;
  readonly name: string;
  /** Names of the rights it needs and does not have there. */
  readonly missing: readonly string[];
}

/** Whether a channel is there for the bot: it may read it, it may not, there is none, or nobody said. */
export type ChannelSight = "seen" | "hidden" | "missing" | "unknown";

const servers = z.array(
  z.object({
    id: z.string().refine(isSnowflake),
    name: z.string(),
    permissions: z.union([z.string(), z.number().transform(String)]).nullish(),
  }),
);

/** Asks about an account before and beside its connection, for whoever sets it up: nothing is said to anybody by it. */
export class AccountDesk implements Disposable {
  readonly #rest: DiscordRest;

  constructor(needs: { readonly clock: Clock; readonly token: Secret; readonly base: string; readonly version: string }) {
    this.#rest = new DiscordRest({ ...needs, onRejected: () => {} });
  }

  /** Whose token it is. A person's is refused (TR-081). */
  who(signal: AbortSignal): Promise<AccountAnswer> {
    return readAccount(this.#rest, signal);
  }

  /** The servers the bot is in; null when the platform does not say. */
  async servers(signal: AbortSignal): Promise<readonly JoinedServer[] | null> {
    const result = await this.#ask("GET /users/@me/guilds", (api, ends) => api.users.getGuilds({}, { signal: ends }), signal);
    const parsed = result.kind === "done" ? servers.safeParse(result.value) : null;
    if (parsed?.success !== true) return null;
    return parsed.data.map(({ id, name, permissions }) => ({ id, name: oneLine(name), missing: missingOf(permissions ?? null) }));
  }

  /** Switch on that words may be read which do not call the bot, as the account's owner may; false when that was refused. */
  async allowContent(signal: AbortSignal): Promise<boolean> {
    const now = await this.#ask("GET /applications/@me", (api, ends) => api.applications.getCurrent({ signal: ends }), signal);
    const flags = now.kind === "done" ? z.object({ flags: z.int().min(0) }).safeParse(now.value).data?.flags : undefined;
    if (flags === undefined) return false;
    const change = { flags: flags | CONTENT_LIMITED };
    const result = await this.#ask(
      "PATCH /applications/@me",
      (api, ends) => api.applications.editCurrent(change, { signal: ends }),
      signal,
    );
    return result.kind === "done";
  }

  /** Whether the bot may read a channel or thread. */
  async sees(channelId: string, signal: AbortSignal): Promise<ChannelSight> {
    const bucket = bucketOf("GET", `/channels/${channelId}`);
    const result = await this.#ask(bucket, (api, ends) => api.channels.get(channelId, { signal: ends }), signal);
    if (result.kind === "done") return "seen";
    if (result.kind !== "refused") return "unknown";
    return result.code === 50001 ? "hidden" : result.status === 404 ? "missing" : "unknown";
  }

  /** Where the bot is added to a server. */
  link({ applicationId }: Pick<Account, "applicationId">): string {
    return inviteLink(applicationId);
  }

  [Symbol.dispose](): void {
    this.#rest[Symbol.dispose]();
  }

  #ask(bucket: string, work: RestWork, signal: AbortSignal): Promise<RestResult> {
    return this.#rest.call(bucket, work, { signal, maxWaitMs: MAX_WAIT_MS });
  }
}
