import { z } from "zod";
import { byMoment, isSnowflake } from "../snowflake.ts";

/** Channels whose mark is kept: those spoken in last. */
const MAX_MARKS = 400;

/** The last message of a channel that is done with, and the server it lies in; null for private lines. */
export interface Mark {
  readonly messageId: string;
  readonly guildId: string | null;
}

/** How far each channel is done with, so that what was said while nobody was connected can be asked for. Ids alone. */
export class Marks {
  readonly #marks: Map<string, Mark>;
  #since: string | null;

  constructor(marks: ReadonlyMap<string, Mark> = new Map(), since: string | null = null) {
    this.#marks = new Map(marks);
    this.#since = since;
  }

  /** The last message before the first session ever: it and what is older is past, wherever it was said. Null before that. */
  get since(): string | null {
    return this.#since;
  }

  /** The first session stands. */
  begin(since: string): void {
    this.#since ??= since;
  }

  /** Channels with their marks, the one spoken in last at the end. */
  get all(): readonly (readonly [channelId: string, mark: Mark])[] {
    return [...this.#marks];
  }

  of(channelId: string): Mark | null {
    return this.#marks.get(channelId) ?? null;
  }

  /** A message is done with. An earlier one changes nothing. */
  note(channelId: string, mark: Mark): void {
    const known = this.#marks.get(channelId);
    if (known !== undefined && byMoment(known.messageId, mark.messageId) >= 0) return;
    this.#marks.delete(channelId);
    this.#marks.set(channelId, mark);
    for (const oldest of this.#marks.keys()) {
      if (this.#marks.size <= MAX_MARKS) break;
      this.#marks.delete(oldest);
    }
  }
}

const id = z.string().refine(isSnowflake);

/** Marks as they are kept. */
export const marksSchema: z.ZodType<(readonly [string, string, string | null])[]> = z
  .array(z.tuple([id, id, id.nullable()]))
  .max(MAX_MARKS);

/** {@link Marks.since} as it is kept; left out by versions that did not know it. */
export const sinceSchema: z.ZodType<string | null> = id.nullable().catch(null);

/** Marks in the form in which they are kept. */
export function packMarks(marks: Marks): (readonly [string, string, string | null])[] {
  return marks.all.map(([channelId, { messageId, guildId }]) => [channelId, messageId, guildId]);
}

/** Marks from the form in which they are kept. */
export function unpackMarks(packed: readonly (readonly [string, string, string | null])[], since: string | null): Marks {
  return new Marks(new Map(packed.map(([channelId, messageId, guildId]) => [channelId, { messageId, guildId }])), since);
}
