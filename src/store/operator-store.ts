import type { AuditEntry } from "../vocabulary/audit.ts";
import type { CharacterId, SurfaceName } from "../vocabulary/ids.ts";
import type { Pause } from "../vocabulary/pause.ts";
import type { PlaceId } from "../vocabulary/place.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";

/** What only operators make the store do. Each that changes a row is one commit with its line of the audit in it. */
export interface OperatorVerbs {
  /** Keep that a character, a place, or both together are not answered; the same pair again replaces the first. */
  pause(pause: Pause): Promise<void>;
  /** Take exactly those pauses back that name this pair. */
  unpause(row: ResumeAnsweringRow): Promise<{ readonly resumed: number }>;
  /** Note an act that changes nothing else, before it takes effect. */
  audit(entry: AuditEntry): Promise<void>;
  /**
   * Copy the database, as one committed moment, into a new 0600 file of the state folder while verbs go on: no caller says where
   * to. Whoever asked removes it; what is left goes when somebody is forgotten, and after a day. It opens only as a restored one
   * (SE-099). @throws RuntimeError `disk_full`, `state_unwritable`; the signal's reason on abort.
   */
  copyAside(signal: AbortSignal): Promise<{ readonly path: string; readonly epoch: number; readonly schema: number }>;
}

/** Which pauses end. */
export interface ResumeAnsweringRow {
  readonly character: CharacterId | null;
  readonly place: SurfaceName | PlaceId | null;
  readonly by: PrincipalId;
  readonly atMs: number;
}

/** What only operators are shown of the store. */
export interface OperatorReader {
  /** Pauses that have not run out, oldest first. */
  pauses(): readonly Pause[];
  /** The newest acts, newest first; with `person` only those about that one. */
  audits(limit: number, person?: PrincipalId): readonly AuditEntry[];
  /** How often an act concerned a person, and when last; null where it never did. */
  auditedTimes(person: PrincipalId, act: AuditEntry["act"]): { readonly times: number; readonly lastAtMs: number } | null;
}
