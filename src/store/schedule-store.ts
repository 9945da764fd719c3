import type { MessageId, ScheduleId } from "../vocabulary/ids.ts";
import type { Assurance, Role } from "../vocabulary/principal.ts";
import type { Schedule } from "../vocabulary/calls/schedule.ts";

/** A schedule whose time has come. */
export interface FireRow {
  readonly id: ScheduleId;
  /** The time that came: with another one noted there, somebody was here before. */
  readonly dueAtMs: number;
  readonly nextAtMs: number | null;
  readonly atMs: number;
  /** The row that makes its turn run; null when this time is left out. `late` when it passed while nobody was there. */
  readonly inbox: { readonly id: MessageId; readonly role: Role; readonly assurance: Assurance; readonly late: boolean } | null;
}

/** Verbs of schedules: each is one commit. */
export interface ScheduleVerbs {
  /** Keep one; refused where too many are kept. */
  keep(schedule: Schedule): Promise<{ readonly kept: boolean }>;
  drop(id: ScheduleId): Promise<{ readonly dropped: boolean }>;
  /** Note that a time came, and with it the row that makes its turn run: both or neither, and each time once. */
  fire(row: FireRow): Promise<{ readonly fired: boolean }>;
}

/** Reads of schedules. */
export interface ScheduleReads {
  /** In the order in which they are due. */
  list(): readonly Schedule[];
}
