import type { MessageId } from "./ids.ts";
import type { PlaceId } from "./place.ts";
import type { PrincipalId } from "./principal.ts";

/**
 * All that a person is told of an own message (SE-094). `waiting` while it is being answered; the rest are final. Blocked,
 * untrusted and ambient all look like `not_addressed`.
 */
export const PERSON_OUTCOMES = ["waiting", "answered", "not_addressed", "resting", "interrupted", "too_long"] as const;
/** One of {@link PERSON_OUTCOMES}. */
export type PersonOutcome = (typeof PERSON_OUTCOMES)[number];

/** A change of one message's outcome, published by the road for the sender's own page. */
export interface OutcomeChange {
  readonly id: MessageId;
  readonly person: PrincipalId;
  readonly place: PlaceId;
  readonly outcome: PersonOutcome;
  /** Milliseconds from hearing to the end; null while waiting or when nothing was tried. */
  readonly tookMs: number | null;
  /** While waiting: whether it waits for its own person's answer to a question. */
  readonly asks?: boolean;
  /** Whether its own person ended it: then there is nothing that they do not know. */
  readonly own?: boolean;
  /** False when the character answered without words (typed silence). */
  readonly words: boolean;
}
