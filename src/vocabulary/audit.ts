import type { PrincipalId } from "./principal.ts";

/** What operators do that must be accounted for: changes of who is answered, and looks into people's private lines (TR-091). */
export const AUDIT_ACTS = [
  "pause",
  "resume",
  "trust",
  "untrust",
  "block",
  "unblock",
  "read_lines",
  "invite",
  "revoke",
  "approve",
  "refuse",
  "revoke_answer",
  "stop",
  "rearm",
  "grant",
  "ungrant",
  "endorse",
  "unendorse",
  "policy",
  "take_back",
  "mcp_add",
  "mcp_remove",
] as const;
/** One of {@link AUDIT_ACTS}. */
export type AuditAct = (typeof AUDIT_ACTS)[number];

/** One act of an operator: ids, codes and counts, never text of anybody. */
export interface AuditEntry {
  readonly atMs: number;
  readonly by: PrincipalId;
  readonly act: AuditAct;
  /** Whom it concerned; null where it was no person. */
  readonly person: PrincipalId | null;
  /** What else it concerned: characters and places by id, times; "" for nothing. At most 200 characters. */
  readonly about: string;
}
