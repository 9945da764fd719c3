import type { InboxRow } from "../../store/store.ts";
import type { DeliveryObservation } from "../../vocabulary/delivery-observation.ts";
import type { MessageId } from "../../vocabulary/ids.ts";
import type { Turn } from "../../vocabulary/turn.ts";
import type { Ended, TurnObserver } from "./turns.ts";

/** Reads the messages that wait in a turn that was put aside. */
export interface PutAsideReader {
  /** The suspended message of this id and those that are part of its turn; none when it does not wait for an answer. */
  putAside(id: MessageId): readonly InboxRow[];
}

/** Who is told, beside what turns tell themselves. */
export interface BehindObserver {
  ended(ended: Ended): void;
  delivered(observation: DeliveryObservation): void;
  /** The messages of a turn wait for their person's answer (`asks`), or for the turn that has it. */
  waits(row: InboxRow, asks: boolean): void;
}

/**
 * Tells of the messages behind turns that were put aside. A turn goes on as a row of its own, and whoever wrote the message knows only
 * that message: it ends when the row does, and what came of it is told of it (MC-064).
 */
export function tellMessagesBehind(
  ledger: PutAsideReader,
  observer: BehindObserver,
): Pick<TurnObserver, "ended" | "delivered"> & {
  /** A turn begins or ends to run. */
  runs(turn: Turn, on: boolean): void;
  asked(turn: Turn): void;
} {
  // By the message that began it all; there is one turn of it at a time.
  const running = new Map<MessageId, readonly InboxRow[]>();
  const rootOf = new Map<MessageId, MessageId>();
  return {
    runs({ kind, trigger }, on) {
      if (kind !== "resume") return;
      // Read while they wait: once they have ended, their words are gone.
      if (on) running.set(trigger.id, ledger.putAside(trigger.id));
      else running.delete(trigger.id);
    },
    asked: ({ trigger }) => {
      for (const row of ledger.putAside(trigger.id)) observer.waits(row, true);
    },
    ended(ended) {
      const { id, kind, trigger } = ended.row;
      const behind = kind === "resume" ? (running.get(trigger.id) ?? []) : [];
      for (const row of behind) observer.ended({ ...ended, row });
      if (behind.length > 0) rootOf.set(id, trigger.id);
      observer.ended(ended);
    },
    delivered(observation) {
      const root = rootOf.get(observation.trigger);
      rootOf.delete(observation.trigger);
      const behind = root === undefined ? [] : (running.get(root) ?? []);
      for (const { id } of behind) observer.delivered({ ...observation, trigger: id });
      if (behind.length === 0) observer.delivered(observation);
    },
  };
}
