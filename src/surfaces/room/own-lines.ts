import type { Heard } from "../../vocabulary/inbound.ts";
import type { MessageId } from "../../vocabulary/ids.ts";
import { outcomeOfSuppression } from "../../vocabulary/person-outcome.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { Outcomes } from "./ports.ts";
import type { OwnLineView } from "./protocol.ts";

/** What a person may know of a message; null when it is unknown or somebody else's, without telling which (SE-094). */
export function ownLineOf(outcomes: Outcomes, id: MessageId, person: PrincipalId, clientLineId: string | null): OwnLineView | null {
  const change = outcomes.change(id, person);
  if (change === null || change.person !== person) return null;
  return { clientLineId, outcome: change.outcome, tookMs: change.tookMs, words: change.words };
}

/** What the person is told at once of a message that was just heard. */
export function heardLineOf(outcomes: Outcomes, heard: Heard, person: PrincipalId, clientLineId: string): OwnLineView {
  const known = ownLineOf(outcomes, heard.id, person, clientLineId);
  if (known !== null) return known;
  // A retry whose first copy's end is no longer known was heard; the rest is as the reason says.
  const waiting = heard.kind === "admitted" || heard.reason === "duplicate";
  return { clientLineId, outcome: waiting ? "waiting" : outcomeOfSuppression(heard.reason), tookMs: null, words: false };
}
