import { DiscordFailure } from "./errors.ts";
import { INTENTS } from "./gateway.ts";
import type { FakePlatform, LedgerPost, RestAnswer, RestCall } from "./platform.ts";
import { DONE, fail, ok, pingedBy } from "./platform.ts";
import type { View } from "./shapes.ts";
import { channelJson, exceptionsJson, messageJson, userJson } from "./shapes.ts";
import { isLater, momentOf } from "./snowflakes.ts";
import type { FakeChannel, FakeMessage } from "./world.ts";

const MAX_CODE_POINTS = 2_000;
const MAX_NONCE_CHARACTERS = 25;
/** How long a nonce keeps a message from being posted again. */
const NONCE_WINDOW_MS = 5 * 60_000;
const MAX_PAGE = 100;

/** How the bot sees messages over REST. */
function viewOf({ privileges, dialect }: FakePlatform): View {
  return { dialect, content: privileges.messageContent, event: false };
}

/** Tell of a message over the gateway, to whoever may hear of its place. */
export function tellOfMessage(platform: FakePlatform, event: "MESSAGE_CREATE" | "MESSAGE_UPDATE", message: FakeMessage): void {
  // What one person alone is shown is told over the private intent, wherever it is.
  const isPrivate = message.channel.guild === null || (message.flags & 64) !== 0;
  platform.gateway.dispatch(event, isPrivate ? INTENTS.directMessages : INTENTS.guildMessages, (view) =>
    messageJson(platform.world, message, view),
  );
}

function channelFor(platform: FakePlatform, id: string): FakeChannel | DiscordFailure {
  const channel = platform.world.channels.get(id);
  if (channel === undefined) return fail(10003);
  return channel.rights.has("view") ? channel : fail(50001);
}

function mayPost(channel: FakeChannel): DiscordFailure | null {
  if (channel.kind === "category" || channel.kind === "forum") return fail(50008);
  if (channel.kind === "direct" && channel.recipients[0]?.acceptsDirect === false) return fail(50007);
  if (!channel.rights.has(channel.kind === "thread" ? "send_in_threads" : "send")) return fail(50013);
  if (channel.kind === "thread" && channel.locked) return fail(160005);
  return null;
}

function textIn(body: RestCall["body"], name: string): string {
  const value = body[name];
  return typeof value === "string" ? value : "";
}

