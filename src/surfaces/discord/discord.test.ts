import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "../../foundation/log.ts";
import { Secret } from "../../foundation/secret.ts";
import { FakeDiscord } from "../../testing/fake-discord/fake-discord.ts";
import type { FakeDiscordOptions } from "../../testing/fake-discord/fake-discord.ts";
import type { FakeChannel, FakeGuild, FakeUser } from "../../testing/fake-discord/world.ts";
import { FastClock } from "../../testing/fast-clock.ts";
import { parseCharacterId, parseMessageId, parseSurfaceName } from "../../vocabulary/ids.ts";
import type { InboundEvent } from "../../vocabulary/inbound.ts";
import type { Surface } from "../surface.ts";
import type { BlockedReason } from "./gateway/close-codes.ts";
import { ContainedShard } from "./gateway/contained-shard.ts";
import { openDiscord } from "./discord.ts";

const TOWN = parseSurfaceName("town");
const MIRELLE = { id: parseCharacterId("mirelle"), name: "Mirelle" };

/** A bot by itself: its surface, an inbox that keeps what it hears, and a Discord. */
interface Bot extends AsyncDisposable {
  readonly discord: FakeDiscord;
  readonly guild: FakeGuild;
  readonly tavern: FakeChannel;
  readonly ann: FakeUser;
  readonly heard: InboundEvent[];
  readonly removed: string[];
  readonly blocked: BlockedReason[];
  readonly surface: Surface;
  readonly kept: { state: string | null };
  state(): string;
  until(done: () => boolean): Promise<void>;
}

interface BotOptions {
  readonly discord?: FakeDiscordOptions;
  readonly before?: (discord: FakeDiscord) => void;
  readonly kept?: { state: string | null };
  readonly over?: FakeDiscord;
  /** How many times faster than the real one its clock runs. */
  readonly faster?: number;
  /** Fails so many times before it takes something. */
  readonly failing?: { times: number };
}

