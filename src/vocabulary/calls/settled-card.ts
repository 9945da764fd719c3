import type { ApprovalId, PartId } from "../ids.ts";
import type { Place } from "../place.ts";
import type { PrincipalId } from "../principal.ts";

/** A question that waits no more, and the message under which its platform still shows buttons. */
export interface SettledCard {
  readonly approval: ApprovalId;
  readonly part: PartId;
  readonly place: Place;
  readonly platformId: string;
  readonly state: "answered" | "cancelled" | "expired";
  /** The answer as it was kept; null where there was none. */
  readonly answer: string | null;
  /** Who gave it; null where nobody did, or who it was is not kept any more. */
  readonly answeredBy: PrincipalId | null;
  readonly settledAtMs: number;
}
