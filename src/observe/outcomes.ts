import { RuntimeError } from "../foundation/errors.ts";
import type { Log } from "../foundation/log.ts";
import type { Explanation, StoreReader } from "../store/store.ts";
import type { MessageId } from "../vocabulary/ids.ts";
import type { OutcomeChange, PersonOutcome } from "../vocabulary/outcome.ts";
import { outcomeOfEnd, outcomeOfSuppression } from "../vocabulary/person-outcome.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";

/** Subscribers at most; each is one open page or terminal. */
const MAX_LISTENERS = 8_192;

/** What became of people's own messages: the road publishes, the pages of the senders follow (SE-094). */
export interface Outcomes extends Disposable {
  /** Tell everyone who follows, in order. A listener that fails is logged and hinders nobody. */
  publish(change: OutcomeChange): void;
  /**
   * Follow all changes until the handle is disposed; the listener must filter by person.
   * @throws RuntimeError `capacity` past 8,192 listeners, `closed` after the end.
   */
  subscribe(listener: (change: OutcomeChange) => void): Disposable;
  /** What `person` may know of that message; null alike for a missing one and for another's. */
  of(id: MessageId, person: PrincipalId): PersonOutcome | null;
  /** The same with its times. */
  change(id: MessageId, person: PrincipalId): OutcomeChange | null;
}

/** Make the feed. It remembers the last `capacity` changes and asks the store for older ones. */
export function createOutcomes(needs: { reader: Pick<StoreReader, "explain">; capacity: number; log: Log }): Outcomes {
  const recent = new Map<MessageId, OutcomeChange>();
  const listeners = new Set<(change: OutcomeChange) => void>();
  let open = true;
  const own = (id: MessageId, person: PrincipalId): OutcomeChange | null => {
    const change = recent.get(id) ?? outcomeOf(needs.reader.explain(id));
    return change?.person === person ? change : null;
  };
  return {
    publish(change) {
      recent.delete(change.id);
      recent.set(change.id, change);
      forgetOldest(recent, needs.capacity);
      for (const listener of listeners) {
        try {
          listener(change);
        } catch (error) {
          needs.log.failure("outcome_listener_failed", error);
        }
      }
    },
    subscribe(listener) {
      if (!open) throw new RuntimeError("closed", "Cannot follow outcomes: the feed has ended");
      if (listeners.size >= MAX_LISTENERS) throw new RuntimeError("capacity", "Cannot follow outcomes: too many follow already");
      // A wrapper, so that the same function may follow twice and each handle ends its own.
      const wrapped = (change: OutcomeChange): void => listener(change);
      listeners.add(wrapped);
      return { [Symbol.dispose]: () => void listeners.delete(wrapped) };
    },
    of: (id, person) => own(id, person)?.outcome ?? null,
    change: own,
    [Symbol.dispose]() {
      open = false;
      listeners.clear();
      recent.clear();
    },
  };
}

/** The person's side of an explanation: outcome and duration, and nothing of gate, rule, key or cost (SE-094). */
export function outcomeOf(explanation: Explanation): OutcomeChange;
/** The same, null for null. */
export function outcomeOf(explanation: Explanation | null): OutcomeChange | null;
/** The implementation of both. */
export function outcomeOf(explanation: Explanation | null): OutcomeChange | null {
  if (explanation === null) return null;
  const { decision, end, endReason } = explanation;
  const outcome = decision.reason === null ? outcomeOfEnd(end, endReason) : outcomeOfSuppression(decision.reason);
  const endedAtMs = toldAtMs(explanation);
  return {
    id: decision.id,
    person: decision.person,
    place: decision.place,
    outcome,
    tookMs: decision.reason !== null || end === null || endedAtMs === null ? null : Math.max(0, endedAtMs - decision.atMs),
    words: end === "answered" && hasWords(explanation),
  };
}

/** When its person was told: with the last part, or with the row's end where nothing was sent; null while parts are on their way. */
function toldAtMs({ parts, endedAtMs }: Explanation): number | null {
  if (parts.some(({ settledAtMs }) => settledAtMs === null)) return null;
  return parts.length === 0 ? endedAtMs : Math.max(...parts.map(({ settledAtMs }) => settledAtMs ?? 0));
}

/** Whether an answer reached anybody. What is kept of its parts may be gone before the message is. */
function hasWords({ parts }: Explanation): boolean {
  return parts.length === 0 || parts.some(({ state }) => state === "delivered" || state === "unknown");
}

function forgetOldest(recent: Map<MessageId, OutcomeChange>, capacity: number): void {
  for (const id of recent.keys()) {
    if (recent.size <= capacity) return;
    recent.delete(id);
  }
}
