import type { Heard, SuppressReason } from "../../vocabulary/inbound.ts";
import type { MessageId } from "../../vocabulary/ids.ts";
import type { OutcomeChange, PersonOutcome } from "../../vocabulary/outcome.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { Outcomes } from "./ports.ts";
import type { OwnLineView } from "./protocol.ts";

const MAX_REMEMBERED = 2_048;

/** What people are told of their own lines (SE-094): the newest 2,048 changes with their times, older ones as the road has them. */
export class OwnLines {
  readonly #outcomes: Outcomes;
  readonly #changes = new Map<MessageId, OutcomeChange>();

  constructor(outcomes: Outcomes) {
    this.#outcomes = outcomes;
  }

  /** Remember a change. */
  note(change: OutcomeChange): void {
    this.#changes.delete(change.id);
    this.#changes.set(change.id, change);
    const [oldest] = this.#changes.keys();
    if (this.#changes.size > MAX_REMEMBERED && oldest !== undefined) this.#changes.delete(oldest);
  }

  /** What the person may know of a message; null when it is unknown or somebody else's, without telling which. */
  of(id: MessageId, person: PrincipalId, clientLineId: string | null): OwnLineView | null {
    const change = this.#changes.get(id);
    if (change !== undefined)
      return change.person === person ? { clientLineId, outcome: change.outcome, tookMs: change.tookMs, words: change.words } : null;
    const outcome = this.#outcomes.of(id, person);
    return outcome === null ? null : { clientLineId, outcome, tookMs: null, words: true };
  }

  /** What the person is told at once of a message that was just heard. */
  heard(heard: Heard, person: PrincipalId, clientLineId: string): OwnLineView {
    return (
      this.of(heard.id, person, clientLineId) ?? {
        clientLineId,
        outcome: heard.kind === "admitted" ? "waiting" : outcomeOf(heard.reason),
        tookMs: null,
        words: true,
      }
    );
  }
}

/** Reasons as the sender may know them; whatever stands on a rule about the person looks like not being addressed. */
function outcomeOf(reason: SuppressReason): PersonOutcome {
  if (reason === "oversized") return "too_long";
  if (reason === "budget" || reason === "overflow") return "resting";
  if (reason === "stale" || reason === "stopped") return "interrupted";
  // A retry of a line whose end is no longer known: it was heard.
  return reason === "duplicate" ? "waiting" : "not_addressed";
}
