import { once } from "node:events";
import type { Server } from "node:http";
import { createServer } from "node:http";
import type { Clock } from "../../foundation/clock.ts";
import { systemClock } from "../../foundation/clock.ts";
import { RestFaults } from "./faults.ts";
import { FakeGateway, INTENTS } from "./gateway.ts";
import type { Privileges } from "./gateway.ts";
import type { Asked } from "./interaction-routes.ts";
import { interact, reactAs } from "./interaction-routes.ts";
import { tellOfMessage, tellOfRemoval } from "./message-routes.ts";
import type { FakeInteraction, FakePlatform, LedgerPost } from "./platform.ts";
import type { BucketRule } from "./rate-limits.ts";
import { RateLimits } from "./rate-limits.ts";
import type { SeenRequest } from "./rest-server.ts";
import { RestServer } from "./rest-server.ts";
import type { Dialect } from "./shapes.ts";
import { channelJson, guildJson } from "./shapes.ts";
import type { ChannelKind, FakeChannel, FakeGuild, FakeMessage, FakeRole, FakeUser, MessageExtras } from "./world.ts";
import { FakeWorld } from "./world.ts";

/** A token of the right form that opens nothing. */
export const FAKE_TOKEN = "fake-bot-token.not-a-real-one.0123456789";

const LOOK_EVERY_MS = 3;

/** How a fake Discord is made. Everything has the value of the real one where it is left out. */
export interface FakeDiscordOptions {
  readonly clock?: Clock;
  readonly token?: string;
  /** `other` sends the shapes of servers that speak the protocol differently. */
  readonly dialect?: Dialect;
  /** What sort of account the token is of. */
  readonly account?: "bot" | "user";
  /** Whether the application may read words that do not call it. */
  readonly messageContent?: boolean;
  readonly heartbeatMs?: number;
  /** Limits by route, such as `POST /channels/:id/messages`. */
  readonly limits?: Readonly<Record<string, BucketRule>>;
  readonly globalLimit?: BucketRule;
  readonly historyHasNonce?: boolean;
  /** Refused requests after which the address is shut out. */
  readonly banAfter?: number;
}

/**
 * Discord on this computer: REST and gateway over real sockets, servers and people that a test plays, and a ledger of its own of
 * what the bot posted. It never tells the bot that a post came twice: the test counts.
 */
export class FakeDiscord implements AsyncDisposable {
  readonly world: FakeWorld;
  readonly gateway: FakeGateway;
  readonly faults: RestFaults = new RestFaults();
  #token: string;
  readonly #platform: FakePlatform;
  readonly #rest: RestServer;
  readonly #server: Server;
  readonly #stop = new AbortController();
  #port = 0;

