import { z } from "zod";
import type { Clock } from "../../../foundation/clock.ts";
import type { Secret } from "../../../foundation/secret.ts";
import type { Account, AccountAnswer } from "./account.ts";
import { CONTENT_LIMITED, readAccount } from "./account.ts";
import { overwrites, takenIn } from "./channel-rights.ts";
import { bitsOf, inviteLink, missingOf } from "./permissions.ts";
import type { RestResult, RestWork } from "./rest.ts";
import { DiscordRest, bucketOf } from "./rest.ts";
import { isSnowflake } from "../snowflake.ts";
import { member } from "../reading/message-shape.ts";
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

/** Whether a channel is there for the bot: it sees it, and lacks these rights there; it may not, there is none, or nobody said. */
export type ChannelSight =
  | { readonly kind: "seen"; readonly missing: readonly string[] }
  | { readonly kind: "hidden" | "missing" | "unknown" };

const servers = z.array(
  z.object({
    id: z.string().refine(isSnowflake),
    name: z.string(),
    permissions: z.union([z.string(), z.number().transform(String)]).nullish(),
  }),
);

const channel = z.object({
  type: z.number(),
  guild_id: z.string().refine(isSnowflake),
  parent_id: z.string().refine(isSnowflake).nullish(),
  permission_overwrites: overwrites.nullish(),
});
type Channel = z.infer<typeof channel>;
const THREADS: ReadonlySet<number> = new Set([10, 11, 12]);

/** Asks about an account before and beside its connection, for whoever sets it up: nothing is said to anybody by it. */
export class AccountDesk implements Disposable {
  readonly #rest: DiscordRest;
  #userId: string | null = null;
  /** What each server gives, and the bot's roles there, once they were asked. */
  readonly #given = new Map<string, bigint>();
  readonly #roles = new Map<string, readonly string[]>();

  constructor(needs: { readonly clock: Clock; readonly token: Secret; readonly base: string; readonly version: string }) {
    this.#rest = new DiscordRest({ ...needs, onRejected: () => {} });
  }

  /** Whose token it is. A person's is refused (TR-081). */
  async who(signal: AbortSignal): Promise<AccountAnswer> {
    const answer = await readAccount(this.#rest, signal);
    if (answer.kind === "account") this.#userId = answer.account.userId;
    return answer;
  }

  /** The servers the bot is in; null when the platform does not say. */
  async servers(signal: AbortSignal): Promise<readonly JoinedServer[] | null> {
    const result = await this.#ask("GET /users/@me/guilds", (api, ends) => api.users.getGuilds({}, { signal: ends }), signal);
    const parsed = result.kind === "done" ? servers.safeParse(result.value) : null;
    if (parsed?.success !== true) return null;
    for (const { id, permissions } of parsed.data) {
      const given = bitsOf(permissions ?? null);
      if (given !== null) this.#given.set(id, given);
    }
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

  /** Whether the bot sees a channel or thread, and what it may not do there; by the servers and the account that were asked before. */
  async sees(channelId: string, signal: AbortSignal): Promise<ChannelSight> {
    const bucket = bucketOf("GET", `/channels/${channelId}`);
    const result = await this.#ask(bucket, (api, ends) => api.channels.get(channelId, { signal: ends }), signal);
    if (result.kind === "done") return { kind: "seen", missing: await this.#takenIn(channel.safeParse(result.value).data ?? null, signal) };
    if (result.kind !== "refused") return { kind: "unknown" };
    return { kind: result.code === 50001 ? "hidden" : result.status === 404 ? "missing" : "unknown" };
  }

  async #takenIn(about: Channel | null, signal: AbortSignal): Promise<readonly string[]> {
    const given = about === null ? undefined : this.#given.get(about.guild_id);
    if (about === null || given === undefined || this.#userId === null) return [];
    // A thread has the exceptions of the channel it lies in.
    const own = THREADS.has(about.type) ? await this.#parentOf(about, signal) : about;
    const roles = await this.#rolesIn(about.guild_id, this.#userId, signal);
    const exceptions = own?.permission_overwrites ?? null;
    if (exceptions === null || roles === null) return [];
    return takenIn(about.type, exceptions, { server: about.guild_id, userId: this.#userId, roles, given });
  }

  async #parentOf({ parent_id: parent }: Channel, signal: AbortSignal): Promise<Channel | null> {
    if (parent === null || parent === undefined) return null;
    const bucket = bucketOf("GET", `/channels/${parent}`);
    const result = await this.#ask(bucket, (api, ends) => api.channels.get(parent, { signal: ends }), signal);
    return result.kind === "done" ? (channel.safeParse(result.value).data ?? null) : null;
  }

  async #rolesIn(server: string, userId: string, signal: AbortSignal): Promise<readonly string[] | null> {
    const known = this.#roles.get(server);
    if (known !== undefined) return known;
    const bucket = bucketOf("GET", `/guilds/${server}/members`);
    const result = await this.#ask(bucket, (api, ends) => api.guilds.getMember(server, userId, { signal: ends }), signal);
    const parsed = result.kind === "done" ? member.safeParse(result.value) : null;
    if (parsed?.success !== true) return null;
    this.#roles.set(server, parsed.data.roles);
    return parsed.data.roles;
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
