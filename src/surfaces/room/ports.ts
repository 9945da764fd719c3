import type { ChronicleEvent } from "../../vocabulary/event.ts";
import type { Assets } from "../../web/assets.ts";
import type { CharacterId, InviteId, MessageId, SurfaceName, TurnId } from "../../vocabulary/ids.ts";
import type { Reader } from "../../vocabulary/label.ts";
import type { OutcomeChange } from "../../vocabulary/outcome.ts";
import type { Place, PlaceId } from "../../vocabulary/place.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";

/**
 * What the room stands on, as it sees it. Every port is narrow on purpose: the guests' handlers hold these and nothing else,
 * so no approval, session, setting or operator's store is within their reach (SE-086).
 */

/** A character that is in the room. */
export interface RoomCharacter {
  readonly id: CharacterId;
  readonly name: string;
}

/** A room as configured. */
export interface RoomConfig {
  readonly name: SurfaceName;
  readonly title: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly characters: readonly RoomCharacter[];
  /** Names that no guest may take beside the characters': operators', aliases. Folded here. */
  readonly reservedNames: readonly string[];
  /** The built page. */
  readonly assets: Assets;
  /** How others reach it; null while it is on loopback alone. */
  readonly outside: { readonly address: string; readonly origin: string; readonly proxies: readonly string[] } | null;
  /** Whether a name alone lets somebody in, read anew each time. */
  readonly door: () => "open" | "invited";
  /** Other rooms that whoever is here may be told of. */
  readonly siblings: () => readonly { readonly title: string; readonly url: string }[];
}

/** Which lines of a place: the newest `limit` before a sequence number, oldest first. */
export interface LineRange {
  readonly limit: number;
  readonly before?: number;
}

/** A change of a place's record, published once it is committed: a person's line, a character's line on its way, the end of one. */
export type LineChange =
  | { readonly kind: "event"; readonly event: ChronicleEvent }
  | { readonly kind: "line"; readonly event: ChronicleEvent }
  | { readonly kind: "state"; readonly id: MessageId; readonly place: PlaceId; readonly state: ChronicleEvent["state"] }
  | { readonly kind: "forgotten"; readonly person: PrincipalId; readonly turns: readonly TurnId[] }
  | { readonly kind: "reset"; readonly person: PrincipalId; readonly place: PlaceId; readonly turns: readonly TurnId[] };

/** Lines as the chronicle gives them. */
export interface Lines {
  /** Only those whose audience holds the reader (TR-030). */
  history(place: Place, reader: Reader, range: LineRange): readonly ChronicleEvent[];
  /** Hear of every change in every place; whoever listens filters by place and audience. */
  subscribe(listener: (change: LineChange) => void): Disposable;
}

/** What became of people's messages (SE-094). */
export interface Outcomes {
  subscribe(listener: (change: OutcomeChange) => void): Disposable;
  /** Null when the message is unknown or not that person's. */
  change(id: MessageId, person: PrincipalId): OutcomeChange | null;
}

/** What speaks for the characters, without names of hosts or models. */
export type VoiceState =
  | { readonly kind: "understudy" }
  | { readonly kind: "model" }
  | { readonly kind: "offline"; readonly sinceMs: number };

/** Whether a model or the understudy speaks. */
export interface Voices {
  state(): VoiceState;
  /** Whether the understudy spoke this turn's line; null when that is no longer known. */
  byUnderstudy(turn: TurnId): boolean | null;
  subscribe(listener: () => void): Disposable;
}

/** A member's row. */
export interface MemberRecord {
  readonly id: PrincipalId;
  readonly surface: SurfaceName;
  readonly name: string;
  readonly foldedName: string;
  readonly secretHash: string | null;
  readonly atMs: number;
}

/** An invite as far as its use goes. */
export interface InviteFacts {
  readonly name: string;
  readonly expiresAtMs: number;
  readonly redeemedAtMs: number | null;
  readonly revokedAtMs: number | null;
}

/** Keeps new invites: for the operator's side alone. */
export interface InviteStore {
  keepInvite(row: {
    readonly id: InviteId;
    readonly surface: SurfaceName;
    readonly name: string;
    readonly foldedName: string;
    readonly codeHash: string;
    readonly by: PrincipalId;
    readonly atMs: number;
    readonly expiresAtMs: number;
  }): Promise<{ readonly kind: "kept" | "name_taken" | "full" }>;
}

/** The part of the store that a room needs: its members, the invites they bring, and who is in it. */
export interface RoomStore {
  admitMember(row: MemberRecord): Promise<{ readonly admitted: boolean }>;
  renewMember(row: { readonly id: PrincipalId; readonly atMs: number }): Promise<void>;
  dropMember(id: PrincipalId): Promise<void>;
  redeemInvite(row: {
    readonly surface: SurfaceName;
    readonly codeHash: string;
    readonly claimHash: string;
    readonly member: PrincipalId;
    readonly secretHash: string;
    readonly atMs: number;
  }): Promise<
    | { readonly kind: "redeemed"; readonly member: PrincipalId; readonly name: string; readonly expiresAtMs: number }
    | { readonly kind: "used" | "expired" | "revoked" | "unknown" }
  >;
  setPresence(row: {
    readonly place: PlaceId;
    readonly person: PrincipalId;
    readonly atMs: number;
    readonly leftAtMs: number | null;
  }): Promise<void>;
  readonly read: {
    memberBySecret(surface: SurfaceName, secretHash: string): (MemberRecord & { readonly seenAtMs: number }) | null;
    inviteByCode(surface: SurfaceName, codeHash: string): InviteFacts | null;
    inviteOf(member: PrincipalId): InviteFacts | null;
    /** Whether this person asked that no character hears them (TR-091). */
    optedOut(person: PrincipalId): boolean;
  };
}
