import { momentOf } from "./snowflakes.ts";
import { CHANNEL_TYPES, RIGHT_BITS } from "./world.ts";
import type { FakeChannel, FakeGuild, FakeMessage, FakeUser, FakeWorld } from "./world.ts";

/** What Discord sends, or what servers that speak its protocol send. */
export type Dialect = "discord" | "other";

/** How a message is shown. */
export interface View {
  readonly dialect: Dialect;
  /** Whether words of others may be read without being called (the privileged intent). */
  readonly content: boolean;
  /** Whether it goes over the gateway, which adds where it is and who wrote it. */
  readonly event: boolean;
}

/** JSON as the platform writes it. */
export type Json = Readonly<Record<string, unknown>>;

/** An account. */
export function userJson(user: FakeUser): Json {
  return {
    id: user.id,
    username: user.username,
    discriminator: "0",
    global_name: user.globalName,
    avatar: null,
    ...(user.bot ? { bot: true } : {}),
    ...(user.system ? { system: true } : {}),
  };
}

/** Somebody as a member of a server. */
export function memberJson(guild: FakeGuild, user: FakeUser): Json {
  const member = guild.members.get(user.id);
  return {
    nick: member?.nick ?? null,
    roles: [...(member?.roles ?? [])],
    joined_at: new Date(momentOf(guild.id)).toISOString(),
    deaf: false,
    mute: false,
    flags: 0,
    avatar: null,
    premium_since: null,
    pending: false,
  };
}

/** A channel, thread or private line. */
export function channelJson(channel: FakeChannel): Json {
  const { id, kind, guild, name, parent, recipients } = channel;
  const thread = kind === "thread";
  return {
    id,
    type: CHANNEL_TYPES[kind],
    ...(guild === null ? { recipients: recipients.map(userJson) } : { guild_id: guild.id, name, parent_id: parent, position: 0 }),
    last_message_id: channel.messages.at(-1)?.id ?? null,
    ...(thread ? { thread_metadata: { archived: channel.archived, locked: channel.locked, auto_archive_duration: 1_440 } } : {}),
  };
}

/** What a channel takes from the bot, as an exception for its account; a thread has none of its own. */
export function exceptionsJson(world: FakeWorld, { kind, guild, rights }: FakeChannel): Json {
  if (guild === null || kind === "thread") return {};
  const deny = [...RIGHT_BITS].reduce((sum, [right, bit]) => (rights.has(right) ? sum : sum | bit), 0n);
  return { permission_overwrites: deny === 0n ? [] : [{ id: world.bot.id, type: 1, allow: "0", deny: String(deny) }] };
}

/** A server as the gateway sends it once somebody has identified. */
export function guildJson(world: FakeWorld, guild: FakeGuild): Json {
  const channels = [...world.channels.values()].filter((channel) => channel.guild === guild);
  return {
    id: guild.id,
    name: guild.name,
    owner_id: world.owner.id,
    unavailable: false,
    large: false,
    member_count: guild.members.size,
    joined_at: new Date(momentOf(guild.id)).toISOString(),
    roles: [...guild.roles.values()].map(({ id, name, botId }) => ({
      id,
      name,
      managed: botId !== null,
      ...(botId === null ? {} : { tags: { bot_id: botId } }),
    })),
    channels: channels.filter(({ kind }) => kind !== "thread").map(channelJson),
    threads: channels.filter(({ kind, archived }) => kind === "thread" && !archived).map(channelJson),
    members: [{ user: userJson(world.bot), ...memberJson(guild, world.bot) }],
    presences: [],
    voice_states: [],
    emojis: [],
    stickers: [],
  };
}

/** Whom the words of a message call, as Discord lists them: with whoever a reply calls. */
export function mentionedUsers(world: FakeWorld, message: FakeMessage): readonly FakeUser[] {
  const ids = [...message.content.matchAll(/<@!?(\d+)>/g)].map((match) => match[1] ?? "");
  if (message.reference?.type === 0 && message.pingsReplied) {
    const replied = world.message(message.reference.channelId, message.reference.messageId);
    if (replied !== null && replied.webhookId === null) ids.push(replied.author.id);
  }
  return [...new Set(ids)].flatMap((id) => world.users.get(id) ?? []);
}

