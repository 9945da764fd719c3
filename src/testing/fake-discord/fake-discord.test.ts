import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { API, GatewayDispatchEvents } from "@discordjs/core";
import { DiscordAPIError, HTTPError, RateLimitError, REST } from "@discordjs/rest";
import type { SessionInfo } from "@discordjs/ws";
import { WebSocketManager } from "@discordjs/ws";
import { FAKE_TOKEN, startFakeDiscord } from "./fake-discord.ts";
import type { FakeDiscord, FakeDiscordOptions } from "./fake-discord.ts";
import { INTENTS } from "./gateway.ts";
import { momentOf } from "./snowflakes.ts";

const WANTED = INTENTS.guilds | INTENTS.guildMessages | INTENTS.directMessages | INTENTS.messageContent;
const LATE = AbortSignal.timeout(20_000);

interface Client extends AsyncDisposable {
  readonly api: API;
  readonly manager: WebSocketManager;
  readonly events: { readonly t: string; readonly s: number; readonly d: Record<string, unknown> }[];
  session: SessionInfo | null;
  connect(): Promise<void>;
  until(t: string, count: number): Promise<void>;
}

function client(discord: FakeDiscord, options: { token?: string; intents?: number; session?: SessionInfo | null } = {}): Client {
  const token = options.token ?? FAKE_TOKEN;
  const rest = new REST({ api: discord.api, version: "10", retries: 0, timeout: 400, rejectOnRateLimit: () => true }).setToken(token);
  const events: Client["events"] = [];
  const manager = new WebSocketManager({
    token,
    intents: options.intents ?? WANTED,
    rest,
    shardCount: 1,
    retrieveSessionInfo: () => one.session,
    updateSessionInfo: (_shard, session) => void (one.session = session),
    buildIdentifyThrottler: () => ({ waitForIdentify: () => Promise.resolve() }),
  });
  manager.on("dispatch", (payload) => events.push(payload as never));
  manager.on("error", () => {});
  const one: Client = {
    api: new API(rest),
    manager,
    events,
    session: options.session ?? null,
    connect: () => manager.connect(),
    until: (t, count) => discord.until(() => events.filter((event) => event.t === t).length >= count, LATE),
    async [Symbol.asyncDispose]() {
      await manager.destroy({ code: 4200 });
      rest.clearHashSweeper();
      rest.clearHandlerSweeper();
    },
  };
  return one;
}

async function scene(options: FakeDiscordOptions = {}): Promise<{ discord: FakeDiscord } & ReturnType<typeof people>> {
  const discord = await startFakeDiscord(options);
  return { discord, ...people(discord) };
}

function people(discord: FakeDiscord) {
  const guild = discord.addGuild("Harbour");
  const ann = discord.addUser("ann");
  discord.join(guild, ann);
  return { guild, ann, tavern: discord.addChannel(guild, "tavern") };
}

const wordsOf = (events: Client["events"]): unknown[] => events.filter(({ t }) => t === "MESSAGE_CREATE").map(({ d }) => d["content"]);

test("a real client gets ready, hears people and posts into the ledger", async () => {
  const { discord, ann, tavern, guild } = await scene();
  await using _discord = discord;
  await using one = client(discord);
  await one.connect();
  await one.until(GatewayDispatchEvents.GuildCreate, 1);
  assert.partialDeepStrictEqual(one.events[1]?.d, { channels: [{ id: tavern.id }] });
  const role = discord.addRole(guild, "Regulars");
  guild.members.get(ann.id)?.roles.add(role.id);
  const line = discord.say(ann, tavern, `hello <@${discord.world.bot.id}>`);
  await one.until("MESSAGE_CREATE", 1);
  const heard = one.events.at(-1)?.d ?? {};
  assert.equal(heard["content"], line.content);
  assert.equal(heard["guild_id"], guild.id);
  assert.deepEqual((heard["member"] as { roles: string[] }).roles, [role.id]);
  const sent = await one.api.channels.createMessage(tavern.id, {
    content: "@everyone <@1> hi",
    allowed_mentions: { parse: [] },
    message_reference: { message_id: line.id },
  });
  const [post] = discord.ledger;
  assert.equal(post?.message.id, sent.id);
  assert.equal(post.replyTo, line.id);
  assert.deepEqual(post.pinged, { everyone: false, users: [], roles: [] });
  assert.deepEqual(post.allowedMentions, { parse: [] });
  await one.api.channels.createMessage(tavern.id, { content: `@everyone <@${ann.id}>` });
  assert.deepEqual(discord.ledger[1]?.pinged, { everyone: true, users: [ann.id], roles: [] });
});

test("private lines come with and without a type, and carry no server", async () => {
  for (const dialect of ["discord", "other"] as const) {
    const { discord, ann } = await scene({ dialect });
    await using _discord = discord;
    await using one = client(discord);
    await one.connect();
    discord.direct(ann, "psst");
    await one.until("MESSAGE_CREATE", 1);
    const heard = one.events.at(-1)?.d ?? {};
    assert.equal(heard["channel_type"], dialect === "discord" ? 1 : undefined);
    assert.equal(heard["guild_id"], dialect === "discord" ? undefined : null);
  }
});

