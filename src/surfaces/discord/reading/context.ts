import type { Clock } from "../../../foundation/clock.ts";
import { orAbort, throwIfAborted, withDeadline } from "../../../foundation/cancellation.ts";
import { isRuntimeError } from "../../../foundation/errors.ts";
import type { HeardBefore } from "../../../vocabulary/heard-before.ts";
import type { PrincipalId } from "../../../vocabulary/principal.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { Directory } from "../rest/directory.ts";
import type { DiscordMessage } from "./message-shape.ts";
import { discordMessage } from "./message-shape.ts";
import type { SaidMessage } from "../ports.ts";
import { fileLine } from "./normalise.ts";
import type { Identity } from "./normalise.ts";
import type { ChannelMemory, KeptMessage } from "./channel-memory.ts";
import type { DiscordRest } from "../rest/rest.ts";
import { ownerWords } from "./owner-words.ts";
import { withoutCommands } from "./command-talk.ts";
import { bucketOf } from "../rest/rest.ts";
import { byMoment, momentOf } from "../snowflake.ts";
import { oneLine, shownWords } from "./written-words.ts";

const PAGE = 100;
/** How long a turn waits for what was said before; it goes on with what is kept. */
const COLLECT_MS = 5_000;
const EPHEMERAL = 1 << 6;
/** Kinds of messages that people and bots write. */
const WRITTEN: ReadonlySet<number> = new Set([0, 19, 20, 23]);

/** How much of what was said before a packet may hold; whichever is reached first ends it (VS-030). */
export interface ContextLimits {
  readonly messages: number;
  readonly characters: number;
}

/** One page of a channel's history, oldest first. */
interface Page {
  readonly messages: readonly DiscordMessage[];
  /** Whether it is as long as a page can be, so that there may be more. */
  readonly whole: boolean;
}

/** What collecting stands on. */
export interface ContextNeeds {
  readonly clock: Clock;
  readonly rest: Pick<DiscordRest, "call">;
  readonly directory: Directory;
  readonly memory: ChannelMemory;
  readonly collects: (person: PrincipalId) => boolean;
  /** Whether a message is not out of mind, as far as that was kept. */
  readonly inMind: (message: SaidMessage) => boolean;
  readonly self: () => Identity;
  /** Told when history holds messages and none has words: they may not be read (TR-025). */
  readonly wordless: () => void;
}

/**
 * Collects what was said in a channel before a message that calls the bot (VS-029…VS-033): what is kept of the channel, and what came since,
 * asked for once however many messages call at the same time. Words and names of files only; nothing is downloaded.
 */
export class Context {
  readonly #needs: ContextNeeds;
  /** Channels that are being asked about, and what was changed there meanwhile; null for what was taken away. */
  readonly #asking = new Map<string, { readonly done: Promise<void>; readonly changed: Map<string, string | null> }>();

  constructor(needs: ContextNeeds) {
    this.#needs = needs;
  }

  /** What was said before a message, oldest first, within the limits. Throws only the signal's reason. */
  async before(channelId: string, messageId: string, limits: ContextLimits, signal: AbortSignal): Promise<readonly HeardBefore[]> {
    if (limits.messages === 0 || limits.characters === 0) return [];
    await this.#refresh(channelId, signal);
    const { memory, collects } = this.#needs;
    const kept = memory.before(channelId, messageId).filter(({ author }) => author === null || collects(author));
    return withinLimits(kept, limits).map(({ id, author, name, text, atMs }) => ({ deliveryId: id, who: author, name, text, atMs }));
  }

  /** A message was changed: what is kept of it follows. */
  changed(data: unknown): void {
    const parsed = discordMessage.safeParse(data);
    if (!parsed.success || parsed.data.editedAt === null) return;
    const { id, channelId } = parsed.data;
    const text = this.#textOf(parsed.data);
    this.#needs.memory.edit(channelId, { id, text });
    this.#asking.get(channelId)?.changed.set(id, text);
  }

  /** Messages were taken away: nothing is told of them any more, also where a page on its way still has them. */
  removed(channelId: string, ids: readonly string[]): void {
    this.#needs.memory.remove(channelId, ids);
    for (const id of ids) this.#asking.get(channelId)?.changed.set(id, null);
  }