  constructor(options: FakeDiscordOptions = {}) {
    const clock = options.clock ?? systemClock;
    const dialect = options.dialect ?? "discord";
    this.#token = options.token ?? FAKE_TOKEN;
    const privileges: Privileges = { messageContent: options.messageContent ?? true, guildMembers: false, guildPresences: false };
    this.world = new FakeWorld(clock, options.account ?? "bot");
    const url = (): string => `ws://127.0.0.1:${this.#port}`;
    this.gateway = new FakeGateway({
      world: this.world,
      clock,
      token: () => this.#token,
      privileges,
      dialect,
      heartbeatMs: options.heartbeatMs ?? 41_250,
      url,
    });
    this.#platform = {
      world: this.world,
      clock,
      gateway: this.gateway,
      privileges,
      dialect,
      ledger: [],
      typing: [],
      interactions: [],
      commands: [],
      opened: [],
      gatewayUrl: url,
      historyHasNonce: options.historyHasNonce ?? false,
      sessionsLeft: 1_000,
    };
    this.#rest = new RestServer({
      platform: this.#platform,
      clock,
      token: () => this.#token,
      faults: this.faults,
      limits: new RateLimits(clock, options.limits ?? {}, options.globalLimit),
      signal: this.#stop.signal,
      banAfter: options.banAfter ?? Number.POSITIVE_INFINITY,
    });
    this.#server = createServer((request, response) => {
      this.#rest.handle(request, response).then(
        () => {},
        () => response.destroy(),
      );
    });
    this.#server.on("upgrade", (request, socket) => this.gateway.upgrade(request, socket));
  }

  /** Listen on a free loopback port and give the address of the REST door. */
  async listen(port = 0): Promise<string> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    this.#port = typeof address === "object" && address !== null ? address.port : 0;
    return this.api;
  }

  get api(): string {
    return `http://127.0.0.1:${this.#port}/api`;
  }

  /** What the bot has to show. */
  get token(): string {
    return this.#token;
  }

  /** Give the bot another token, as its owner may: the one before is over. */
  resetToken(token: string): void {
    this.#token = token;
  }

  /** What the bot posted, in order. */
  get ledger(): readonly LedgerPost[] {
    return this.#platform.ledger;
  }

  /** Words the bot posted in a channel that still stand. */
  postedIn(channel: FakeChannel): readonly string[] {
    return this.ledger.filter(({ message, deleted }) => message.channel === channel && !deleted).map(({ message }) => message.content);
  }

  /** Signs of typing that the bot gave, in order. */
  get typing(): FakePlatform["typing"] {
    return this.#platform.typing;
  }

  /** Every request that was taken, in order. */
  get requests(): readonly SeenRequest[] {
    return this.#rest.seen;
  }

  /** Requests of a route. */
  requestsOf(route: string): readonly SeenRequest[] {
    return this.requests.filter((request) => request.route === route);
  }

  /** Refused requests that count towards being shut out. */
  get invalidRequests(): number {
    return this.#rest.invalid;
  }

  get interactions(): readonly FakeInteraction[] {
    return this.#platform.interactions;
  }

  /** Commands as the bot registered them. */
  get commands(): readonly unknown[] {
    return this.#platform.commands;
  }

  /** People whose private line the bot opened, in order. */
  get opened(): readonly FakeUser[] {
    return this.#platform.opened;
  }

  get privileges(): Privileges {
    return this.#platform.privileges;
  }

  set sessionsLeft(count: number) {
    this.#platform.sessionsLeft = count;
  }

  addUser(username: string, more: Partial<Omit<FakeUser, "username">> = {}): FakeUser {
    return this.world.addUser(username, more);
  }

  /** A new server, with the bot in it. */
  addGuild(name: string): FakeGuild {
    const guild = this.world.addGuild(name);
    this.gateway.dispatch("GUILD_CREATE", INTENTS.guilds, () => guildJson(this.world, guild));
    return guild;
  }

  addRole(guild: FakeGuild, name: string): FakeRole {
    return this.world.addRole(guild, name);
  }

  join(guild: FakeGuild, user: FakeUser, ...roles: readonly FakeRole[]): void {
    this.world.join(guild, user, roles);
  }

  addChannel(guild: FakeGuild, name: string, more: { kind?: ChannelKind; parent?: FakeChannel } = {}): FakeChannel {
    const channel = this.world.addChannel(guild, name, more);
    const event = channel.kind === "thread" ? "THREAD_CREATE" : "CHANNEL_CREATE";
    this.gateway.dispatch(event, INTENTS.guilds, () => channelJson(channel));
    return channel;
  }

  /** A thread of a channel, or a post of a forum. */
  startThread(parent: FakeChannel, name: string): FakeChannel {
    return this.world.guilds.has(parent.guild?.id ?? "") && parent.guild !== null
      ? this.addChannel(parent.guild, name, { kind: "thread", parent })
      : this.world.addChannel(null, name, { kind: "thread", parent });
  }

  /** Let somebody say something where everyone there reads it. */
  say(user: FakeUser, channel: FakeChannel, content: string, more: MessageExtras = {}): FakeMessage {
    const message = this.world.addMessage(channel, user, content, more);
    tellOfMessage(this.#platform, "MESSAGE_CREATE", message);
    return message;
  }

  /** Let somebody write to the bot alone. */
  direct(user: FakeUser, content: string, more: MessageExtras = {}): FakeMessage {
    return this.say(user, this.world.directChannel(user), content, more);
  }

  /** Let somebody change own words; `unfurl` is the change that Discord makes itself when a link gets its preview. */
  edit(message: FakeMessage, content: string, unfurl = false): void {
    message.content = content;
    if (!unfurl) message.editedAtMs = this.#platform.clock.nowMs();
    tellOfMessage(this.#platform, "MESSAGE_UPDATE", message);
  }

  /** Take a message away. */
  remove(message: FakeMessage): void {
    tellOfRemoval(this.#platform, message);
  }

  /** Take many away at once, as moderators do. */
  removeAll(messages: readonly FakeMessage[]): void {
    const [first] = messages;
    if (first === undefined) return;
    for (const message of messages) this.world.removeMessage(message);
    const { channel } = first;
    this.gateway.dispatch("MESSAGE_DELETE_BULK", INTENTS.guildMessages, () => ({
      ids: messages.map(({ id }) => id),
      channel_id: channel.id,
      ...(channel.guild === null ? {} : { guild_id: channel.guild.id }),
    }));
  }

  /** Let somebody use a command or press a button. */
  interact(user: FakeUser, channel: FakeChannel, asked: Asked): FakeInteraction {
    return interact(this.#platform, user, channel, asked);
  }

  react(user: FakeUser, message: FakeMessage, emoji: string, on = true): void {
    reactAs(this.#platform, user, message, { emoji, on });
  }

  /** Resolve once `done` holds, whoever brings it about; it is asked every few milliseconds. */
  async until(done: () => boolean, signal: AbortSignal): Promise<void> {
    while (!done()) await systemClock.sleep(LOOK_EVERY_MS, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.gateway.dispose();
    this.#server.closeAllConnections();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** Make a fake Discord and let it listen. */
export async function startFakeDiscord(options: FakeDiscordOptions = {}): Promise<FakeDiscord> {
  const discord = new FakeDiscord(options);
  await discord.listen();
  return discord;
}