test("without the privileged intent words are empty unless they call the bot", async () => {
  const { discord, ann, tavern } = await scene({ messageContent: false });
  await using _discord = discord;
  await using one = client(discord, { intents: WANTED & ~INTENTS.messageContent });
  await one.connect();
  discord.say(ann, tavern, "between us people");
  discord.say(ann, tavern, `<@${discord.world.bot.id}> hi`);
  discord.direct(ann, "psst");
  await one.until("MESSAGE_CREATE", 3);
  assert.deepEqual(wordsOf(one.events), ["", `<@${discord.world.bot.id}> hi`, "psst"]);
  const history = await one.api.channels.getMessages(tavern.id, {});
  assert.deepEqual(
    history.map(({ content }) => content),
    [`<@${discord.world.bot.id}> hi`, ""],
  );
});

test("the same nonce posts once within its window, also when the first answer was lost", async () => {
  const { discord, tavern } = await scene();
  await using _discord = discord;
  await using one = client(discord);
  const body = { content: "once", nonce: "abc", enforce_nonce: true };
  discord.faults.add("POST /channels/:id/messages", { kind: "commit_and", after: "hang" });
  await assert.rejects(one.api.channels.createMessage(tavern.id, body));
  const again = await one.api.channels.createMessage(tavern.id, body);
  assert.equal(again.id, discord.ledger[0]?.message.id);
  await one.api.channels.createMessage(tavern.id, { ...body, enforce_nonce: false });
  assert.equal(discord.ledger.length, 2);
  await assert.rejects(one.api.channels.createMessage(tavern.id, { ...body, nonce: "x".repeat(26) }), { code: 50035 });
});

test("limits, refusals and errors have the status, code and headers of the real ones", async () => {
  const { discord, ann, tavern } = await scene({ limits: { "POST /channels/:id/messages": { limit: 2, perMs: 1_500 } } });
  await using _discord = discord;
  await using one = client(discord);
  const say = (content: string, more: object = {}): Promise<unknown> => one.api.channels.createMessage(tavern.id, { content, ...more });
  await assert.rejects(say(""), { status: 400, code: 50006 });
  await assert.rejects(say("x".repeat(2_001)), { status: 400, code: 50035 });
  // The bucket of two is used up: the client keeps the third call back by itself.
  await assert.rejects(say("one too many"), (error) => error instanceof RateLimitError && !error.global && error.timeToReset > 500);
  assert.equal(discord.requestsOf("POST /channels/:id/messages").length, 2);
  const other = discord.addChannel(tavern.guild ?? people(discord).guild, "other");
  discord.faults.add("*", { kind: "rate_limit", retryAfterS: 1.2, global: true });
  await assert.rejects(
    one.api.channels.get(other.id),
    (error) => error instanceof RateLimitError && error.global && error.retryAfter > 1_000,
  );
  const fresh = client(discord);
  await using _fresh = fresh;
  discord.faults.add("*", { kind: "answer", status: 503, body: { message: "upstream" } });
  await assert.rejects(fresh.api.channels.get(other.id), (error) => error instanceof HTTPError && error.status === 503);
  ann.acceptsDirect = false;
  const direct = await fresh.api.users.createDM(ann.id);
  await assert.rejects(fresh.api.channels.createMessage(direct.id, { content: "psst" }), { status: 403, code: 50007 });
  other.rights.delete("view");
  await assert.rejects(fresh.api.channels.getMessages(other.id, {}), { status: 403, code: 50001 });
  const stranger = client(discord, { token: "a-token-that-nobody-knows-at-all" });
  await using _stranger = stranger;
  await assert.rejects(stranger.api.users.getCurrent(), (error) => error instanceof DiscordAPIError && error.status === 401);
  assert.equal(discord.invalidRequests, 4);
  const bare = await fetch(`${discord.api}/v10/users/@me`, { headers: { authorization: `Bot ${FAKE_TOKEN}`, "user-agent": "curl" } });
  assert.equal(((await bare.json()) as { code: number }).code, 40333);
});

test("replies, threads and slow channels are refused as the platform refuses them", async () => {
  const { discord, guild, ann, tavern } = await scene();
  await using _discord = discord;
  await using one = client(discord);
  const joined = discord.say(ann, tavern, "", { type: 7 });
  const gone = discord.say(ann, tavern, "gone");
  discord.remove(gone);
  const reply = (id: string, strict = true): Promise<unknown> =>
    one.api.channels.createMessage(tavern.id, { content: "re", message_reference: { message_id: id, fail_if_not_exists: strict } });
  await assert.rejects(reply(joined.id), { code: 50035 });
  await assert.rejects(reply(gone.id), { code: 50035 });
  await reply(gone.id, false);
  assert.equal(discord.ledger[0]?.replyTo, null);
  tavern.rights.delete("read_history");
  await assert.rejects(reply(gone.id), { code: 160002 });
  tavern.slowmode = 2;
  await assert.rejects(one.api.channels.createMessage(tavern.id, { content: "again" }), (error) => {
    return error instanceof RateLimitError && error.retryAfter > 1_000;
  });
  const forum = discord.addChannel(guild, "stories", { kind: "forum" });
  const thread = discord.startThread(forum, "the ferryman");
  await one.api.channels.createMessage(thread.id, { content: "in the thread" });
  thread.locked = true;
  await assert.rejects(one.api.channels.createMessage(thread.id, { content: "late" }), { code: 160005 });
  const begun = await one.api.channels.createForumThread(forum.id, { name: "new", message: { content: "first" } });
  assert.equal(discord.ledger.at(-1)?.message.id, begun.id);
});

