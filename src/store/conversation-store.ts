import type { ChronicleEvent } from "../vocabulary/event.ts";
import type { CharacterId, MessageId, PartId, SurfaceName, TurnId } from "../vocabulary/ids.ts";
import type { Place, PlaceId } from "../vocabulary/place.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { InboxRow } from "./store.ts";

/** Whose conversation begins anew, with whom and where. */
export interface ResetRow {
  readonly person: PrincipalId;
  readonly character: CharacterId;
  readonly place: Place;
  readonly atMs: number;
}

/** What was emptied: lines of the person, answers to them, the newest turns that said those, and what these are called on their platform. */
export interface ResetWords {
  readonly lines: number;
  readonly answers: number;
  readonly turns: readonly TurnId[];
  readonly platformIds: readonly string[];
}

/** A turn whose words are taken back, and by whom. */
export interface TakeBackRow {
  readonly turn: TurnId;
  readonly by: PrincipalId;
  readonly atMs: number;
}

/** A part that its platform has. */
export interface PostedPart {
  readonly part: PartId;
  readonly turn: TurnId;
  readonly place: Place;
  readonly platformId: string;
}

/** What came of taking a turn's words back: the parts to delete; or it is still speaking; or there is nothing of it to take. */
export type TakeBackResult =
  | { readonly kind: "taken"; readonly parts: readonly PostedPart[] }
  | { readonly kind: "speaking" }
  | { readonly kind: "nothing" };

/** The turn that a message of a platform is of. */
export interface PostedTurn {
  readonly turn: TurnId;
  readonly place: PlaceId;
  /** Whom it answered. */
  readonly person: PrincipalId;
}

/** A character's line that found nobody when it was said. */
export interface MissedLine {
  readonly text: string;
  readonly action: string;
  readonly atMs: number;
}

/** What is done to a conversation as a whole. */
export interface ConversationVerbs {
  /**
   * Empty what a person and a character said to each other in one place, so that the character has it in mind no more (TR-082). Nothing
   * of other people's, of other places or of what still waits is touched; to erase everything there is `forget`.
   */
  reset(row: ResetRow): Promise<ResetWords>;
  /** Take back what a turn said: its line is unsaid from then on, and its parts are marked to be deleted where they were posted. */
  takeBack(row: TakeBackRow): Promise<TakeBackResult>;
  /** Give the newest lines of a place that found nobody, oldest first, at most 20; from then on they count as said, and nobody else is given them. */
  catchUp(place: PlaceId): Promise<readonly MissedLine[]>;
  /** Note that the platform has a part no more, or will not let it go. */
  tookBack(row: { readonly part: PartId; readonly gone: boolean }): Promise<void>;
}

/** What can be read of it. */
export interface ConversationReader {
  /** The turn that a message of a platform is of; null when there is none that is kept. */
  posted(message: { readonly surface: SurfaceName; readonly platformId: string; readonly postedAtMs: number }): PostedTurn | null;
  /** A message whose turn waits for an answer or goes on with one, and those that are part of it; none when it does not wait. */
  putAside(id: MessageId): readonly InboxRow[];
  /** Parts that are to be deleted where they were posted, and are not yet known to be; the newest thousand. */
  takingBack(): readonly PostedPart[];
  /** The newest lines of people that a character perceived in public places, oldest first; those of one place where it is named. */
  heardLately(character: CharacterId, limit: number, place?: PlaceId): readonly ChronicleEvent[];
}
