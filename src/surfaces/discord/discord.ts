import type { Clock } from "../../foundation/clock.ts";
import type { Log } from "../../foundation/log.ts";
import { printable } from "../../foundation/printable.ts";
import { TaskGroup } from "../../foundation/task-group.ts";
import { throwIfAborted } from "../../foundation/cancellation.ts";
import type { AccountLook } from "../../vocabulary/account.ts";
import type { ActAnswer } from "../../vocabulary/act.ts";
import type { HeardBefore } from "../../vocabulary/heard-before.ts";
import type { CharacterId, SurfaceName } from "../../vocabulary/ids.ts";
import type { Lifecycle } from "../../vocabulary/lifecycle.ts";
import type { Part, ReadBack, SendOutcome } from "../../vocabulary/part.ts";
import type { Place, PlaceId } from "../../vocabulary/place.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { Inbox, Surface, SurfaceProfile } from "../surface.ts";
import type { Account } from "./rest/account.ts";
import { readAccount } from "./rest/account.ts";
import { lookAtAccount } from "./rest/accounts.ts";
import { AwaitedServers } from "./gateway/awaited-servers.ts";
import { Backoff } from "./gateway/backoff.ts";
import { ChannelMemory } from "./reading/channel-memory.ts";
import type { BlockedReason } from "./gateway/close-codes.ts";
import { CURES } from "./gateway/close-codes.ts";
import type { DispatchedEvent } from "./gateway/contained-shard.ts";
import { Context } from "./reading/context.ts";
import { closeCard } from "./rest/card-closer.ts";
import { DirectChannels } from "./rest/direct-channels.ts";
import { Directory } from "./rest/directory.ts";
import { Gaps } from "./reading/gaps.ts";
import { Gateway } from "./gateway/gateway.ts";
import { Intake } from "./reading/intake.ts";
import { Interactions } from "./interactions/interactions.ts";
import type { StateShelf } from "./gateway/kept-state.ts";
import { StateWriter, readState } from "./gateway/kept-state.ts";
import type { Marks } from "./reading/marks.ts";
import { MessageReader } from "./reading/message-reader.ts";
import type { Identity, Reading } from "./reading/normalise.ts";
import { OwnMessages } from "./reading/own-messages.ts";
import type { DiscordNotices, DiscordPeople, DiscordPlaces, DiscordSettings } from "./ports.ts";
import { PrivateNotes } from "./rest/private-notes.ts";
import { INTENTS, PROFILE } from "./profile.ts";
import { Reactions } from "./reading/reactions.ts";
import { registerCommands } from "./interactions/registration.ts";
import { removeMessage } from "./rest/remover.ts";
import { DiscordRest } from "./rest/rest.ts";
import { Sender } from "./rest/sender.ts";
import { rolesNow } from "./reading/standing-now.ts";
import { SessionLedger } from "./gateway/session-ledger.ts";
import { Typing } from "./rest/typing.ts";

const JOIN_MS = 5_000;

/** What a bot stands on. */
export interface DiscordNeeds {
  readonly settings: DiscordSettings;
  readonly places: DiscordPlaces;
  readonly shelf: StateShelf;
  readonly people: DiscordPeople;
  readonly notices: DiscordNotices;
  readonly floor: { readonly clock: Clock; readonly log: Log };
}

/** Make a bot account on Discord as a surface. It connects once it is opened, and opening never waits for the platform. */
export function openDiscord(needs: DiscordNeeds, signal: AbortSignal): Surface {
  throwIfAborted(signal);
  return new DiscordSurface(needs);
}