test("a session is resumed with what was missed, in order, and more than was asked for", async () => {
  const { discord, ann, tavern } = await scene();
  await using _discord = discord;
  const first = client(discord);
  await first.connect();
  discord.say(ann, tavern, "one");
  discord.say(ann, tavern, "two");
  await first.until("MESSAGE_CREATE", 2);
  const kept = first.session;
  await first[Symbol.asyncDispose]();
  assert.equal(discord.gateway.closedWith.at(-1), 4200);
  discord.say(ann, tavern, "three");
  discord.gateway.overReplay = 2;
  await using second = client(discord, { session: kept });
  await second.connect();
  await second.until("MESSAGE_CREATE", 3);
  assert.deepEqual(wordsOf(second.events), ["one", "two", "three"]);
  assert.equal(discord.gateway.identifies, 1);
  assert.equal(discord.gateway.resumes, 1);
});

test("op 7 resumes, op 9 begins anew and tells nobody of the gap", async () => {
  const { discord, ann, tavern } = await scene();
  await using _discord = discord;
  await using one = client(discord);
  await one.connect();
  discord.gateway.askToReconnect();
  await discord.until(() => discord.gateway.resumes === 1, LATE);
  discord.gateway.invalidate(false);
  discord.say(ann, tavern, "into the gap");
  await discord.until(() => discord.gateway.identifies === 2, LATE);
  await one.until("READY", 2);
  discord.say(ann, tavern, "after it");
  await one.until("MESSAGE_CREATE", 1);
  assert.deepEqual(wordsOf(one.events), ["after it"]);
});

for (const [name, code, options] of [
  ["a wrong token", 4004, { token: "a-token-that-nobody-knows-at-all" }],
  ["unknown intents", 4013, { intents: 1 << 30 }],
  ["an intent that is not switched on", 4014, { intents: WANTED | INTENTS.guildMembers }],
] as const) {
  test(`${name} is closed with ${code}`, async () => {
    const { discord } = await scene();
    await using _discord = discord;
    const info = client(discord);
    await using _info = info;
    const one = client(discord, options);
    if (code === 4004) one.manager.options.rest.setToken(FAKE_TOKEN);
    const closed = once(one.manager as never, "closed", { signal: LATE });
    one.connect().catch(() => {});
    assert.equal((await closed)[0], code);
    await one[Symbol.asyncDispose]();
  });
}

test("commands and buttons are answered once, in time, to one person", async () => {
  const { discord, ann, tavern } = await scene();
  await using _discord = discord;
  await using one = client(discord);
  await one.connect();
  const about = discord.interact(ann, tavern, { kind: "command", name: "about" });
  await one.until("INTERACTION_CREATE", 1);
  const { id, token } = about;
  assert.partialDeepStrictEqual(one.events.at(-1)?.d, { id, token, data: { name: "about" } });
  await one.api.interactions.defer(id, token, { flags: 64 });
  await assert.rejects(one.api.interactions.reply(id, token, { content: "twice" }), { code: 40060 });
  await one.api.interactions.editReply(discord.world.applicationId, token, { content: "I am a character." });
  assert.deepEqual(about.shown, [{ content: "I am a character.", flags: 64, allowedMentions: undefined, embeds: [], components: [] }]);
  await assert.rejects(one.api.interactions.reply("1", "nothing", { content: "late" }), { code: 10062 });
  await one.api.channels.createMessage(tavern.id, { content: "press", components: [] });
  const posted = discord.ledger[0]?.message;
  assert.ok(posted);
  discord.interact(ann, tavern, { kind: "button", message: posted, customId: "yes" });
  await one.until("INTERACTION_CREATE", 2);
  assert.partialDeepStrictEqual(one.events.at(-1)?.d, { data: { custom_id: "yes" } });
});

test("ids tell their moment, and history is newest first except where it is not", async () => {
  for (const dialect of ["discord", "other"] as const) {
    const { discord, ann, tavern } = await scene({ dialect });
    await using _discord = discord;
    await using one = client(discord);
    const lines = ["a", "b", "c"].map((text) => discord.say(ann, tavern, text));
    assert.ok(Math.abs(momentOf(lines[0]?.id ?? "0") - Date.now()) < 5_000);
    const listed = (await one.api.channels.getMessages(tavern.id, { after: lines[0]?.id ?? "" })).map(({ content }) => content);
    assert.deepEqual(listed, dialect === "discord" ? ["c", "b"] : ["b", "c"]);
    await assert.rejects(one.api.channels.getMessage(tavern.id, "1"), { status: dialect === "discord" ? 404 : 400, code: 10008 });
  }
});
