import type { CharacterId, TurnId } from "../vocabulary/ids.ts";
import type { Place } from "../vocabulary/place.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";

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

/** What is done to a conversation as a whole. */
export interface ConversationVerbs {
  /**
   * Empty what a person and a character said to each other in one place, so that the character has it in mind no more (TR-082). Nothing
   * of other people's, of other places or of what still waits is touched; to erase everything there is `forget`.
   */
  reset(row: ResetRow): Promise<ResetWords>;
}