/** Whether the bot gets the words of a message without the privileged intent. */
function isForBot(world: FakeWorld, message: FakeMessage): boolean {
  if (message.channel.kind === "direct" || message.author.id === world.bot.id) return true;
  return mentionedUsers(world, message).some(({ id }) => id === world.bot.id);
}

/** A message. Without the right to its words they are empty, as Discord leaves them. */
export function messageJson(world: FakeWorld, message: FakeMessage, view: View): Json {
  const shown = view.content || isForBot(world, message);
  return {
    ...headJson(world, message),
    ...wordsJson(message, shown),
    ...optionalJson(message, shown),
    ...referenceJson(world, message, view),
    ...(view.event ? whereJson(message, view) : {}),
  };
}

function headJson(world: FakeWorld, message: FakeMessage): Json {
  const { author } = message;
  return {
    id: message.id,
    channel_id: message.channel.id,
    author: message.webhookId === null ? userJson(author) : { ...userJson(author), bot: true },
    timestamp: new Date(momentOf(message.id)).toISOString(),
    edited_timestamp: message.editedAtMs === null ? null : new Date(message.editedAtMs).toISOString(),
    tts: false,
    mention_everyone: message.mentionsEveryone,
    mentions: mentionedUsers(world, message).map(userJson),
    mention_roles: [...message.content.matchAll(/<@&(\d+)>/g)].map((match) => match[1]),
    pinned: false,
    type: message.type,
    flags: message.flags,
  };
}

function wordsJson({ content, attachments, embeds, components }: FakeMessage, shown: boolean): Json {
  if (!shown) return { content: "", attachments: [], embeds: [], components: [] };
  return {
    content,
    attachments: attachments.map((file, index) => ({ id: String(index), ...file, proxy_url: file.url })),
    embeds,
    components,
  };
}

function optionalJson({ nonce, webhookId, applicationId, snapshots }: FakeMessage, shown: boolean): Json {
  return {
    ...(nonce === null ? {} : { nonce }),
    ...(webhookId === null ? {} : { webhook_id: webhookId }),
    ...(applicationId === null ? {} : { application_id: applicationId }),
    ...(snapshots.length === 0
      ? {}
      : { message_snapshots: snapshots.map(({ content }) => ({ message: { content: shown ? content : "", type: 0 } })) }),
  };
}

function referenceJson(world: FakeWorld, message: FakeMessage, view: View): Json {
  const reference = message.reference;
  if (reference === null) return {};
  const { type, messageId, channelId } = reference;
  const target = world.message(channelId, messageId);
  const known = target === null ? null : messageJson(world, { ...target, reference: null }, { ...view, event: false });
  return {
    message_reference: {
      type,
      message_id: messageId,
      channel_id: channelId,
      ...(message.channel.guild === null ? {} : { guild_id: message.channel.guild.id }),
    },
    ...(type === 0 ? { referenced_message: known } : {}),
  };
}

/** Where a message is and who wrote it there: what the gateway adds, and other servers leave out. */
function whereJson({ channel, author, webhookId, flags }: FakeMessage, { dialect }: View): Json {
  const { guild, kind } = channel;
  // Answers that only one person sees come over the private intent, with no sign of their server.
  if ((flags & 64) !== 0) return { channel_type: CHANNEL_TYPES[kind] };
  if (guild === null) return dialect === "other" ? { guild_id: null } : { channel_type: CHANNEL_TYPES[kind] };
  const member = webhookId === null && guild.members.has(author.id) ? { member: memberJson(guild, author) } : {};
  return { guild_id: guild.id, ...(dialect === "other" ? {} : { channel_type: CHANNEL_TYPES[kind] }), ...member };
}
