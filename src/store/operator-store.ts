import type { AuditEntry } from "../vocabulary/audit.ts";
import type { CharacterId, MessageId, SurfaceName, TurnId } from "../vocabulary/ids.ts";
import type { Pause } from "../vocabulary/pause.ts";
import type { PlaceId } from "../vocabulary/place.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { VoiceRecord } from "../vocabulary/reply.ts";
import type { InboxRow } from "./store.ts";
import type { InboxEnd } from "../vocabulary/turn.ts";

/** What only operators make the store do. Each that changes a row is one commit with its line of the audit in it. */
export interface OperatorVerbs {
  /** Keep that a character, a place, or both together are not answered; the same pair again replaces the first. */
  pause(pause: Pause): Promise<void>;
  /** Take exactly those pauses back that name this pair. */
  unpause(row: ResumeAnsweringRow): Promise<{ readonly resumed: number }>;
  /** Bring everything to a stand (TR-073). Gives the messages and turns that ended, with the words they held. */
  halt(row: HaltRow): Promise<{ readonly ended: readonly InboxRow[] }>;
  /** Take everything up again; false when nothing stood. */
  rearm(row: { readonly by: PrincipalId; readonly atMs: number }): Promise<{ readonly rearmed: boolean }>;
  /** Note an act that changes nothing else, before it takes effect. */
  audit(entry: AuditEntry): Promise<void>;
  /**
   * Copy the database, as one committed moment, into a new 0600 file of the state folder while verbs go on: no caller says where
   * to. Whoever asked removes it; what is left goes when somebody is forgotten, and after a day. It opens only as a restored one
   * (SE-099). @throws RuntimeError `disk_full`, `state_unwritable`; the signal's reason on abort.
   */
  copyAside(signal: AbortSignal): Promise<{ readonly path: string; readonly epoch: number; readonly schema: number }>;
  /** How large the files are, and how long the newest commits took. Looks at the files, so ask it for people, not for messages. */
  health(): StoreHealth;
}

/** How the store's files and its disk are. Times are null before the first commit. */
export interface StoreHealth {
  readonly databaseBytes: number;
  /** Bytes of the journal beside it. */
  readonly walBytes: number;
  /** Commits since the opening. */
  readonly commits: number;
  /** Milliseconds of one commit with its sync, over the newest thousand: what half of them, and 99 of 100, did not exceed. */
  readonly commitP50Ms: number | null;
  readonly commitP99Ms: number | null;
}

/** Which pauses end. */
export interface ResumeAnsweringRow {
  readonly character: CharacterId | null;
  readonly place: SurfaceName | PlaceId | null;
  readonly by: PrincipalId;
  readonly atMs: number;
}

/** Who brings everything to a stand, and by which way. */
export interface HaltRow {
  readonly by: PrincipalId;
  readonly via: "command" | "signal" | "file";
  readonly atMs: number;
}

/** Since when everything stands. */
export interface Halted {
  readonly atMs: number;
}

/** What only operators are shown of the store. */
export interface OperatorReader {
  /** Pauses that have not run out, oldest first. */
  pauses(): readonly Pause[];
  /** Since when everything stands; null when it does not. */
  halted(): Halted | null;
  /** The newest acts, newest first; with `person` only those about that one. */
  audits(limit: number, person?: PrincipalId): readonly AuditEntry[];
  /** How often an act concerned a person, and when last; null where it never did. */
  auditedTimes(person: PrincipalId, act: AuditEntry["act"]): { readonly times: number; readonly lastAtMs: number } | null;
  /** What became of messages and parts since a moment. */
  tally(sinceMs: number): Tally;
  /** Everybody who was heard since a moment, is on the trust list, or is a member, the latest first. */
  people(sinceMs: number, todayMs: number): readonly PersonRow[];
  /** People who are trusted now, by id, at most 2,000. A row that cannot be read trusts nobody (VS-043). */
  trusted(): readonly PrincipalId[];
  /** Characters a person has a direct line with, and when it was used last. */
  directLines(person: PrincipalId): readonly { readonly character: CharacterId; readonly lastAtMs: number }[];
  /** The newest turns, those that run first and then by their end, with the message each was for; `before` names the oldest that is known already. */
  turns(limit: number, before?: TurnId): readonly TurnRow[];
}

/** Counts by name. */
export type Counts = Readonly<Record<string, number>>;

/** What became of messages and parts in a time. */
export interface Tally {
  readonly admitted: number;
  readonly suppressed: number;
  /** Messages that were admitted, by surface. */
  readonly bySurface: Counts;
  /** Ends of admitted messages. */
  readonly ends: Counts;
  /** Parts of turns that ended, by state. */
  readonly parts: Counts;
}

/** Somebody who was here. */
export interface PersonRow {
  readonly id: PrincipalId;
  /** The name last seen; null when it is no longer kept. Data, never identity. */
  readonly name: string | null;
  readonly trust: "trusted" | "guest" | "blocked";
  /** When a block ends by itself. */
  readonly untilMs: number | null;
  /** When a message was last heard, and where; null when none is kept. */
  readonly heardAtMs: number | null;
  readonly place: PlaceId | null;
  /** Messages heard today. */
  readonly heardToday: number;
  /** Replies begun today, as the budgets count them. */
  readonly callsToday: number;
}

/** One run of a voice, by what it was for. */
export interface TurnRow {
  readonly turn: TurnId;
  readonly message: MessageId;
  readonly atMs: number;
  readonly character: CharacterId;
  readonly person: PrincipalId;
  readonly place: PlaceId;
  /** Null while it runs. */
  readonly end: InboxEnd | null;
  readonly record: VoiceRecord | null;
}
