import type { Clock } from "../../foundation/clock.ts";
import { Snowflakes, isLater } from "./snowflakes.ts";

/** An account of the fake platform. */
export interface FakeUser {
  readonly id: string;
  readonly username: string;
  readonly globalName: string | null;
  readonly bot: boolean;
  readonly system: boolean;
  /** Whether the bot may write to it in private; code 50007 where not. */
  acceptsDirect: boolean;
}

/** A role of a server. `botId` marks the one that Discord makes for a bot. */
export interface FakeRole {
  readonly id: string;
  readonly name: string;
  readonly botId: string | null;
}

/** A server: who is in it, and with which roles. */
export interface FakeGuild {
  readonly id: string;
  readonly name: string;
  readonly roles: Map<string, FakeRole>;
  readonly members: Map<string, { readonly roles: Set<string>; nick: string | null }>;
  /** What the bot may do there, as Discord's bits. */
  permissions: bigint;
}

/** View channels, send messages there and in threads, read history. */
export const BOT_PERMISSIONS: bigint = (1n << 10n) | (1n << 11n) | (1n << 16n) | (1n << 38n);

/** Discord's number for each kind of channel. */
export const CHANNEL_TYPES = { text: 0, direct: 1, group: 3, category: 4, announcement: 5, thread: 11, forum: 15 } as const;
/** A kind of channel. */
export type ChannelKind = keyof typeof CHANNEL_TYPES;

/** What the bot may do in a channel; a test takes rights away. */
export const BOT_RIGHTS = ["view", "send", "send_in_threads", "read_history", "react"] as const;
/** One of {@link BOT_RIGHTS}. */
export type BotRight = (typeof BOT_RIGHTS)[number];

/** Discord's bit for each of them. */
export const RIGHT_BITS: ReadonlyMap<BotRight, bigint> = new Map([
  ["view", 1n << 10n],
  ["send", 1n << 11n],
  ["send_in_threads", 1n << 38n],
  ["read_history", 1n << 16n],
  ["react", 1n << 6n],
]);

/** A channel, thread, category or private line. */
export interface FakeChannel {
  readonly id: string;
  readonly kind: ChannelKind;
  readonly guild: FakeGuild | null;
  readonly name: string;
  /** The category of a channel; the channel of a thread. */
  readonly parent: string | null;
  /** Who is in a private line or group, the bot left out. */
  readonly recipients: readonly FakeUser[];
  /** Oldest first. */
  readonly messages: FakeMessage[];
  readonly rights: Set<BotRight>;
  locked: boolean;
  archived: boolean;
  /** Seconds between two messages of the bot; 0 for none. */
  slowmode: number;
}

/** A file that hangs on a message. */
export interface FakeAttachment {
  readonly filename: string;
  readonly url: string;
  readonly size: number;
}

/** One message as the platform has it. */
export interface FakeMessage {
  readonly id: string;
  readonly channel: FakeChannel;
  readonly author: FakeUser;
  /** Set when a webhook wrote it; the author is then the webhook. */
  readonly webhookId: string | null;
  readonly applicationId: string | null;
  content: string;
  /** 0 plain, 19 reply, anything else is the platform's own. */
  readonly type: number;
  readonly reference: { readonly type: 0 | 1; readonly messageId: string; readonly channelId: string } | null;
  /** Whether a reply calls the author of what it replies to. */
  readonly pingsReplied: boolean;
  readonly attachments: readonly FakeAttachment[];
  readonly embeds: readonly object[];
  readonly snapshots: readonly { readonly content: string }[];
  readonly flags: number;
  readonly nonce: string | number | null;
  readonly mentionsEveryone: boolean;
  components: readonly object[];
  editedAtMs: number | null;
  /** Emoji by name, and who put it there. */
  readonly reactions: Map<string, Set<string>>;
}

/** What a message may have beside its words. */
export type MessageExtras = Partial<
  Omit<FakeMessage, "id" | "channel" | "author" | "content" | "reactions" | "editedAtMs" | "reference">
> & {
  readonly id?: string;
  readonly replyTo?: FakeMessage;
  readonly forwards?: FakeMessage;
};

/** Accounts, servers, channels and messages: the truth behind both doors of the fake platform. */
export class FakeWorld {
  readonly snowflakes: Snowflakes;
  readonly users: Map<string, FakeUser> = new Map();
  readonly guilds: Map<string, FakeGuild> = new Map();
  readonly channels: Map<string, FakeChannel> = new Map();
  readonly bot: FakeUser;
  readonly applicationId: string;
  readonly owner: FakeUser;
  /** Members of the team the application belongs to, with whether they took their place in it; empty where it is one person's. */
  readonly team: { readonly user: FakeUser; readonly accepted: boolean }[] = [];

