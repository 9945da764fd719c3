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

  constructor(marks: ReadonlyMap<string, Mark> = new Map()) {
    this.#marks = new Map(marks);
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

/** Marks in the form in which they are kept. */
export function packMarks(marks: Marks): (readonly [string, string, string | null])[] {
  return marks.all.map(([channelId, { messageId, guildId }]) => [channelId, messageId, guildId]);
}

/** Marks from the form in which they are kept. */
export function unpackMarks(packed: readonly (readonly [string, string, string | null])[]): Marks {
  return new Marks(new Map(packed.map(([channelId, messageId, guildId]) => [channelId, { messageId, guildId }])));
}
