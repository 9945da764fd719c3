import type { AnswerButton } from "./act.ts";
import type { CharacterId, MessageId, PartId, TurnId } from "./ids.ts";
import type { Place } from "./place.ts";

/** States of an outbox row (TR-042). `queued` and `sending` are open; the rest are final. */
export type PartState = "queued" | "sending" | "delivered" | "unknown" | "failed" | "expired" | "cancelled";

/**
 * One piece of a reply on its way out. Parts of a turn leave in order and contiguous per destination. With what it answers, whose
 * start said it, its conversation (character and place, TR-036), its channel (the place's surface and kind) and its number of how
 * many, a part is told apart from every other one without its words (MC-061).
 */
export interface Part {
  readonly id: PartId;
  readonly turn: TurnId;
  readonly character: CharacterId;
  readonly place: Place;
  readonly answers: Answers;
  /** The start whose turn said it; a later start may send it. */
  readonly generation: number;
  /** From 0. */
  readonly index: number;
  readonly count: number;
  readonly body: string;
  /** What was visibly done; only part 0 has one, "" otherwise. */
  readonly action: string;
  readonly createdAtMs: number;
  /** What a platform with buttons draws under the words; never kept, since it is drawn anew each time a part leaves. */
  readonly buttons?: readonly AnswerButton[];
}

/** The line that a part answers: our id, and the platform's id of its delivery where there is one. */
export interface Answers {
  readonly message: MessageId;
  readonly deliveryId: string | null;
}

/** What a surface says of a part it tried to send. */
export type SendOutcome =
  | { readonly kind: "delivered"; readonly platformId: string }
  /** The platform may have it or not; it is never sent again. */
  | { readonly kind: "unknown"; readonly reason: string }
  /** The platform surely does not have it. */
  | { readonly kind: "failed"; readonly reason: string };

/** What a platform says when it is asked whether it has a part. */
export type ReadBack =
  | { readonly kind: "present"; readonly platformId: string }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable" };

/** The receipt of one part, published once it is settled: the only way back from delivery to admission (TR-001). */
export interface Receipt {
  readonly part: PartId;
  readonly turn: TurnId;
  readonly place: Place;
  readonly character: CharacterId;
  readonly state: Exclude<PartState, "queued" | "sending">;
  readonly last: boolean;
}