  constructor(clock: Clock, account: "bot" | "user") {
    this.snowflakes = new Snowflakes(clock);
    this.owner = this.addUser("owner");
    this.bot = this.addUser("mirelle_bot", { bot: account === "bot", globalName: "Mirelle" });
    // For newer applications the two ids differ; they do here, so that nothing takes one for the other.
    this.applicationId = this.snowflakes.next();
  }

  addUser(username: string, more: Partial<Omit<FakeUser, "username">> = {}): FakeUser {
    const user: FakeUser = {
      id: this.snowflakes.next(),
      username,
      globalName: null,
      bot: false,
      system: false,
      acceptsDirect: true,
      ...more,
    };
    this.users.set(user.id, user);
    return user;
  }

  addGuild(name: string): FakeGuild {
    const id = this.snowflakes.next();
    const managed: FakeRole = { id: this.snowflakes.next(), name: "Mirelle", botId: this.bot.id };
    // The role of everyone has the id of its server.
    const roles = new Map([
      [id, { id, name: "@everyone", botId: null }],
      [managed.id, managed],
    ]);
    const guild: FakeGuild = { id, name, roles, members: new Map(), permissions: BOT_PERMISSIONS };
    this.guilds.set(id, guild);
    this.join(guild, this.bot, [managed]);
    return guild;
  }

  addRole(guild: FakeGuild, name: string): FakeRole {
    const role: FakeRole = { id: this.snowflakes.next(), name, botId: null };
    guild.roles.set(role.id, role);
    return role;
  }

  join(guild: FakeGuild, user: FakeUser, roles: readonly FakeRole[] = [], nick: string | null = null): void {
    guild.members.set(user.id, { roles: new Set(roles.map(({ id }) => id)), nick });
  }

  addChannel(
    guild: FakeGuild | null,
    name: string,
    more: { kind?: ChannelKind; parent?: FakeChannel; recipients?: readonly FakeUser[]; id?: string } = {},
  ): FakeChannel {
    const channel: FakeChannel = {
      id: more.id ?? this.snowflakes.next(),
      kind: more.kind ?? "text",
      guild,
      name,
      parent: more.parent?.id ?? null,
      recipients: more.recipients ?? [],
      messages: [],
      rights: new Set(BOT_RIGHTS),
      locked: false,
      archived: false,
      slowmode: 0,
    };
    this.channels.set(channel.id, channel);
    return channel;
  }

  /** The private line of a person and the bot, made when first asked for. */
  directChannel(user: FakeUser): FakeChannel {
    const known = [...this.channels.values()].find(({ kind, recipients }) => kind === "direct" && recipients[0]?.id === user.id);
    return known ?? this.addChannel(null, "", { kind: "direct", recipients: [user] });
  }

  addMessage(channel: FakeChannel, author: FakeUser, content: string, more: MessageExtras = {}): FakeMessage {
    const { replyTo, forwards, id, ...rest } = more;
    const target = replyTo ?? forwards;
    const message: FakeMessage = {
      id: id ?? this.snowflakes.next(),
      channel,
      author,
      webhookId: null,
      applicationId: null,
      content,
      type: replyTo === undefined ? 0 : 19,
      reference: target === undefined ? null : { type: forwards === undefined ? 0 : 1, messageId: target.id, channelId: target.channel.id },
      pingsReplied: true,
      attachments: [],
      embeds: [],
      snapshots: forwards === undefined ? [] : [{ content: forwards.content }],
      flags: 0,
      nonce: null,
      mentionsEveryone: /@(?:everyone|here)\b/.test(content),
      components: [],
      editedAtMs: null,
      reactions: new Map(),
      ...rest,
    };
    channel.messages.push(message);
    channel.messages.sort((a, b) => (isLater(a.id, b.id) ? 1 : a.id === b.id ? 0 : -1));
    return message;
  }

  message(channelId: string, messageId: string): FakeMessage | null {
    return this.channels.get(channelId)?.messages.find(({ id }) => id === messageId) ?? null;
  }

  /** Take a message away; false when it is not there. */
  removeMessage(message: FakeMessage): boolean {
    const { messages } = message.channel;
    const at = messages.indexOf(message);
    if (at < 0) return false;
    messages.splice(at, 1);
    return true;
  }
}
