import { z } from "zod";
import { isSnowflake } from "../snowflake.ts";

const MAX_LIST = 200;
const id = z.string().refine(isSnowflake);

/** An account as messages and events show it. */
export interface ShownUser {
  readonly id: string;
  readonly username: string;
  readonly globalName: string | null;
  readonly bot: boolean;
  readonly system: boolean;
}

/** Reads an account. */
export const user: z.ZodType<ShownUser> = z
  .object({
    id,
    username: z.string(),
    global_name: z.string().nullish(),
    bot: z.boolean().nullish(),
    system: z.boolean().nullish(),
  })
  .transform(({ id: account, username, global_name, bot, system }) => ({
    id: account,
    username,
    globalName: global_name ?? null,
    bot: bot ?? false,
    system: system ?? false,
  }));

/** Somebody's standing in a server, as the event itself carries it. */
export interface ShownMember {
  readonly nick: string | null;
  readonly roles: readonly string[];
}

/** Reads somebody's standing. */
export const member: z.ZodType<ShownMember> = z
  .object({ nick: z.string().nullish(), roles: z.array(id).max(MAX_LIST + 100) })
  .transform(({ nick, roles }) => ({ nick: nick ?? null, roles }));

/** A message as far as this program looks at it. What a server left out or sent as null is null. */
export interface DiscordMessage {
  readonly id: string;
  readonly channelId: string;
  readonly guildId: string | null;
  readonly channelType: number | null;
  readonly author: ShownUser;
  readonly member: ShownMember | null;
  readonly content: string;
  readonly type: number;
  readonly flags: number;
  readonly webhookId: string | null;
  readonly applicationId: string | null;
  readonly mentions: readonly ShownUser[];
  readonly mentionsEveryone: boolean;
  /** What it answers; null for forwards. */
  readonly repliesTo: { readonly messageId: string; readonly author: string | null; readonly content: string | null } | null;
  readonly files: readonly string[];
  readonly editedAt: string | null;
  readonly nonce: string | null;
}

const reference = z.object({ type: z.number().nullish(), message_id: id.nullish() });
/** A field that a server may leave out or send as null. */
export const orNull = <Value extends z.ZodType>(schema: Value): z.ZodType<z.output<Value> | null> =>
  schema.nullish().transform((value) => value ?? null);
const numberOr0: z.ZodType<number> = z
  .number()
  .nullish()
  .transform((value) => value ?? 0);
const flag: z.ZodType<boolean> = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);
/** Lists beside the words decide nothing, so a malformed one counts as empty. */
const listOf = <Value extends z.ZodType>(schema: Value): z.ZodType<z.output<Value>[]> =>
  z
    .array(schema)
    .max(MAX_LIST)
    .nullish()
    .catch(null)
    .transform((value) => value ?? []);

/** Read a message of an event or of history; whatever breaks its form is no message. */
export const discordMessage: z.ZodType<DiscordMessage> = z
  .object({
    id,
    channel_id: id,
    guild_id: orNull(id),
    channel_type: orNull(z.number()),
    author: user,
    // Somebody's standing in a server is a sign of a server also where it cannot be read.
    member: orNull(member).catch({ nick: null, roles: [] }),
    content: orNull(z.string()),
    type: numberOr0,
    flags: numberOr0,
    webhook_id: orNull(id),
    application_id: orNull(id),
    mentions: listOf(user),
    mention_everyone: flag,
    message_reference: orNull(reference).catch(null),
    referenced_message: orNull(z.object({ author: z.object({ id }), content: orNull(z.string()) })).catch(null),
    attachments: listOf(z.object({ filename: z.string() })),
    edited_timestamp: orNull(z.string()),
    nonce: orNull(z.union([z.string(), z.number().transform(String)])).catch(null),
  })
  .transform((raw) => ({
    id: raw.id,
    channelId: raw.channel_id,
    guildId: raw.guild_id,
    channelType: raw.channel_type,
    author: raw.author,
    member: raw.member,
    content: raw.content ?? "",
    type: raw.type,
    flags: raw.flags,
    webhookId: raw.webhook_id,
    applicationId: raw.application_id,
    mentions: raw.mentions,
    mentionsEveryone: raw.mention_everyone,
    repliesTo: replyOf(raw.message_reference, raw.referenced_message),
    files: raw.attachments.map(({ filename }) => filename),
    editedAt: raw.edited_timestamp,
    nonce: raw.nonce,
  }));

/** A forward refers to another message as well, and answers nobody. */
function replyOf(
  raw: { readonly type?: number | null | undefined; readonly message_id?: string | null | undefined } | null,
  to: { readonly author: { readonly id: string }; readonly content: string | null } | null,
): DiscordMessage["repliesTo"] {
  if (raw === null || raw.message_id === null || raw.message_id === undefined || (raw.type ?? 0) !== 0) return null;
  return { messageId: raw.message_id, author: to?.author.id ?? null, content: to?.content ?? null };
}
