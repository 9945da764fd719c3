import type { AuditEntry } from "../vocabulary/audit.ts";
import type { CharacterId, SurfaceName } from "../vocabulary/ids.ts";
import type { Pause } from "../vocabulary/pause.ts";
import type { PlaceId } from "../vocabulary/place.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";

/** What only operators make the store do. Each is one commit with its line of the audit in it. */
export interface OperatorVerbs {
  /** Keep that a character, a place, or both together are not answered; the same pair again replaces the first. */
  pause(pause: Pause): Promise<void>;
  /** Take exactly those pauses back that name this pair. */
  unpause(row: ResumeAnsweringRow): Promise<{ readonly resumed: number }>;
  /** Note an act that changes nothing else, before it takes effect. */
  audit(entry: AuditEntry): Promise<void>;
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
