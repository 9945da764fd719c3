import { z } from "zod";
import { Secret } from "../../../foundation/secret.ts";
import type { ActKind } from "../../../vocabulary/act.ts";
import type { ShownMember, ShownUser } from "../reading/message-shape.ts";
import { member, orNull, user } from "../reading/message-shape.ts";
import { TAKE_BACK_COMMAND } from "./slash-commands.ts";
import { isSnowflake, momentOf } from "../snowflake.ts";

/** What a person asked of the bot by a command or a button, as far as this program looks at it. */
export interface DiscordInteraction {
  readonly id: string;
  /** By it anybody could answer in the bot's name for a quarter of an hour. */
  readonly token: Secret;
  readonly channelId: string;
  readonly channelType: number | null;
  readonly guildId: string | null;
  readonly user: ShownUser;
  readonly member: ShownMember | null;
  readonly what: ActKind;
}

const COMMAND = 2;
const COMPONENT = 3;
const SUBCOMMAND = 1;
const MESSAGE_COMMAND = 3;
const MAX_OPTIONS = 25;

const id = z.string().refine(isSnowflake);
const value = z.union([z.string().max(6_000), z.number(), z.boolean()]).transform(String);
const option = z.object({ name: z.string().max(32), type: z.number(), value: value.optional() });
const options = z.array(option.extend({ options: z.array(option).max(MAX_OPTIONS).optional() })).max(MAX_OPTIONS);
const data = z.object({
  name: z.string().max(32).optional(),
  type: z.number().optional(),
  target_id: id.optional(),
  options: options.optional(),
  custom_id: z.string().max(100).optional(),
});

type Data = z.infer<typeof data>;

/** Read an interaction; null for what breaks the form, and for kinds that nobody here asked for. */
export function readInteraction(raw: unknown): DiscordInteraction | null {
  const parsed = interaction.safeParse(raw);
  if (!parsed.success) return null;
  const { data: about, type, token, member: standing, user: alone, ...where } = parsed.data;
  const what = whatOf(type, about);
  const who = standing?.user ?? alone;
  if (what === null || who === null) return null;
  return {
    id: where.id,
    token: Secret.parse(token, "an interaction"),
    channelId: where.channel_id,
    channelType: where.channel?.type ?? null,
    guildId: where.guild_id,
    user: who,
    member: standing === null ? null : standing.standing,
    what,
  };
}

function whatOf(type: number, about: Data): DiscordInteraction["what"] | null {
  if (type === COMMAND) return commandOf(about);
  return type === COMPONENT ? buttonOf(about) : null;
}

/** Of a server's member: the account, and its standing there. */
const memberWithUser = z
  .object({ user })
  .loose()
  .transform((raw) => ({ user: raw.user, standing: member.parse(raw) }));

const interaction = z.object({
  id,
  type: z.number(),
  token: z.string().min(20).max(1_000),
  channel_id: id,
  channel: orNull(z.object({ type: z.number() })),
  guild_id: orNull(id),
  user: orNull(user),
  member: orNull(memberWithUser),
  data,
});

/** A command with what it was given; a word behind it (`ignore me`) is given as `word`. The one of messages takes a message back. */
function commandOf({ name, type, target_id: target, options: given = [] }: Data): DiscordInteraction["what"] | null {
  if (name === undefined) return null;
  if (type === MESSAGE_COMMAND) {
    const isTakeBack = name === TAKE_BACK_COMMAND && target !== undefined;
    return isTakeBack ? { kind: "take_back", message: target, postedAtMs: momentOf(target), by: "menu" } : null;
  }
  const entries = given.flatMap((one): (readonly [string, string])[] => {
    if (one.type === SUBCOMMAND) return [["word", one.name], ...(one.options ?? []).flatMap(entryOf)];
    return entryOf(one);
  });
  return { kind: "command", name, given: Object.fromEntries(entries) };
}

function entryOf({ name, value: said }: z.infer<typeof option>): (readonly [string, string])[] {
  return said === undefined ? [] : [[name, said]];
}

function buttonOf({ custom_id: custom }: Data): DiscordInteraction["what"] | null {
  return custom === undefined ? null : { kind: "button", id: custom };
}
