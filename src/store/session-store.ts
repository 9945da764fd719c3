import type { CharacterId, SessionId } from "../vocabulary/ids.ts";
import type { PlaceId } from "../vocabulary/place.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { NewEntry, SessionEntry, SessionFacts, SessionNote } from "../vocabulary/calls/session.ts";
import type { Charge } from "./store.ts";

/** A line that wants its session. */
export interface OpenSessionRow {
  /** The id of a new one, if there is none. */
  readonly id: SessionId;
  readonly character: CharacterId;
  readonly place: PlaceId;
  readonly person: PrincipalId;
  readonly atMs: number;
}

/** Entries for the end of a history. */
export interface AppendRow {
  readonly session: SessionId;
  /** The last entry that the writer knows: with another one there, nothing is kept. */
  readonly after: number;
  readonly entries: readonly NewEntry[];
  readonly atMs: number;
  /** Counters to raise with this commit; a kill never gives them back. */
  readonly charges: readonly Charge[];
}

/** What became of entries: `stale` when the history is another one or gone, `full` beyond the ceilings. Nothing was kept then. */
export type Appended = { readonly kind: "appended"; readonly last: number } | { readonly kind: "stale" } | { readonly kind: "full" };

/** A session that is to go on from a part of another. */
export interface ForkRow {
  readonly from: SessionId;
  readonly id: SessionId;
  /** The last entry that goes along; 0 for none. */
  readonly upTo: number;
  /** Entries behind those. */
  readonly carry: readonly NewEntry[];
  /** Names of the notes that go along. */
  readonly notes: readonly string[];
  readonly atMs: number;
}

/** A note that is to be kept, in place of one of the same name; without `text` that one goes. */
export interface NoteRow {
  readonly session: SessionId;
  readonly name: string;
  readonly text: string | null;
  readonly label: string;
  readonly atMs: number;
}

/** Verbs of sessions: each is one commit with its guard in it. Histories only grow; entries go with their session, or with whoever shaped them. */
export interface SessionVerbs {
  /** The session in which a line goes on; begun when it has none. */
  open(row: OpenSessionRow): Promise<{ readonly id: SessionId; readonly last: number }>;
  /** Add to a history's end. */
  append(row: AppendRow): Promise<Appended>;
  /** Let a line go on in a new session that holds the beginning of its present one. */
  fork(row: ForkRow): Promise<{ readonly forked: boolean }>;
  /** Keep or drop a note. */
  keepNote(row: NoteRow): Promise<{ readonly kind: "kept" | "full" | "gone" }>;
}

/** What the turns of a session came to, as far as they are kept. */
export interface SessionSpent {
  readonly turns: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costMicros: number;
  /** Turns of which nobody knows what they cost. */
  readonly unpricedTurns: number;
}

/** Reads of sessions. */
export interface SessionReads {
  /** The session in which a line goes on. */
  current(place: PlaceId): SessionFacts | null;
  facts(id: SessionId): SessionFacts | null;
  /** The sessions used last, newest first. */
  list(limit: number): readonly SessionFacts[];
  /** Entries behind `after`, in order. */
  entries(id: SessionId, after: number, limit: number): readonly SessionEntry[];
  /** Each label that entries behind `after` have, with when the first of them was kept. */
  labels(id: SessionId, after: number): readonly { readonly label: string; readonly sinceMs: number }[];
  /** What its own turns came to; what went along from another session counts there. */
  spent(id: SessionId): SessionSpent;
  /** By name. */
  notes(id: SessionId): readonly SessionNote[];
  note(id: SessionId, name: string): SessionNote | null;
}
