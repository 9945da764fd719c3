import type { CharacterId, MessageId, TurnId } from "./ids.ts";
import type { Place } from "./place.ts";
import type { PrincipalId } from "./principal.ts";
import type { InboxEnd } from "./turn.ts";

/** What came of a reply (MC-062). A closed list. */
export const DELIVERY_OUTCOMES = ["success", "timeout", "policy_denial", "failure"] as const;
/** One of {@link DELIVERY_OUTCOMES}. */
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** What the platform took of a reply's parts. */
export interface SentParts {
  readonly count: number;
  /** Parts the platform confirmed. */
  readonly delivered: number;
  /** Whether a part was given up because its time was over. */
  readonly late: boolean;
}

/** The one observation of a reply (MC-062, MC-064): ids, codes and counts. Its session is character and place (TR-036). */
export interface DeliveryObservation {
  readonly trigger: MessageId;
  readonly turn: TurnId;
  readonly character: CharacterId;
  readonly place: Place;
  readonly person: PrincipalId;
  /** The start that settled it. */
  readonly generation: number;
  readonly outcome: DeliveryOutcome;
  /** Parts of the character's own reply that were delivered; a fixed notice has none. */
  readonly parts: number;
}

/** A successful public reply, for whoever turns an avatar to its speaker: no words (MC-063, TR-074). */
export interface AttentionRequest {
  readonly character: CharacterId;
  readonly place: Place;
  readonly person: PrincipalId;
}

/**
 * What came of a row that ended so. `sent` is null where the character's own words were not sent at all. Silence that was chosen
 * succeeded with no parts.
 */
export function deliveryOutcome(end: InboxEnd, reason: string, sent: SentParts | null): DeliveryOutcome {
  switch (end) {
    case "answered":
      if (sent === null) return "failure";
      return sent.delivered === sent.count ? "success" : sent.late ? "timeout" : "failure";
    case "silent":
      return "success";
    case "refused":
      return "policy_denial";
    case "failed":
      return reason === "deadline" ? "timeout" : "failure";
    case "expired":
      return "timeout";
    case "cancelled":
    case "interrupted":
      return "failure";
  }
}
