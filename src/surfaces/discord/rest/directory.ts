import { z } from "zod";
import { isSnowflake } from "../snowflake.ts";

const MAX_CHANNELS = 50_000;
const MAX_GUILDS = 2_500;
/** A thread lies in a channel, that in a category; nothing lies deeper. */
const MAX_DEPTH = 4;

/** Kinds of channels in which nobody says anything; what they name as their last message is a thread. */
const SILENT: ReadonlySet<number> = new Set([4, 14, 15, 16]);

const id = z.string().refine(isSnowflake);
const channel = z.object({
  id,
  type: z.number().nullish(),
  name: z.string().nullish(),
  parent_id: id.nullish(),
  guild_id: id.nullish(),
  last_message_id: id.nullish().catch(null),
});
const role = z.object({ id, name: z.string().nullish(), tags: z.object({ bot_id: id.nullish() }).nullish().catch(null) });
const guild = z.object({
  id,
  name: z.string().nullish(),
  channels: z.array(z.unknown()).nullish(),
  threads: z.array(z.unknown()).nullish(),
  roles: z.array(z.unknown()).nullish(),
});

interface KnownChannel {
  readonly guild: string;
  readonly parent: string | null;
  readonly name: string;
  readonly last: string | null;
}

interface KnownGuild {
  readonly roles: Map<string, string>;
  /** The role that Discord made for this bot: people pick it where they mean the bot. */
  managed: string | null;
}

/** Where channels lie, and what they and roles are called: names are data, for the text people wrote, never identity. */
export class Directory {
  readonly #channels = new Map<string, KnownChannel>();
  readonly #guilds = new Map<string, KnownGuild>();
  readonly #self: () => string;

  constructor(self: () => string) {
    this.#self = self;
  }

  /** Servers that are known. */
  get guilds(): readonly string[] {
    return [...this.#guilds.keys()];
  }

  knows(channelId: string): boolean {
    return this.#channels.has(channelId);
  }

  guildOf(channelId: string): string | null {
    return this.#channels.get(channelId)?.guild ?? null;
  }

  nameOf(channelId: string): string | null {
    return this.#channels.get(channelId)?.name ?? null;
  }

  roleName(guildId: string, roleId: string): string | null {
    return this.#guilds.get(guildId)?.roles.get(roleId) ?? null;
  }

  /** The role of a server that stands for this bot; null when it is not known. */
  ownRole(guildId: string): string | null {
    return this.#guilds.get(guildId)?.managed ?? null;
  }

  /** The last message of each channel of a server, as that server told when it last described itself, or the channel. */
  get lastSaid(): readonly { readonly channelId: string; readonly guildId: string; readonly messageId: string }[] {
    return [...this.#channels].flatMap(([channelId, { guild: guildId, last }]) =>
      last === null ? [] : [{ channelId, guildId, messageId: last }],
    );
  }

  /** Ids of a channel and of all it lies in, innermost first, its server last. */
  within(channelId: string, guildId: string): readonly string[] {
    const ids = [channelId];
    for (let at = this.#channels.get(channelId)?.parent ?? null; at !== null && ids.length < MAX_DEPTH;) {
      ids.push(at);
      at = this.#channels.get(at)?.parent ?? null;
    }
    return [...ids.filter((one) => one !== guildId), guildId];
  }

  /** Take in what an event tells of servers and channels. Anything else, and anything malformed, changes nothing. */
  apply(t: string, d: unknown): void {
    switch (t) {
      case "GUILD_CREATE":
        return this.#addGuild(d);
      case "GUILD_DELETE":
        return this.#dropGuild(d);
      case "CHANNEL_CREATE":
      case "CHANNEL_UPDATE":
      case "THREAD_CREATE":
      case "THREAD_UPDATE":
        return this.addChannel(d, null);
      case "CHANNEL_DELETE":
      case "THREAD_DELETE":
        return this.#dropChannel(d);
      case "GUILD_ROLE_CREATE":
      case "GUILD_ROLE_UPDATE":
        return this.#addRole(d);
      default:
    }
  }

  /** Take in one channel as an event or REST gives it. */
  addChannel(data: unknown, guildId: string | null): void {
    const parsed = channel.safeParse(data);
    const of = guildId ?? (parsed.success ? (parsed.data.guild_id ?? null) : null);
    if (!parsed.success || of === null) return;
    if (!this.#channels.has(parsed.data.id) && this.#channels.size >= MAX_CHANNELS) return;
    const { id: own, parent_id: parent, name } = parsed.data;
    this.#channels.set(own, { guild: of, parent: parent ?? null, name: name ?? "", last: lastIn(parsed.data) });
  }

  /** Make room for a server, as READY names it before it is described. */
  expect(guildId: string): void {
    if (!this.#guilds.has(guildId) && this.#guilds.size < MAX_GUILDS) this.#guilds.set(guildId, { roles: new Map(), managed: null });
  }

  #addGuild(data: unknown): void {
    const parsed = guild.safeParse(data);
    if (!parsed.success) return;
    const { id: own, channels, threads, roles } = parsed.data;
    this.expect(own);
    for (const one of [...(channels ?? []), ...(threads ?? [])]) this.addChannel(one, own);
    for (const one of roles ?? []) this.#keepRole(own, one);
  }

  #addRole(data: unknown): void {
    const parsed = z.object({ guild_id: id, role: z.unknown() }).safeParse(data);
    if (parsed.success) this.#keepRole(parsed.data.guild_id, parsed.data.role);
  }

  #keepRole(guildId: string, data: unknown): void {
    const parsed = role.safeParse(data);
    const known = this.#guilds.get(guildId);
    if (!parsed.success || known === undefined) return;
    known.roles.set(parsed.data.id, parsed.data.name ?? "");
    if (parsed.data.tags?.bot_id === this.#self()) known.managed = parsed.data.id;
  }

  #dropGuild(data: unknown): void {
    const parsed = z.object({ id, unavailable: z.boolean().nullish() }).safeParse(data);
    // One that is only out of reach comes back as it was.
    if (!parsed.success || parsed.data.unavailable === true) return;
    this.#guilds.delete(parsed.data.id);
    for (const [key, { guild: of }] of this.#channels) if (of === parsed.data.id) this.#channels.delete(key);
  }

  #dropChannel(data: unknown): void {
    const parsed = channel.safeParse(data);
    if (parsed.success) this.#channels.delete(parsed.data.id);
  }
}

function lastIn({ type, last_message_id: last }: z.infer<typeof channel>): string | null {
  return SILENT.has(type ?? 0) ? null : (last ?? null);
}