function faultOfBody(body: RestCall["body"]): DiscordFailure | null {
  const content = textIn(body, "content");
  if (Array.from(content).length > MAX_CODE_POINTS)
    return fail(50035, { content: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH", message: "Must be 2000 or fewer in length." }] } });
  if (content.trim() === "" && body["embeds"] === undefined && body["components"] === undefined) return fail(50006);
  const nonce = body["nonce"];
  if (nonce !== undefined && typeof nonce !== "string" && typeof nonce !== "number") return fail(50035, { nonce: {} });
  if (typeof nonce === "string" && nonce.length > MAX_NONCE_CHARACTERS) return fail(50035, { nonce: {} });
  return null;
}

/** The message a post replies to; null for none, a failure for one that cannot be replied to. */
function targetOf(platform: FakePlatform, channel: FakeChannel, body: RestCall["body"]): FakeMessage | DiscordFailure | null {
  const reference = body["message_reference"];
  if (typeof reference !== "object" || reference === null) return null;
  const id: unknown = Reflect.get(reference, "message_id");
  if (!channel.rights.has("read_history")) return fail(160002);
  const target = platform.world.message(channel.id, String(id));
  if (target === null) {
    const strict: unknown = Reflect.get(reference, "fail_if_not_exists");
    return strict === false ? null : fail(50035, { message_reference: { _errors: [{ code: "MESSAGE_REFERENCE_UNKNOWN_MESSAGE" }] } });
  }
  if (target.type === 0 || target.type === 19) return target;
  return fail(50035, { message_reference: { _errors: [{ code: "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE" }] } });
}

/** The post that the same nonce made a moment ago. */
function earlierPost({ ledger, clock }: FakePlatform, channel: FakeChannel, body: RestCall["body"]): LedgerPost | null {
  const nonce = body["nonce"];
  if (body["enforce_nonce"] !== true || nonce === undefined) return null;
  const since = clock.nowMs() - NONCE_WINDOW_MS;
  return ledger.findLast((post) => post.nonce === nonce && post.message.channel === channel && momentOf(post.message.id) >= since) ?? null;
}

/** `POST /channels/:id/messages` */
export function createMessage(platform: FakePlatform, { params, body }: RestCall): RestAnswer {
  const channel = channelFor(platform, params[0] ?? "");
  if (channel instanceof DiscordFailure) return channel;
  const refused = mayPost(channel) ?? faultOfBody(body);
  if (refused !== null) return refused;
  const earlier = earlierPost(platform, channel, body);
  if (earlier !== null) return earlier.deleted ? fail(10008) : ok(messageJson(platform.world, earlier.message, viewOf(platform)));
  const tooSoonS = tooSoon(platform, channel);
  if (tooSoonS > 0) return new DiscordFailure(20016, undefined, tooSoonS);
  const target = targetOf(platform, channel, body);
  if (target instanceof DiscordFailure) return target;
  return ok(messageJson(platform.world, post(platform, { channel, body, target }), viewOf(platform)));
}

/** Seconds that a slow channel still wants between two posts. */
function tooSoon({ ledger, clock }: FakePlatform, channel: FakeChannel): number {
  const last = ledger.findLast((one) => one.message.channel === channel);
  return last === undefined ? 0 : channel.slowmode - (clock.nowMs() - momentOf(last.message.id)) / 1_000;
}

/** Put a post of the bot into the world and the ledger, and tell of it. */
function post(
  platform: FakePlatform,
  { channel, body, target, id }: { channel: FakeChannel; body: RestCall["body"]; target: FakeMessage | null; id?: string },
): FakeMessage {
  const { world, ledger } = platform;
  const content = textIn(body, "content").trim();
  const nonce = body["nonce"];
  const flags = typeof body["flags"] === "number" ? body["flags"] : 0;
  const components = Array.isArray(body["components"]) ? body["components"] : [];
  const pinged = pingedBy(world, content, body["allowed_mentions"], target);
  const message = world.addMessage(channel, world.bot, content, {
    nonce: typeof nonce === "string" || typeof nonce === "number" ? nonce : null,
    flags,
    components,
    pingsReplied: target !== null && pinged.users.includes(target.author.id),
    mentionsEveryone: pinged.everyone,
    ...(target === null ? {} : { replyTo: target }),
    ...(id === undefined ? {} : { id }),
  });
  channel.archived = false;
  ledger.push({
    message,
    content,
    nonce: message.nonce,
    enforcesNonce: body["enforce_nonce"] === true,
    replyTo: target?.id ?? null,
    allowedMentions: body["allowed_mentions"],
    pinged,
    flags,
    components,
    edits: [],
    deleted: false,
  });
  tellOfMessage(platform, "MESSAGE_CREATE", message);
  return message;
}

/** `PATCH /channels/:id/messages/:message` */
export function editMessage(platform: FakePlatform, { params, body }: RestCall): RestAnswer {
  const message = platform.world.message(params[0] ?? "", params[1] ?? "");
  const posted = platform.ledger.find((one) => one.message === message);
  if (message === null || posted === undefined) return fail(message === null ? 10008 : 50013);
  const refused = faultOfBody({ content: message.content, ...body });
  if (refused !== null) return refused;
  if (body["content"] !== undefined) message.content = textIn(body, "content");
  if (Array.isArray(body["components"])) message.components = body["components"];
  message.editedAtMs = platform.clock.nowMs();
  const allowedMentions = body["allowed_mentions"];
  posted.edits.push({
    content: message.content,
    embeds: Array.isArray(body["embeds"]) ? body["embeds"] : [],
    components: message.components,
    allowedMentions,
    pinged: pingedBy(platform.world, message.content, allowedMentions, null),
  });
  tellOfMessage(platform, "MESSAGE_UPDATE", message);
  return ok(messageJson(platform.world, message, viewOf(platform)));
}

/** `DELETE /channels/:id/messages/:message` */
export function deleteMessage(platform: FakePlatform, { params }: RestCall): RestAnswer {
  const message = platform.world.message(params[0] ?? "", params[1] ?? "");
  if (message === null) return fail(10008);
  const posted = platform.ledger.find((one) => one.message === message);
  if (posted === undefined) return fail(50013);
  posted.deleted = true;
  tellOfRemoval(platform, message);
  return DONE;
}

/** Take a message away and tell of it: by its ids alone. */
export function tellOfRemoval(platform: FakePlatform, message: FakeMessage): void {
  const { channel, id } = message;
  platform.world.removeMessage(message);
  platform.gateway.dispatch("MESSAGE_DELETE", channel.guild === null ? INTENTS.directMessages : INTENTS.guildMessages, () => ({
    id,
    channel_id: channel.id,
    ...(channel.guild === null ? {} : { guild_id: channel.guild.id }),
  }));
}

/** `GET /channels/:id/messages`: newest first; other servers give them oldest first. */
export function listMessages(platform: FakePlatform, { params, query }: RestCall): RestAnswer {
  const channel = channelFor(platform, params[0] ?? "");
  if (channel instanceof DiscordFailure) return channel;
  // Without the right to read history Discord gives an empty list, not an error.
  if (!channel.rights.has("read_history")) return ok([]);
  const limit = Math.min(MAX_PAGE, Math.max(1, Number(query.get("limit") ?? 50)));
  const [after, before] = [query.get("after"), query.get("before")];
  const all = channel.messages.filter(
    ({ id, flags }) => (flags & 64) === 0 && (after === null || isLater(id, after)) && (before === null || isLater(before, id)),
  );
  const page = after !== null && before === null ? all.slice(0, limit) : all.slice(-limit);
  const list = page.map((message) =>
    messageJson(platform.world, platform.historyHasNonce ? message : { ...message, nonce: null }, viewOf(platform)),
  );
  return ok(platform.dialect === "other" ? list : list.toReversed());
}

/** `GET /channels/:id/messages/:message` */
export function getMessage(platform: FakePlatform, { params }: RestCall): RestAnswer {
  const channel = channelFor(platform, params[0] ?? "");
  if (channel instanceof DiscordFailure) return channel;
  const message = platform.world.message(channel.id, params[1] ?? "");
  return message === null ? fail(10008) : ok(messageJson(platform.world, message, viewOf(platform)));
}

/** `POST /channels/:id/typing` */
export function startTyping(platform: FakePlatform, { params }: RestCall): RestAnswer {
  const channel = channelFor(platform, params[0] ?? "");
  if (channel instanceof DiscordFailure) return channel;
  const refused = mayPost(channel);
  if (refused !== null) return refused;
  platform.typing.push({ channel, atMs: platform.clock.monotonicMs() });
  return DONE;
}

/** `GET /channels/:id` */
export function getChannel(platform: FakePlatform, { params }: RestCall): RestAnswer {
  const channel = channelFor(platform, params[0] ?? "");
  return channel instanceof DiscordFailure ? channel : ok({ ...channelJson(channel), ...exceptionsJson(platform.world, channel) });
}

/** `POST /channels/:id/threads`: a post in a forum, with its first message. It takes no nonce. */
export function createThread(platform: FakePlatform, { params, body }: RestCall): RestAnswer {
  const parent = channelFor(platform, params[0] ?? "");
  if (parent instanceof DiscordFailure) return parent;
  const first = body["message"];
  if (parent.kind !== "forum" || typeof first !== "object" || first === null) return fail(50035, { message: {} });
  const message: RestCall["body"] = { ...first };
  const refused = faultOfBody(message);
  if (refused !== null) return refused;
  const id = platform.world.snowflakes.next();
  const thread = platform.world.addChannel(parent.guild, textIn(body, "name"), { kind: "thread", parent, id });
  platform.gateway.dispatch("THREAD_CREATE", INTENTS.guilds, () => ({ ...channelJson(thread), newly_created: true }));
  // A thread has the id of the message it began with.
  const posted = post(platform, { channel: thread, body: message, target: null, id });
  return ok({ ...channelJson(thread), message: messageJson(platform.world, posted, viewOf(platform)) }, 201);
}

/** `PUT` and `DELETE /channels/:id/messages/:message/reactions/:emoji/@me` */
export function setReaction(platform: FakePlatform, { params }: RestCall, on: boolean): RestAnswer {
  const channel = channelFor(platform, params[0] ?? "");
  if (channel instanceof DiscordFailure) return channel;
  if (on && !channel.rights.has("react")) return fail(50013);
  const message = platform.world.message(channel.id, params[1] ?? "");
  if (message === null) return fail(10008);
  const emoji = decodeURIComponent(params[2] ?? "");
  const people = message.reactions.get(emoji) ?? new Set<string>();
  if (on) people.add(platform.world.bot.id);
  else people.delete(platform.world.bot.id);
  message.reactions.set(emoji, people);
  return DONE;
}

/** `POST /users/@me/channels`: the private line with somebody. */
export function directLineWith(platform: FakePlatform, { body }: RestCall): RestAnswer {
  const user = platform.world.users.get(textIn(body, "recipient_id"));
  if (user === undefined) return fail(10013);
  platform.opened.push(user);
  return ok({ ...channelJson(platform.world.directChannel(user)), recipients: [userJson(user)] });
}