  /** Ask for what came since, once for all who want to know at the same time. */
  async #refresh(channelId: string, signal: AbortSignal): Promise<void> {
    const other = this.#asking.get(channelId);
    if (other !== undefined && (await isDone(other.done, signal))) return;
    // Whoever asked first may have gone meanwhile: then one of those who waited asks again.
    if (this.#asking.has(channelId)) return this.#refresh(channelId, signal);
    const changed = new Map<string, string | null>();
    const asking = { done: this.#ask(channelId, changed, signal), changed };
    this.#asking.set(channelId, asking);
    try {
      await asking.done;
    } finally {
      this.#asking.delete(channelId);
    }
  }

  async #ask(channelId: string, changed: ReadonlyMap<string, string | null>, signal: AbortSignal): Promise<void> {
    const { clock, memory } = this.#needs;
    using deadline = withDeadline(clock, COLLECT_MS, signal);
    try {
      const newest = memory.newest(channelId);
      const found = await this.#page(channelId, newest, deadline.signal);
      if (found === null) return;
      // A whole page may not be all that came: what lies between is not known, and the newest are what counts.
      const anew = newest === null || found.whole;
      const page = anew && newest !== null ? await this.#page(channelId, null, deadline.signal) : found;
      if (page === null) return;
      this.#tellIfWordless(page.messages);
      const about = { self: this.#needs.self().userId, isCommand: (content: string) => this.#isCommand(channelId, content) };
      const talk = withoutCommands(page.messages, about).flatMap((message) => this.#keep(message));
      memory.merge(channelId, talk.flatMap(asChanged(changed)), anew);
    } catch (error) {
      if (signal.aborted || !isRuntimeError(error, "deadline")) throw error;
    }
  }

  /** Messages after one, or the newest, and whether there may be more; null when there is no answer. */
  async #page(channelId: string, after: string | null, signal: AbortSignal): Promise<Page | null> {
    const result = await this.#needs.rest.call(
      bucketOf("GET", `/channels/${channelId}/messages`),
      (api, ends) => api.channels.getMessages(channelId, { limit: PAGE, ...(after === null ? {} : { after }) }, { signal: ends }),
      { signal, maxWaitMs: COLLECT_MS },
    );
    if (result.kind !== "done" || !Array.isArray(result.value)) return null;
    const messages = result.value.flatMap((one): DiscordMessage[] => {
      const parsed = discordMessage.safeParse(one);
      return parsed.success ? [parsed.data] : [];
    });
    return { messages: messages.toSorted((a, b) => byMoment(a.id, b.id)), whole: result.value.length >= PAGE };
  }

  #keep(message: DiscordMessage): readonly KeptMessage[] {
    const { id, channelId, author, webhookId, type, flags } = message;
    const text = this.#textOf(message);
    if (text === "" || !WRITTEN.has(type) || (flags & EPHEMERAL) !== 0 || author.system) return [];
    const isSelf = author.id === this.#needs.self().userId;
    const who = isSelf ? null : parsePrincipalId(`discord:${webhookId ?? author.id}`);
    const atMs = momentOf(id);
    if (!this.#needs.inMind({ channelId, id, author: who, atMs })) return [];
    return [{ id, author: who, name: oneLine(author.globalName ?? author.username), text, atMs }];
  }

  #isCommand(channelId: string, content: string): boolean {
    const { directory, self } = this.#needs;
    const guild = directory.guildOf(channelId);
    const role = guild === null ? null : directory.ownRole(guild);
    return ownerWords(content, { user: self().userId, role, direct: false }) !== null;
  }

  #textOf({ content, mentions, files, guildId, channelId }: DiscordMessage): string {
    const { directory } = this.#needs;
    const guild = guildId ?? directory.guildOf(channelId);
    const shown = shownWords(content, {
      user(user) {
        const found = mentions.find((one) => one.id === user);
        return found === undefined ? null : (found.globalName ?? found.username);
      },
      role: (role) => (guild === null ? null : directory.roleName(guild, role)),
      channel: (channel) => directory.nameOf(channel),
    });
    return [shown.trim(), fileLine(files)].filter((text) => text !== "").join("\n");
  }

  /** People wrote and nothing of it can be read: the right to it is missing, whatever the account says. */
  #tellIfWordless(messages: readonly DiscordMessage[]): void {
    const self = this.#needs.self().userId;
    const others = messages.filter(
      ({ author, type, mentions }) => type === 0 && author.id !== self && !mentions.some(({ id }) => id === self),
    );
    if (others.length >= 3 && others.every(({ content, files }) => content === "" && files.length === 0)) this.#needs.wordless();
  }
}

/** Whether what somebody else asked was answered; false where that ended otherwise. @throws the signal's reason on abort. */
async function isDone(work: Promise<void>, signal: AbortSignal): Promise<boolean> {
  try {
    await orAbort(work, signal);
    return true;
  } catch {
    throwIfAborted(signal);
    return false;
  }
}

/** A message of a page as it is by now. */
function asChanged(changed: ReadonlyMap<string, string | null>): (message: KeptMessage) => readonly KeptMessage[] {
  return (message) => {
    const text = changed.get(message.id);
    if (text === undefined) return [message];
    return text === null ? [] : [{ ...message, text }];
  };
}

/** The newest that fit, oldest first. A message that does not fit ends it, whole: half a sentence would be another one. */
function withinLimits(newestFirst: readonly KeptMessage[], { messages, characters }: ContextLimits): readonly KeptMessage[] {
  const taken: KeptMessage[] = [];
  let left = characters;
  for (const message of newestFirst) {
    left -= Array.from(message.text).length;
    if (taken.length >= messages || left < 0) break;
    taken.push(message);
  }
  return taken.toReversed();
}
