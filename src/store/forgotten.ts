import type { MessageId, TurnId } from "../vocabulary/ids.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";

/** Somebody to be forgotten. */
export interface ForgetRow {
  readonly person: PrincipalId;
  readonly atMs: number;
  /** The request itself when it stands in a line of the person: its row runs on, so that it can be answered. */
  readonly request: MessageId | null;
}

/** Rows by what they are; `decisions` and `blocks` stay, under a keyed hash of the id. */
export interface ForgetCounts {
  /** The person's own lines. */
  readonly lines: number;
  /** Characters' lines that the person's words shaped, all of the person's direct lines, and entries of agents' histories. */
  readonly answers: number;
  /** Messages that waited for an answer. */
  readonly waiting: number;
  readonly members: number;
  readonly presence: number;
  readonly blocks: number;
  readonly decisions: number;
}

/** What was erased. */
export interface Forgotten {
  readonly counts: ForgetCounts;
  /** Turns whose lines were erased, the newest 1,000: for whoever holds copies of them in memory. */
  readonly turns: readonly TurnId[];
  /** False when the rows are gone but the disk had no room to build the files anew: the next start does it. */
  readonly bytesGone: boolean;
}
