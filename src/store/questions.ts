import type { ApprovalId } from "../vocabulary/ids.ts";
import type { PlaceId } from "../vocabulary/place.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";

/** A question of a suspended turn that waits for its one person. */
export interface WaitingQuestion {
  readonly approval: ApprovalId;
  /** Of what is asked for: an answer is to exactly that (SE-084). */
  readonly digest: string;
  readonly askedAtMs: number;
}

/** Reads questions that wait. */
export interface QuestionReader {
  /** Those that wait for this person on this line and have not run out, oldest first; at most 8. */
  openQuestions(person: PrincipalId, place: PlaceId): readonly WaitingQuestion[];
}
