import { INTENTS } from "./gateway.ts";
import type { FakeInteraction, FakePlatform, RestAnswer, RestCall } from "./platform.ts";
import { DONE, fail, ok } from "./platform.ts";
import { memberJson, userJson } from "./shapes.ts";
import type { FakeChannel, FakeMessage, FakeUser } from "./world.ts";
import { CHANNEL_TYPES } from "./world.ts";

/** A bot has so long for its first answer, and its token lives so long. */
const FIRST_ANSWER_MS = 3_000;
const TOKEN_MS = 15 * 60_000;

/** What a person asks for: a command with its options, or a button of a message. */
export type Asked =
  | {
      readonly kind: "command";
      readonly name: string;
      readonly options?: readonly { readonly name: string; readonly type: number; readonly value?: string | number | boolean }[];
    }
  | { readonly kind: "message_command"; readonly name: string; readonly message: Pick<FakeMessage, "id"> }
  | { readonly kind: "button"; readonly message: Pick<FakeMessage, "id" | "content">; readonly customId: string };

/** Let a person use a command or press a button; the bot hears of it over the gateway. */
export function interact(platform: FakePlatform, user: FakeUser, channel: FakeChannel, asked: Asked): FakeInteraction {
  const { world, clock } = platform;
  const id = world.snowflakes.next();
  const interaction: FakeInteraction = {
    id,
    token: `interaction-${id}-token`,
    user,
    channel,
    atMs: clock.monotonicMs(),
    callback: null,
    shown: [],
  };
  platform.interactions.push(interaction);
  const { guild } = channel;
  const who =
    guild === null ? { user: userJson(user) } : { member: { user: userJson(user), ...memberJson(guild, user), permissions: "0" } };
  platform.gateway.dispatch("INTERACTION_CREATE", 0, () => ({
    id,
    application_id: world.applicationId,
    type: asked.kind === "button" ? 3 : 2,
    token: interaction.token,
    version: 1,
    channel_id: channel.id,
    channel: { id: channel.id, type: CHANNEL_TYPES[channel.kind] },
    locale: "en-US",
    context: guild === null ? 1 : 0,
    ...(guild === null ? {} : { guild_id: guild.id, guild: { id: guild.id, locale: "en-US", features: [] } }),
    ...who,
    data: dataOf(asked),
    ...(asked.kind === "button" ? { message: { id: asked.message.id, channel_id: channel.id, content: asked.message.content } } : {}),
    entitlements: [],
    authorizing_integration_owners: {},
  }));
  return interaction;
}

function dataOf(asked: Asked): object {
  switch (asked.kind) {
    case "command":
      return { id: "1", name: asked.name, type: 1, ...(asked.options === undefined ? {} : { options: asked.options }) };
    case "message_command":
      return { id: "1", name: asked.name, type: 3, target_id: asked.message.id };
    case "button":
      return { component_type: 2, custom_id: asked.customId };
  }
}

interface Words {
  readonly content: string;
  readonly flags: number;
  readonly allowedMentions: unknown;
  readonly embeds: readonly unknown[];
  readonly components: readonly unknown[];
}

function wordsOf(data: unknown): Words {
  const field = (name: string): unknown => (typeof data === "object" && data !== null ? Reflect.get(data, name) : undefined);
  const [content, flags] = [field("content"), field("flags")];
  return {
    content: typeof content === "string" ? content : "",
    flags: typeof flags === "number" ? flags : 0,
    allowedMentions: field("allowed_mentions"),
    embeds: listOf(field("embeds")),
    components: listOf(field("components")),
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** `POST /interactions/:id/:token/callback` */
export function answerInteraction({ interactions, clock }: FakePlatform, { params, body }: RestCall): RestAnswer {
  const interaction = interactions.find(({ id, token }) => id === params[0] && token === params[1]);
  if (interaction === undefined || clock.monotonicMs() - interaction.atMs > FIRST_ANSWER_MS) return fail(10062);
  if (interaction.callback !== null) return fail(40060);
  const type = typeof body["type"] === "number" ? body["type"] : 0;
  const words = wordsOf(body["data"]);
  if (type === 4 && words.content === "") return fail(50006);
  if (Array.from(words.content).length > 2_000) return fail(50035, { data: { content: {} } });
  interaction.callback = { type, content: words.content, flags: words.flags, allowedMentions: words.allowedMentions };
  interaction.shown.push({ ...words });
  return DONE;
}

function withToken(platform: FakePlatform, { params }: RestCall): FakeInteraction | null {
  const found = platform.interactions.find(({ token }) => token === params[1]);
  if (found === undefined || params[0] !== platform.world.applicationId) return null;
  return platform.clock.monotonicMs() - found.atMs > TOKEN_MS ? null : found;
}

/** `PATCH /webhooks/:application/:token/messages/@original` */
export function editAnswer(platform: FakePlatform, call: RestCall): RestAnswer {
  const interaction = withToken(platform, call);
  const first = interaction?.shown[0];
  if (interaction === null) return fail(50027);
  if (first === undefined) return fail(10015);
  const words = wordsOf(call.body);
  if (words.content === "") return fail(50006);
  first.content = words.content;
  first.allowedMentions = words.allowedMentions;
  first.embeds = words.embeds;
  first.components = words.components;
  return ok({ id: interaction.id, content: words.content, flags: first.flags });
}

/** `POST /webhooks/:application/:token`: another answer behind the first. */
export function addAnswer(platform: FakePlatform, call: RestCall): RestAnswer {
  const interaction = withToken(platform, call);
  if (interaction === null) return fail(50027);
  if (interaction.callback === null) return fail(10015);
  const words = wordsOf(call.body);
  if (words.content === "") return fail(50006);
  interaction.shown.push({ ...words });
  return ok({ id: platform.world.snowflakes.next(), content: words.content, flags: words.flags });
}

/** A reaction that a person puts on a message or takes off it. */
export function reactAs(
  platform: FakePlatform,
  user: FakeUser,
  message: FakeMessage,
  { emoji, on }: { readonly emoji: string; readonly on: boolean },
): void {
  const people = message.reactions.get(emoji) ?? new Set<string>();
  if (on) people.add(user.id);
  else people.delete(user.id);
  message.reactions.set(emoji, people);
  const { channel } = message;
  const { guild } = channel;
  const intent = guild === null ? INTENTS.directReactions : INTENTS.guildReactions;
  platform.gateway.dispatch(on ? "MESSAGE_REACTION_ADD" : "MESSAGE_REACTION_REMOVE", intent, () => ({
    user_id: user.id,
    channel_id: channel.id,
    message_id: message.id,
    emoji: { id: null, name: emoji },
    type: 0,
    burst: false,
    message_author_id: message.author.id,
    ...(guild === null ? {} : { guild_id: guild.id, member: { user: userJson(user), ...memberJson(guild, user) } }),
  }));
}
