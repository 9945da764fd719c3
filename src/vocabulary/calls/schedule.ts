import type { CharacterId, GrantId, ScheduleId, SurfaceName } from "../ids.ts";
import type { PlaceId } from "../place.ts";
import type { PrincipalId } from "../principal.ts";

/** What becomes of a time that passed while the program was away: done once, however many passed; left out; or told, so that the person can say. */
export const MISSED = ["once", "skip", "ask"] as const;
/** One of {@link MISSED}. */
export type Missed = (typeof MISSED)[number];

/** Schedules that are kept, at most. */
export const MAX_SCHEDULES = 256;
/** Bytes of what a schedule says. */
export const MAX_SCHEDULE_BYTES = 4_096;

/** Something that happens on a person's own line by the clock, with the authority of that person (TR-015). */
export interface Schedule {
  readonly id: ScheduleId;
  readonly character: CharacterId;
  readonly person: PrincipalId;
  readonly place: PlaceId;
  readonly surface: SurfaceName;
  /** When, as it was written; and by the wall clock of which zone. */
  readonly rule: string;
  readonly zone: string;
  /** Hours of rest as they were written; null for none. */
  readonly quiet: string | null;
  /** `say` says the words as they are; `session` hands them to the agent as if the person had said them. */
  readonly does: "say" | "session";
  readonly words: string;
  /** What its turns may do; null for nothing that needs a word. */
  readonly grant: GrantId | null;
  readonly missed: Missed;
  readonly createdAtMs: number;
  /** Null when no time comes any more. */
  readonly nextAtMs: number | null;
  readonly lastAtMs: number | null;
}