class DiscordSurface implements Surface {
  readonly kind = "discord";
  readonly name: SurfaceName;
  readonly profile: SurfaceProfile = PROFILE;
  readonly #needs: DiscordNeeds;
  readonly #tasks: TaskGroup;
  readonly #rest: DiscordRest;
  readonly #gateway: Gateway;
  readonly #directory: Directory;
  readonly #ledger: SessionLedger;
  readonly #marks: Marks;
  readonly #own = new OwnMessages();
  readonly #directs: DirectChannels;
  readonly #sender: Sender;
  readonly #typing: Typing;
  readonly #intake: Intake;
  readonly #writer: StateWriter;
  readonly #memory: ChannelMemory;
  readonly #context: Context;
  readonly #subscriptions = new DisposableStack();
  #toldContentOff = false;
  #account: Account | null = null;
  #inbox: Inbox | null = null;
  #commands: string | null;
  readonly #reader: MessageReader;
  readonly #interactions: Interactions;
  readonly #reactions: Reactions;
  readonly #notes: PrivateNotes;
  readonly #servers: AwaitedServers;
  readonly #gaps: Gaps;

  constructor(needs: DiscordNeeds) {
    const { settings, floor, shelf } = needs;
    const { clock, log } = floor;
    this.#needs = needs;
    this.name = settings.name;
    this.#tasks = new TaskGroup({ clock, joinMs: JOIN_MS, onFailure: (error) => log.failure("discord_task_failed", error) });
    this.#rest = new DiscordRest({
      clock,
      token: settings.token,
      base: settings.address.base,
      version: settings.version,
      onRejected: () => this.#gateway.block("token_rejected"),
    });
    const kept = readState(shelf.read());
    this.#marks = kept.marks;
    this.#commands = kept.commands;
    this.#ledger = new SessionLedger(kept.session, () => this.#writer.touch());
    this.#writer = new StateWriter({ clock, log, tasks: this.#tasks, shelf }, () => {
      return { session: this.#ledger.session, marks: this.#marks, commands: this.#commands };
    });
    this.#directory = new Directory(() => this.#account?.userId ?? "");
    this.#directs = new DirectChannels(this.#rest);
    this.#typing = new Typing({ clock, tasks: this.#tasks });
    this.#sender = new Sender({
      clock,
      log,
      rest: this.#rest,
      directs: this.#directs,
      self: () => this.#account?.userId ?? null,
      posted: (id) => this.#own.note(id),
    });
    this.#servers = new AwaitedServers(clock);
    this.#reader = this.#makeReader();
    const acting = { tasks: this.#tasks, inbox: (): Inbox | null => this.#inbox, reading: (): Reading => this.#reader.reading };
    this.#interactions = new Interactions({ clock, log, rest: this.#rest, ...acting });
    this.#reactions = new Reactions(acting);
    this.#notes = new PrivateNotes({ clock, log, tasks: this.#tasks, rest: this.#rest, directs: this.#directs });
    this.#intake = this.#makeIntake();
    this.#gaps = this.#makeGaps();
    this.#memory = new ChannelMemory(clock);
    this.#context = this.#makeContext();
    this.#subscriptions.use(needs.people.onForgotten((person) => this.#memory.forget(person)));
    const reset = (channel: string, who: PrincipalId, ids: readonly string[]): number => this.#memory.reset(channel, who, ids);
    this.#subscriptions.use(
      needs.people.onReset((who, place, ids) => needs.people.keepAnew(who, channelIn(place), reset(channelIn(place), who, ids))),
    );
    this.#gateway = new Gateway({
      clock,
      log,
      rest: this.#rest,
      ledger: this.#ledger,
      account: { token: settings.token, address: settings.address },
      listener: {
        intents: () => INTENTS.base | (this.#readsContent() ? INTENTS.content : 0),
        began: (data) => this.#began(data),
        event: (event) => this.#hear(event),
        blocked: (reason) => this.#blocked(reason),
      },
    });
  }

  open(inbox: Inbox, signal: AbortSignal): Promise<void> {
    throwIfAborted(signal);
    this.#inbox = inbox;
    this.#tasks.start((ends) => this.#run(ends));
    return Promise.resolve();
  }

  async send(part: Part, signal: AbortSignal): Promise<SendOutcome> {
    await this.#typing.stop(keyOf(part.character, part.place), signal);
    return this.#sender.send(part, signal);
  }

  async readBack(part: Part, signal: AbortSignal): Promise<ReadBack> {
    // Asked before anything is opened: who we are has to be known first.
    if (this.#account === null) await this.#ask(signal);
    return this.#sender.readBack(part, signal);
  }

  readonly takeBack: NonNullable<Surface["takeBack"]> = ({ place, platformId }, signal) =>
    removeMessage({ rest: this.#rest, directs: this.#directs }, { place, messageId: platformId }, signal);

  readonly closeCard: NonNullable<Surface["closeCard"]> = ({ place, platformId }, words, signal) =>
    closeCard({ rest: this.#rest, directs: this.#directs }, { place, messageId: platformId, words }, signal);

  tell(person: PrincipalId, answer: ActAnswer): void {
    this.#notes.tell(person, answer);
  }

  within(place: Place): readonly string[] {
    const server = place.kind === "public" ? this.#directory.guildOf(channelIn(place.id)) : null;
    return server === null ? [] : this.#directory.within(channelIn(place.id), server);
  }

  groupsNow(person: PrincipalId, place: Place, signal: AbortSignal): Promise<readonly string[] | null> {
    const server = this.within(place).at(-1);
    return server === undefined ? Promise.resolve(null) : rolesNow(this.#rest, { server, person }, signal);
  }

  typing(character: CharacterId, place: Place, on: boolean): void {
    const key = keyOf(character, place);
    if (on) this.#typing.start(key, (signal) => this.#showTyping(place, signal));
    else if (!this.#tasks.signal.aborted) this.#tasks.start((signal) => this.#typing.stop(key, signal));
  }

  before(place: Place, deliveryId: string, signal: AbortSignal): Promise<readonly HeardBefore[]> {
    const channel = channelIn(place.id);
    if (place.kind !== "public" || !this.#readsContent()) return Promise.resolve([]);
    const guild = this.#directory.guildOf(channel);
    const limits = this.#needs.places.context(guild === null ? [channel] : this.#directory.within(channel, guild));
    return this.#context.before(channel, deliveryId, limits, signal);
  }

  account(person: PrincipalId, signal: AbortSignal): Promise<AccountLook> {
    return lookAtAccount(this.#rest, person, signal);
  }

  lifecycle(): Lifecycle {
    return this.#gateway.lifecycle;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    using _rest = this.#rest;
    using _subscriptions = this.#subscriptions;
    await this.#tasks.close();
    await this.#writer.close();
  }

  #makeReader(): MessageReader {
    return new MessageReader({
      surface: this.name,
      rest: this.#rest,
      directory: this.#directory,
      places: this.#needs.places,
      self: () => this.#self(),
      isOwn: (id) => this.#own.has(id),
      nowMs: () => this.#needs.floor.clock.nowMs(),
    });
  }

  #makeIntake(): Intake {
    const { floor, people } = this.#needs;
    return new Intake({
      log: floor.log,
      tasks: this.#tasks,
      inbox: () => this.#inbox,
      marks: this.#marks,
      own: this.#own,
      directs: this.#directs,
      reader: {
        read: (message) => this.#reader.read(message),
        lookUp: (message) => this.#reader.lookUp(message, this.#tasks.signal),
      },
      admitted: (_message, event) => people.met(event.sender.principal, event.sender.displayName),
      removed: (ids, channelId) => {
        this.#context.removed(channelId, ids);
        for (const id of ids) this.#inbox?.removed?.(this.name, id);
      },
      changed: () => this.#writer.touch(),
    });
  }

  #makeGaps(): Gaps {
    const { floor, places } = this.#needs;
    return new Gaps(
      {
        floor: { ...floor, tasks: this.#tasks },
        rest: this.#rest,
        servers: this.#servers,
        directory: this.#directory,
        intake: this.#intake,
        people: { matters: () => places.rolesMatter(), calls: (message) => this.#reader.calls(message) },
      },
      this.#marks,
    );
  }

  #makeContext(): Context {
    const { floor, people } = this.#needs;
    return new Context({
      clock: floor.clock,
      rest: this.#rest,
      directory: this.#directory,
      memory: this.#memory,
      collects: (person) => people.collects(person),
      inMind: (message) => people.inMind(message),
      self: () => this.#self(),
      wordless: () => this.#contentOff(),
    });
  }

  /** Find out who we are, then stay connected; both for as long as it takes. */
  async #run(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff();
    while (this.#account === null) {
      const afterMs = await this.#ask(signal);
      if (afterMs === null) return;
      if (this.#account === null) await this.#needs.floor.clock.sleep(Math.max(backoff.next(), afterMs), signal);
    }
    if (this.#needs.settings.wantsContent && !this.#readsContent()) this.#contentOff();
    this.#tasks.start((ends) => this.#register(ends));
    await this.#gateway.run(signal);
  }

  async #register(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#needs.floor;
    const { applicationId } = this.#self();
    const registered = this.#commands;
    this.#commands = await registerCommands({ clock, log, rest: this.#rest }, { applicationId, registered }, signal);
    if (this.#commands !== registered) this.#writer.touch();
  }

  /** Ask whose token it is. Gives null when it can never be used, else how long to wait before asking again. */
  async #ask(signal: AbortSignal): Promise<number | null> {
    const answer = await readAccount(this.#rest, signal);
    switch (answer.kind) {
      case "account":
        this.#account = answer.account;
        return 0;
      case "blocked":
        this.#gateway.block(answer.reason);
        return null;
      case "later":
        this.#needs.floor.log.write("info", "discord_account_later", { reason: printable(answer.reason) });
        return answer.afterMs;
    }
  }

  #contentOff(): void {
    if (!this.#toldContentOff) this.#needs.notices.contentOff();
    this.#toldContentOff = true;
  }

  #self(): Identity {
    return this.#account ?? { userId: "", applicationId: "" };
  }

  #readsContent(): boolean {
    return this.#needs.settings.wantsContent && this.#account?.readsContent === true;
  }

  #began(data: unknown): void {
    for (const id of this.#servers.begin(data)) this.#directory.expect(id);
    this.#gaps.read();
  }

  #hear(event: DispatchedEvent): void {
    const done = this.#ledger.take(event.s);
    switch (event.t) {
      case "MESSAGE_CREATE":
        return this.#intake.created(event.d, done);
      case "MESSAGE_UPDATE":
        this.#context.changed(event.d);
        return this.#intake.updated(event.d, done);
      case "MESSAGE_DELETE":
      case "MESSAGE_DELETE_BULK":
        return this.#intake.deleted(event.t, event.d, done);
      case "INTERACTION_CREATE":
        // What is told again after a restart is refused by the platform, so there is nothing to wait for.
        done();
        return this.#interactions.take(event.d);
      case "MESSAGE_REACTION_ADD":
        return this.#reactions.take(event.d, done);
      case "GUILD_CREATE":
        this.#directory.apply(event.t, event.d);
        this.#servers.described(event.d);
        return done();
      default:
        this.#directory.apply(event.t, event.d);
        done();
    }
  }

  #blocked(reason: BlockedReason): void {
    const { floor, notices } = this.#needs;
    floor.log.write("error", "discord_blocked", {
      surface: printable(this.name),
      reason: printable(reason),
      cure: printable(CURES[reason]),
    });
    notices.blocked(reason);
  }

  async #showTyping(place: Place, signal: AbortSignal): Promise<void> {
    const channel = place.kind === "direct" ? await this.#directs.open(place.person, signal) : { kind: "channel", id: channelIn(place.id) };
    if (channel.kind !== "channel" || !("id" in channel)) return;
    const { id } = channel;
    await this.#rest.call(`POST /channels/${id}/typing`, (api, ends) => api.channels.showTyping(id, { signal: ends }), { signal });
  }
}

/** The channel of a public place. */
function channelIn(id: PlaceId): string {
  return id.slice(id.lastIndexOf(":") + 1);
}

function keyOf(character: CharacterId, place: Place): string {
  return `${character} ${place.id}`;
}
