import type { SurfaceName } from "../../../vocabulary/ids.ts";
import { lookUpChannel } from "../rest/channel-lookup.ts";
import type { Directory } from "../rest/directory.ts";
import type { DiscordMessage } from "./message-shape.ts";
import type { Identity, ReadMessage, Reading } from "./normalise.ts";
import { readMessage } from "./normalise.ts";
import type { DiscordPlaces } from "../ports.ts";
import type { DiscordRest } from "../rest/rest.ts";
import { callsIn } from "./written-words.ts";

/** What reading stands on. */
export interface MessageReaderNeeds {
  readonly surface: SurfaceName;
  readonly rest: DiscordRest;
  readonly directory: Directory;
  readonly places: DiscordPlaces;
  readonly self: () => Identity;
  readonly isOwn: (messageId: string) => boolean;
  readonly nowMs: () => number;
}

/** Reads messages by what is known of servers, channels and rules now. */
export class MessageReader {
  readonly #needs: MessageReaderNeeds;

  constructor(needs: MessageReaderNeeds) {
    this.#needs = needs;
  }

  /** What a message's meaning depends on, as it stands now. */
  get reading(): Reading {
    const { surface, directory, places, self, isOwn, nowMs } = this.#needs;
    return { surface, self: self(), directory, isOwn, speaker: (within) => places.speaker(within), nowMs: nowMs() };
  }

  read(message: DiscordMessage): ReadMessage {
    return readMessage(message, this.reading);
  }

  /**
   * A channel that is not known matters only where places differ, and for messages that call the bot: for these it is asked where it
   * lies. Everything else goes no further whatever the answer, so nothing is asked because of it (SE-096).
   */
  lookUp(message: DiscordMessage, signal: AbortSignal): Promise<boolean> | null {
    const { guildId, channelId } = message;
    const { rest, directory, places } = this.#needs;
    if (guildId === null || directory.knows(channelId) || !places.differ() || !this.calls(message)) return null;
    return lookUpChannel({ rest, directory }, channelId, guildId, signal);
  }

  /** Whether a message may call the bot. */
  calls({ content, repliesTo }: DiscordMessage): boolean {
    const { users, roles, everyone } = callsIn(content);
    return users.includes(this.#needs.self().userId) || roles.length > 0 || everyone || repliesTo !== null;
  }
}