async function startBot(options: BotOptions = {}): Promise<Bot> {
  const clock = new FastClock(options.faster ?? 25);
  const discord = options.over ?? new FakeDiscord({ clock, ...options.discord });
  if (options.over === undefined) await discord.listen();
  const guild = [...discord.world.guilds.values()][0] ?? discord.addGuild("Harbour");
  const ann = [...discord.world.users.values()].find(({ username }) => username === "ann") ?? discord.addUser("ann");
  discord.join(guild, ann);
  const tavern = [...discord.world.channels.values()].find(({ name }) => name === "tavern") ?? discord.addChannel(guild, "tavern");
  options.before?.(discord);
  const heard: InboundEvent[] = [];
  const removed: string[] = [];
  const blocked: BlockedReason[] = [];
  const kept = options.kept ?? { state: null };
  const stop = new AbortController();
  const surface = openDiscord(
    {
      settings: {
        name: TOWN,
        token: Secret.parse(discord.token, "the test"),
        address: { base: discord.api, other: true },
        wantsContent: true,
        version: "test",
      },
      places: { speaker: () => MIRELLE, differ: () => true, rolesMatter: () => true, context: () => ({ messages: 15, characters: 4_000 }) },
      shelf: {
        read: () => kept.state,
        keep(state) {
          kept.state = state;
          return Promise.resolve();
        },
      },
      people: {
        met: () => {},
        collects: () => true,
        onForgotten: () => new DisposableStack(),
        onReset: () => new DisposableStack(),
        keepAnew: () => {},
        inMind: () => true,
      },
      notices: { blocked: (reason) => blocked.push(reason), contentOff: () => {} },
      floor: { clock, log: silentLog },
    },
    stop.signal,
  );
  let number = 0;
  const failing = options.failing ?? { times: 0 };
  await surface.open(
    {
      hear(event) {
        if (failing.times > 0) {
          failing.times -= 1;
          return Promise.reject(new Error("no room on the disk"));
        }
        heard.push(event);
        number += 1;
        return Promise.resolve({ kind: "admitted", id: parseMessageId(`m-${String(number).padStart(4, "0")}`) });
      },
      removed: (_surface, id) => removed.push(id),
    },
    stop.signal,
  );
  return {
    discord,
    guild,
    tavern,
    ann,
    heard,
    removed,
    blocked,
    surface,
    kept,
    state: () => surface.lifecycle?.().state ?? "none",
    until: (done) => discord.until(done, AbortSignal.timeout(8_000)),
    async [Symbol.asyncDispose]() {
      await surface[Symbol.asyncDispose]();
      stop.abort();
      if (options.over === undefined) await discord[Symbol.asyncDispose]();
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test("the library still has what is reached for in it", () => {
  assert.equal(ContainedShard.intact, true);
});

test("TR-055 TR-081 a code that says so, a rejected token and a person's token stop the bot, before or after it connected", async () => {
  await using closed = await startBot();
  await closed.until(() => closed.state() === "online");
  closed.discord.gateway.closeAll(4014);
  await closed.until(() => closed.state() === "authentication-blocked");
  await using rejected = await startBot({
    before: (discord) => discord.faults.add("GET /users/@me", { kind: "error", status: 401, code: 0 }),
  });
  await using person = await startBot({ discord: { account: "user" } });
  for (const bot of [rejected, person]) await bot.until(() => bot.state() === "authentication-blocked");
  await pause(150);
  assert.deepEqual([closed.blocked, rejected.blocked, person.blocked], [["closed_4014"], ["token_rejected"], ["user_token"]]);
  assert.deepEqual(
    [closed, rejected, person].map(({ discord }) => discord.gateway.opened),
    [1, 0, 0],
  );
});

test("TR-055 TR-081 after each code that is for good nothing connects again, whether it comes at once or later", async () => {
  const codes = [4004, 4010, 4011, 4012, 4013, 4014];
  const bots = await Promise.all(
    codes.flatMap((code) => [
      startBot({ before: ({ gateway }) => gateway.next.push({ closeAtIdentify: code }) }),
      startBot().then(async (bot) => {
        await bot.until(() => bot.state() === "online");
        bot.discord.gateway.closeAll(code);
        return bot;
      }),
    ]),
  );
  for (const bot of bots) await bot.until(() => bot.state() === "authentication-blocked");
  await pause(120);
  assert.deepEqual(
    bots.map(({ blocked }) => blocked),
    codes.flatMap((code) => {
      const reason = code === 4004 ? "token_rejected" : `closed_${code}`;
      return [[reason], [reason]];
    }),
  );
  assert.deepEqual(new Set(bots.map(({ discord }) => discord.gateway.opened)), new Set([1]));
  for (const bot of bots) await bot[Symbol.asyncDispose]();
});

test("TR-055 cases B15 after five connections without a word the session is given up and a new one begun, each try later than the one before", async () => {
  await using bot = await startBot({ faster: 200, discord: { heartbeatMs: 100 } });
  const { gateway } = bot.discord;
  await bot.until(() => bot.state() === "online");
  for (let times = 0; times < 5; times += 1) gateway.next.push({ noHello: true });
  gateway.tearAll();
  await bot.until(() => gateway.identifies === 2 && bot.state() === "online");
  assert.deepEqual([gateway.opened, gateway.resumes], [7, 0]);
});

test("TR-042 cases B21 a session that breaks at each try and then is over leaves a gap, which is filled once and in order", async () => {
  await using bot = await startBot();
  const { discord, ann, tavern } = bot;
  await bot.until(() => bot.state() === "online");
  discord.say(ann, tavern, "before");
  await bot.until(() => bot.heard.length === 1);
  for (let times = 0; times < 3; times += 1) discord.gateway.next.push({ tearAtResume: true });
  discord.gateway.tearAll();
  for (const words of ["one", "two", "three"]) discord.say(ann, tavern, words);
  await bot.until(() => discord.gateway.next.length === 0);
  // History that comes later, or not at all at first, is asked for again.
  discord.faults.add("GET /channels/:id/messages", { kind: "rate_limit", retryAfterS: 0.2 });
  discord.faults.add("GET /channels/:id/messages", { kind: "tear" });
  discord.gateway.forgetSession();
  await bot.until(() => bot.heard.length === 4);
  discord.say(ann, tavern, "after");
  await bot.until(() => bot.heard.length === 5);
  await pause(60);
  assert.deepEqual(
    bot.heard.map(({ text }) => text),
    ["before", "one", "two", "three", "after"],
  );
});

test("TR-042 word that a session is over, or may be taken up, is followed; what was said meanwhile comes through once", async () => {
  await using bot = await startBot();
  const { discord, ann, tavern } = bot;
  await bot.until(() => bot.state() === "online");
  discord.say(ann, tavern, "before");
  await bot.until(() => bot.heard.length === 1);
  discord.gateway.invalidate(true);
  await bot.until(() => discord.gateway.resumes === 1 && bot.state() === "online");
  discord.gateway.invalidate(false);
  discord.say(ann, tavern, "in between");
  await bot.until(() => discord.gateway.identifies === 2 && bot.heard.length === 2);
  await pause(60);
  assert.equal(bot.heard.length, 2);
});

test("TR-055 cases B14 a program that stands still while it connects comes back when it goes on", async () => {
  await using bot = await startBot();
  await bot.until(() => bot.state() === "online");
  bot.discord.gateway.tearAll();
  await bot.until(() => bot.state() === "backoff");
  // Three seconds of the town in which no timer runs.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 120);
  await bot.until(() => bot.state() === "online");
  assert.equal(bot.discord.gateway.connections.length, 1);
});

test("TR-020 cases B49 where a server leaves things out or sends them as null, a private line stays private and a channel public", async () => {
  await using bot = await startBot({ discord: { dialect: "other" } });
  const { discord, ann, tavern, guild } = bot;
  await bot.until(() => bot.state() === "online");
  const thread = discord.startThread(tavern, "aside");
  discord.direct(ann, "psst");
  discord.say(ann, tavern, "all hear");
  discord.say(ann, thread, "some hear");
  discord.direct(ann, "psst again");
  await bot.until(() => bot.heard.length === 4);
  assert.deepEqual(
    bot.heard.map(({ place }) => [place.kind, place.kind === "direct" ? place.person : place.id]),
    [
      ["direct", `discord:${ann.id}`],
      ["public", `public:town:${tavern.id}`],
      ["public", `public:town:${thread.id}`],
      ["direct", `discord:${ann.id}`],
    ],
  );
  assert.deepEqual(bot.heard[2]?.within, [thread.id, tavern.id, guild.id]);
  // History that comes oldest first is the same history.
  discord.gateway.forgetSession();
  discord.gateway.tearAll();
  for (const words of ["one", "two", "three"]) discord.say(ann, tavern, words);
  await bot.until(() => bot.heard.length === 7);
  assert.deepEqual(
    bot.heard.slice(4).map(({ text }) => text),
    ["one", "two", "three"],
  );
});

test("cases B17 B18 a connection that never stands is given up, nothing of it ends the process, and the next one stands", async () => {
  await using bot = await startBot({
    before(discord) {
      discord.gateway.next.push({ refuse: 502 }, { firstPayload: '{"op":10,"d":null}' }, { noReady: true });
      discord.faults.add("GET /gateway/bot", { kind: "delay", ms: 6_000 });
      discord.faults.add("GET /users/@me", { kind: "tear" });
    },
  });
  await bot.until(() => bot.state() === "online");
  assert.equal(bot.discord.gateway.connections.length, 1);
});

test("TR-055 heartbeats without an answer end a connection, and its session goes on in another", async () => {
  await using bot = await startBot({ discord: { heartbeatMs: 60 }, before: ({ gateway }) => gateway.next.push({ deaf: true }) });
  await bot.until(() => bot.discord.gateway.resumes === 1 && bot.state() === "online");
  assert.equal(bot.discord.gateway.identifies, 1);
});

test("a gateway elsewhere gets no token, and a day without sessions is waited out", async () => {
  const body = { url: "wss://gateway.evil.example" };
  await using elsewhere = await startBot({ before: ({ faults }) => faults.add("GET /gateway/bot", { kind: "answer", status: 200, body }) });
  await using spent = await startBot({ before: (discord) => void (discord.sessionsLeft = 0) });
  await elsewhere.until(() => elsewhere.state() === "authentication-blocked");
  await spent.until(() => spent.surface.lifecycle?.().reason === "sessions_spent");
  assert.deepEqual(elsewhere.blocked, ["gateway_refused"]);
  for (const { discord } of [elsewhere, spent]) assert.equal(discord.gateway.opened, 0);
});

test("VS-044 a bot's account is asked for servers, their messages, private ones and, where it may, words that do not call it; a person's is refused", async () => {
  await using bot = await startBot();
  await using wordless = await startBot({ discord: { messageContent: false } });
  for (const one of [bot, wordless]) await one.until(() => one.state() === "online");
  const asked = [bot, wordless].map(({ discord }) => discord.gateway.intents);
  const [servers, serverMessages, privateMessages, content] = [1 << 0, 1 << 9, 1 << 12, 1 << 15];
  for (const intents of asked) for (const needed of [servers, serverMessages, privateMessages]) assert.equal(intents & needed, needed);
  assert.deepEqual(
    asked.map((intents) => intents & content),
    [content, 0],
  );
  const [members, presences] = [1 << 1, 1 << 8];
  for (const intents of asked) assert.equal(intents & (members | presences), 0, "nothing else that is privileged");
  await using person = await startBot({ discord: { account: "user" } });
  await person.until(() => person.blocked.includes("user_token"));
  assert.equal(person.discord.gateway.intents, 0);
});

test("VS-040 TR-042 what was not kept is told again: the cursor stands before it until it is", async () => {
  const failing = { times: 1 };
  const first = await startBot({ failing });
  const { discord, ann, tavern } = first;
  await first.until(() => first.state() === "online");
  discord.say(ann, tavern, "lost");
  await first.until(() => failing.times === 0);
  discord.say(ann, tavern, "kept");
  await first.until(() => first.heard.length === 1);
  await first.surface[Symbol.asyncDispose]();
  await using second = await startBot({ over: discord, kept: first.kept });
  await second.until(() => second.heard.length === 2);
  assert.deepEqual(
    second.heard.map(({ text }) => text),
    ["lost", "kept"],
  );
  assert.equal(discord.gateway.identifies, 1);
  await discord[Symbol.asyncDispose]();
});

test("cases B13 a fresh bot hears nothing that is past, also over new sessions", async () => {
  await using bot = await startBot({
    before(discord) {
      const [tavern] = discord.world.channels.values();
      const [, , ann] = discord.world.users.values();
      assert.ok(tavern !== undefined && ann !== undefined);
      for (let n = 0; n < 200; n += 1) discord.world.addMessage(tavern, ann, `<@${discord.world.bot.id}> old ${n}`);
    },
  });
  await bot.until(() => bot.state() === "online");
  bot.discord.gateway.forgetSession();
  bot.discord.gateway.tearAll();
  await bot.until(() => bot.discord.gateway.identifies === 2 && bot.state() === "online");
  await pause(60);
  assert.equal(bot.heard.length, 0);
});

test("TR-081 word of what was taken away comes through, one by one and many at once; an edit is the same delivery", async () => {
  await using bot = await startBot();
  const { discord, ann, tavern } = bot;
  await bot.until(() => bot.state() === "online");
  const lines = ["one", "two", "three"].map((text) => discord.say(ann, tavern, text));
  const [first, ...others] = lines;
  assert.ok(first !== undefined);
  discord.edit(first, "one, unfurled", true);
  discord.edit(first, "one, edited");
  discord.remove(first);
  discord.removeAll(others);
  await bot.until(() => bot.removed.length === 3);
  assert.deepEqual(
    bot.heard.map(({ text, deliveryId }) => [text, deliveryId === first.id]),
    [
      ["one", true],
      ["two", false],
      ["three", false],
      ["one, edited", true],
    ],
  );
  assert.deepEqual(
    bot.removed,
    lines.map(({ id }) => id),
  );
});
