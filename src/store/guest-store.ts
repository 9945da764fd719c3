import type { InviteId, SurfaceName } from "../vocabulary/ids.ts";
import type { PlaceId } from "../vocabulary/place.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";

/** Open invites of one surface, at most. */
export const MAX_OPEN_INVITES: number = 256;
/** How long the browser that used an invite may ask for its membership again: its first answer may have been lost on the way. */
export const CLAIM_AGAIN_MS: number = 10 * 60_000;

/** A person known to a surface. */
export interface MemberRow {
  readonly id: PrincipalId;
  readonly surface: SurfaceName;
  readonly name: string;
  readonly foldedName: string;
  /** SHA-256 of the secret, hex; null for members without one. */
  readonly secretHash: string | null;
  readonly atMs: number;
}

/** Somebody in a place, from when to when. */
export interface PresenceRow {
  readonly place: PlaceId;
  readonly person: PrincipalId;
  readonly atMs: number;
  readonly leftAtMs: number | null;
}

/** An invite as it is kept: of its code only the SHA-256 in hex. */
export interface InviteRow {
  readonly id: InviteId;
  readonly surface: SurfaceName;
  readonly name: string;
  readonly foldedName: string;
  readonly codeHash: string;
  readonly by: PrincipalId;
  readonly atMs: number;
  /** Until then it can be used, and whoever came in by it may stay. */
  readonly expiresAtMs: number;
}

/** An invite, and what became of it. */
export interface InviteRecord extends Omit<InviteRow, "codeHash" | "foldedName"> {
  /** Who came in by it; null while nobody has. */
  readonly member: PrincipalId | null;
  readonly redeemedAtMs: number | null;
  readonly revokedAtMs: number | null;
}

/** The use of an invite. */
export interface RedeemRow {
  readonly surface: SurfaceName;
  readonly codeHash: string;
  /** SHA-256 of what the browser made for this one use: the same again within ten minutes is the same browser. */
  readonly claimHash: string;
  readonly member: PrincipalId;
  readonly secretHash: string;
  readonly atMs: number;
}

/** The end of an invite, and who ends it. */
export interface RevokeRow {
  readonly id: InviteId;
  readonly by: PrincipalId;
  readonly atMs: number;
}

/** What using an invite came to. `member` is the first one's when the same browser asked again. */
export type RedeemResult =
  | { readonly kind: "redeemed"; readonly member: PrincipalId; readonly name: string; readonly expiresAtMs: number }
  | { readonly kind: "used" | "expired" | "revoked" | "unknown" };

/** What the store keeps of guests, each verb one commit; what an operator does is in the audit with it. */
export interface GuestVerbs {
  /** Make or renew a person's row: name, folded name, secret hash. `false` when the folded name is another's in that surface. */
  admitMember(row: MemberRow): Promise<{ readonly admitted: boolean }>;
  /** Note who is in a place; `null` for `leftAtMs` while they are there. */
  setPresence(row: PresenceRow): Promise<void>;
  /** Keep a new invite. Refused when its name is another's in that surface, or when 256 are open there. */
  keepInvite(row: InviteRow): Promise<{ readonly kind: "kept" | "name_taken" | "full" }>;
  /** Use an invite up and make its member, in one commit: of two browsers one gets in. */
  redeemInvite(row: RedeemRow): Promise<RedeemResult>;
  /** End an invite, and with it the stay of whoever came in by it. `revoked` is false when there is no such invite or it was ended before. */
  revokeInvite(row: RevokeRow): Promise<{ readonly revoked: boolean; readonly member: PrincipalId | null }>;
  /** Note that a member was about; nothing happens to one that is gone. */
  renewMember(row: { readonly id: PrincipalId; readonly atMs: number }): Promise<void>;
  /** End a membership: its secret opens nothing any more. */
  dropMember(id: PrincipalId): Promise<void>;
  /** Keep a person's wish that no character hears them, or take it back. It outlives being forgotten. */
  setOptedOut(row: { readonly person: PrincipalId; readonly optedOut: boolean; readonly atMs: number }): Promise<void>;
}

/** What can be read of guests. */
export interface GuestReads {
  member(id: PrincipalId): (MemberRow & { readonly seenAtMs: number }) | null;
  memberBySecret(surface: SurfaceName, secretHash: string): (MemberRow & { readonly seenAtMs: number }) | null;
  /** The invite of a code, by the code's hash. */
  inviteByCode(surface: SurfaceName, codeHash: string): InviteRecord | null;
  /** The invite that a member came in by. */
  inviteOf(member: PrincipalId): InviteRecord | null;
  /** All invites that are kept, the newest first, at most 1,024. */
  invites(): readonly InviteRecord[];
  /** Whether a person asked that no character hears them. */
  optedOut(person: PrincipalId): boolean;
}
