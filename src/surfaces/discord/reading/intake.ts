import { z } from "zod";
import type { Log } from "../../../foundation/log.ts";
import type { TaskGroup } from "../../../foundation/task-group.ts";
import type { Heard, InboundEvent } from "../../../vocabulary/inbound.ts";
import type { Inbox } from "../../surface.ts";
import type { DirectChannels } from "../rest/direct-channels.ts";
import type { Marks } from "./marks.ts";
import type { DiscordMessage } from "./message-shape.ts";
import { discordMessage } from "./message-shape.ts";
import type { ReadMessage } from "./normalise.ts";
import type { OwnMessages } from "./own-messages.ts";
import { isSnowflake } from "../snowflake.ts";

/** Messages that wait while a gap is filled, at most; what comes beyond is not done with, so it is told again. */
const MAX_HELD = 2_000;

/** What waits until it is let go: everything at first. */
export interface Hold {
  /** Let go of all but these channels. */
  only(channelIds: readonly string[]): void;
  /** Let go of one channel. */
  release(channelId: string): void;
  end(): void;
}

/** What the intake stands on. */
export interface IntakeNeeds {
  readonly log: Log;
  readonly tasks: TaskGroup;
  readonly inbox: () => Inbox | null;
  readonly marks: Marks;
  readonly own: OwnMessages;
  readonly directs: DirectChannels;
  readonly reader: {
    read(message: DiscordMessage): ReadMessage;
    /** Make known where a message stands, if that has to be asked first; null when it is known. False when it cannot be known. */
    lookUp(message: DiscordMessage): Promise<boolean> | null;
  };
  readonly admitted: (message: DiscordMessage, event: InboundEvent, heard: Extract<Heard, { kind: "admitted" }>) => void;
  /** Told of messages that were taken away, and of which channel. */
  readonly removed: (messageIds: readonly string[], channelId: string) => void;
  readonly changed: () => void;
}

const removed = z.object({ id: z.string().refine(isSnowflake), channel_id: z.string().refine(isSnowflake) });
const removedMany = z.object({ ids: z.array(z.string().refine(isSnowflake)).max(200), channel_id: z.string().refine(isSnowflake) });

type Work = () => void;

/**
 * Takes messages in, in the order in which they came, and says of each when it is done with.
 *
 * I1  `done` is called once what follows from a message is durable, never before; where that fails it is not called, and the platform
 *     tells it again.
 * I2  The messages of a channel are heard in their order, also where one of them first has to be looked up.
 * I3  While a gap is filled, what comes in waits behind it, in each channel until that one is let go.
 */
export class Intake {
  readonly #needs: IntakeNeeds;
  #held: { readonly channelId: string; readonly work: Work }[] = [];
  /** The end of each channel's row of lookups. */
  readonly #lookups = new Map<string, Promise<void>>();
  /** Channels that wait, for each hold; null for all. */
  readonly #holds = new Set<{ channels: Set<string> | null }>();

  constructor(needs: IntakeNeeds) {
    this.#needs = needs;
  }

  /** Take a message of the stream. */
  created(data: unknown, done: Work): void {
    const parsed = discordMessage.safeParse(data);
    if (!parsed.success) {
      this.#needs.log.write("warn", "discord_message_malformed");
      return done();
    }
    this.#orHold(parsed.data.channelId, () => this.take(parsed.data, done));
  }

  /**
   * Take a change of a message. What was answered is never answered again: it has the id of the first delivery. A message that called
   * nobody and now does is heard, once.
   */
  updated(data: unknown, done: Work): void {
    const parsed = discordMessage.safeParse(data);
    // Previews of links change a message too; only an edit has a time.
    if (!parsed.success || parsed.data.editedAt === null) return done();
    this.#orHold(parsed.data.channelId, () => this.take(parsed.data, done));
  }

  /** Take word that messages were taken away. */
  deleted(t: string, data: unknown, done: Work): void {
    const many = (t === "MESSAGE_DELETE_BULK" ? removedMany : removed).safeParse(data).data ?? null;
    if (many === null) return done();
    const ids = "ids" in many ? many.ids : [many.id];
    this.#orHold(many.channel_id, () => {
      this.#needs.removed(ids, many.channel_id);
      done();
    });
  }

  /** Let everything wait until it is let go. */
  hold(): Hold {
    const hold: { channels: Set<string> | null } = { channels: null };
    this.#holds.add(hold);
    return {
      only: (channelIds) => {
        hold.channels = new Set(channelIds);
        this.#letGo();
      },
      release: (channelId) => {
        hold.channels?.delete(channelId);
        this.#letGo();
      },
      end: () => {
        this.#holds.delete(hold);
        this.#letGo();
      },
    };
  }

  /** Hear one message, of the stream or of history. */
  take(message: DiscordMessage, done: Work): void {
    const earlier = this.#lookups.get(message.channelId);
    const lookUp = this.#needs.reader.lookUp(message);
    if (earlier === undefined && lookUp === null) return this.#hear(message, done);
    const turn = this.#after(earlier, lookUp, () => this.#hear(message, done), done);
    this.#lookups.set(message.channelId, turn);
    this.#needs.tasks.start(async () => {
      await turn;
      if (this.#lookups.get(message.channelId) === turn) this.#lookups.delete(message.channelId);
    });
  }

  async #after(earlier: Promise<void> | undefined, lookUp: Promise<boolean> | null, hear: Work, skip: Work): Promise<void> {
    const known = lookUp === null ? true : await lookUp;
    await earlier;
    if (known) return hear();
    // Where it stands decides who may talk there: what cannot be placed is not heard.
    this.#needs.log.write("warn", "discord_channel_unknown");
    skip();
  }

  #orHold(channelId: string, work: Work): void {
    if (!this.#waits(channelId)) return work();
    if (this.#held.length < MAX_HELD) this.#held.push({ channelId, work });
  }

  #waits(channelId: string): boolean {
    for (const { channels } of this.#holds) if (channels === null || channels.has(channelId)) return true;
    return false;
  }

  #letGo(): void {
    const held = this.#held;
    this.#held = held.filter(({ channelId }) => this.#waits(channelId));
    for (const { channelId, work } of held) if (!this.#waits(channelId)) work();
  }

  #hear(message: DiscordMessage, done: Work): void {
    const { reader, own, directs, tasks, inbox, log } = this.#needs;
    const read = reader.read(message);
    const road = inbox();
    if (read.kind === "none" || road === null) return this.#mark(message, done);
    const { event } = read;
    if (event.sender.kind === "self") {
      own.note(message.id);
      return this.#mark(message, done);
    }
    if (event.place.kind === "direct") directs.note(event.place.person, message.channelId);
    if (tasks.signal.aborted) return;
    tasks.start(async (signal) => {
      try {
        const heard = await road.hear(event, signal);
        this.#mark(message, done);
        if (heard.kind === "admitted") this.#needs.admitted(message, event, heard);
      } catch (error) {
        // Not done with: it is told again when the session is taken up.
        if (!signal.aborted) log.failure("discord_hear_failed", error);
      }
    });
  }

  #mark(message: DiscordMessage, done: Work): void {
    const guildId = message.guildId;
    // A group is no private line, and history does not tell the two apart.
    if (guildId !== null || message.channelType === null || message.channelType === 1)
      this.#needs.marks.note(message.channelId, { messageId: message.id, guildId });
    done();
    this.#needs.changed();
  }
}
