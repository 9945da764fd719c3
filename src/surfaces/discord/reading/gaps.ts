import type { Clock } from "../../../foundation/clock.ts";
import type { Log } from "../../../foundation/log.ts";
import type { TaskGroup } from "../../../foundation/task-group.ts";
import type { AwaitedServers } from "../gateway/awaited-servers.ts";
import type { Directory } from "../rest/directory.ts";
import type { DiscordRest } from "../rest/rest.ts";
import { byMoment, firstIdAt } from "../snowflake.ts";
import { fillGap } from "./gap.ts";
import { gapChannels } from "./gap-channels.ts";
import type { Hold, Intake } from "./intake.ts";
import type { Marks } from "./marks.ts";
import type { DiscordMessage } from "./message-shape.ts";
import type { StandingNeeds } from "./standing.ts";
import { Standing } from "./standing.ts";

/** What reading gaps stands on. */
export interface GapsNeeds {
  readonly floor: { readonly clock: Clock; readonly log: Log; readonly tasks: TaskGroup };
  readonly rest: DiscordRest;
  readonly servers: AwaitedServers;
  readonly directory: Directory;
  readonly intake: Intake;
  readonly people: Pick<StandingNeeds, "matters" | "calls">;
}

/**
 * Reads what was said while no session stood. What the stream tells meanwhile waits behind it, in each channel until that one has been
 * read and nowhere longer than reading may take.
 */
export class Gaps {
  readonly #needs: GapsNeeds;
  readonly #marks: Marks;

  constructor(needs: GapsNeeds, marks: Marks) {
    this.#needs = needs;
    this.#marks = marks;
  }

  /** A new session stands: what happened since the one before it is told by nobody. */
  read(): void {
    const { floor, intake, servers, directory } = this.#needs;
    const isFirst = this.#marks.since === null && this.#marks.all.length === 0;
    const hold = isFirst ? null : intake.hold();
    floor.tasks.start(async (signal) => {
      try {
        await servers.all(signal);
        // A fresh bot answers nothing that is past, in whatever channel it was said.
        if (this.#marks.since === null) this.#marks.begin(this.#newestIn(directory));
        if (hold !== null) await this.#fill(hold, signal);
      } finally {
        hold?.end();
      }
    });
  }

  #newestIn({ lastSaid }: Directory): string {
    return (
      lastSaid
        .map(({ messageId }) => messageId)
        .toSorted(byMoment)
        .at(-1) ?? firstIdAt(this.#needs.floor.clock.nowMs())
    );
  }

  async #fill(hold: Hold, signal: AbortSignal): Promise<void> {
    const { floor, rest, directory, intake, people } = this.#needs;
    const channels = gapChannels(this.#marks, directory);
    hold.only(channels.map(({ channelId }) => channelId));
    const standing = new Standing({ rest, ...people });
    const needs = {
      ...floor,
      rest,
      standing: (message: DiscordMessage, ends: AbortSignal) => standing.of(message, ends),
      take: (message: DiscordMessage) => intake.take(message, () => {}),
      read: (channelId: string) => hold.release(channelId),
    };
    await fillGap(needs, channels, signal);
  }
}
