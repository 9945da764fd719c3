import type { Clock } from "../../../foundation/clock.ts";
import type { PrincipalId } from "../../../vocabulary/principal.ts";
import { byMoment } from "../snowflake.ts";

const PER_CHANNEL = 200;
/** Characters of all channels together; beyond it those written longest ago go. */
const MAX_CHARACTERS = 2_000_000;
/** A channel is forgotten so long after it was last written (TR-043). */
const KEPT_MS = 24 * 60 * 60_000;
/** People who began anew in a channel, and answers to them, that are remembered; those longest ago go first. */
const MAX_RESETS = 4_096;
/** What a message takes beside its words. */
const OVERHEAD = 64;

/** One message of a channel as it is kept for a while. */
export interface KeptMessage {
  readonly id: string;
  /** Null for the bot itself. */
  readonly author: PrincipalId | null;
  readonly name: string;
  readonly text: string;
  readonly atMs: number;
}

interface Channel {
  /** Oldest first. */
  messages: readonly KeptMessage[];
  characters: number;
  writtenAtMs: number;
}

/**
 * What was lately said in the channels in which somebody called the bot, in memory alone: the newest 200 messages of each, two million
 * characters of all together, and a channel only for a day after it was last written. After a restart it is empty and is asked for again.
 */
export class ChannelMemory {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #maxCharacters: number;
  /** In the order in which they were written. */
  readonly #channels = new Map<string, Channel>();
  #characters = 0;
  /** When somebody began anew in a channel. */
  readonly #anewMs = new Map<string, number>();
  readonly #outOfMind = new Set<string>();

  constructor(clock: Pick<Clock, "nowMs">, maxCharacters: number = MAX_CHARACTERS) {
    this.#clock = clock;
    this.#maxCharacters = maxCharacters;
  }

  /** Characters of all that is kept. */
  get characters(): number {
    return this.#characters;
  }

  /** The newest message of a channel that is kept. */
  newest(channelId: string): string | null {
    this.#sweep();
    return this.#channels.get(channelId)?.messages.at(-1)?.id ?? null;
  }

  /** The messages of a channel before one, newest first. */
  before(channelId: string, messageId: string): readonly KeptMessage[] {
    const messages = this.#channels.get(channelId)?.messages ?? [];
    return messages.filter(({ id }) => byMoment(id, messageId) < 0).toReversed();
  }

  /** Keep messages; one that is there is replaced. With `anew` everything older goes first: what lies between is not known. */
  merge(channelId: string, messages: readonly KeptMessage[], anew: boolean): void {
    const kept = new Map((anew ? [] : (this.#channels.get(channelId)?.messages ?? [])).map((one) => [one.id, one]));
    for (const message of messages) kept.set(message.id, message);
    this.#write(channelId, [...kept.values()].toSorted((a, b) => byMoment(a.id, b.id)).slice(-PER_CHANNEL));
    for (const [id] of this.#channels) {
      if (this.#characters <= this.#maxCharacters) break;
      this.#drop(id);
    }
  }

  /** A message was changed; nothing happens where it is not kept. */
  edit(channelId: string, { id, text }: Pick<KeptMessage, "id" | "text">): void {
    const messages = this.#channels.get(channelId)?.messages ?? [];
    if (messages.some((one) => one.id === id)) {
      this.#write(
        channelId,
        messages.map((one) => (one.id === id ? { ...one, text } : one)),
      );
    }
  }

  /** Messages were taken away. */
  remove(channelId: string, ids: readonly string[]): void {
    this.#keepOnly(channelId, ({ id }) => !ids.includes(id));
  }

  /** Erase everything a person wrote. */
  forget(person: PrincipalId): void {
    // Writing a channel moves it to the end, so the row is taken as it is now.
    const ids = Array.from(this.#channels.keys());
    for (const id of ids) this.#keepOnly(id, ({ author }) => author !== person);
  }

  /**
   * Somebody began anew in a channel: what they wrote there until now, and these messages that answered them, are out of mind, also
   * when the platform tells them again. Known as long as the process runs; gives the moment up to which it reaches.
   */
  reset(channelId: string, person: PrincipalId, answers: readonly string[]): number {
    const newest = this.#channels.get(channelId)?.messages.at(-1)?.atMs ?? 0;
    const untilMs = Math.max(newest, this.#clock.nowMs());
    this.#anewMs.set(`${channelId} ${person}`, untilMs);
    dropOldest(this.#anewMs);
    for (const id of answers) {
      this.#outOfMind.add(id);
      dropOldest(this.#outOfMind);
    }
    this.#keepOnly(channelId, () => true);
    return untilMs;
  }

  #isInMind(channelId: string, { id, author, atMs }: KeptMessage): boolean {
    if (this.#outOfMind.has(id)) return false;
    return author === null || atMs > (this.#anewMs.get(`${channelId} ${author}`) ?? Number.NEGATIVE_INFINITY);
  }

  #keepOnly(channelId: string, keep: (message: KeptMessage) => boolean): void {
    const messages = this.#channels.get(channelId)?.messages ?? [];
    const left = messages.filter((one) => keep(one) && this.#isInMind(channelId, one));
    if (left.length < messages.length) this.#write(channelId, left);
  }

  #write(channelId: string, all: readonly KeptMessage[]): void {
    const messages = all.filter((one) => this.#isInMind(channelId, one));
    this.#drop(channelId);
    const characters = messages.reduce((sum, { name, text }) => sum + name.length + text.length + OVERHEAD, 0);
    this.#channels.set(channelId, { messages, characters, writtenAtMs: this.#clock.nowMs() });
    this.#characters += characters;
  }

  #drop(channelId: string): void {
    this.#characters -= this.#channels.get(channelId)?.characters ?? 0;
    this.#channels.delete(channelId);
  }

  #sweep(): void {
    const before = this.#clock.nowMs() - KEPT_MS;
    for (const [id, { writtenAtMs }] of this.#channels) {
      if (writtenAtMs >= before) return;
      this.#drop(id);
    }
  }
}

function dropOldest(table: Map<string, unknown> | Set<string>): void {
  const oldest = table.keys().next();
  if (table.size > MAX_RESETS && oldest.done !== true) table.delete(oldest.value);
}
