import type { ChronicleEvent } from "../../vocabulary/event.ts";
import type { Assets } from "../../web/assets.ts";
import type { CharacterId, MessageId, SurfaceName, TurnId } from "../../vocabulary/ids.ts";
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
  | { readonly kind: "forgotten"; readonly person: PrincipalId; readonly turns: readonly TurnId[] };

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

/** The part of the store that a room needs: its members, and who is in it. */
export interface RoomStore {
  admitMember(row: MemberRecord): Promise<{ readonly admitted: boolean }>;
  setPresence(row: {
    readonly place: PlaceId;
    readonly person: PrincipalId;
    readonly atMs: number;
    readonly leftAtMs: number | null;
  }): Promise<void>;
  readonly read: {
    memberBySecret(surface: SurfaceName, secretHash: string): (MemberRecord & { readonly seenAtMs: number }) | null;
  };
}
