import type { InboxRow } from "../store/store.ts";
import type { MessageId } from "../vocabulary/ids.ts";
import type { InboundEvent, SuppressReason } from "../vocabulary/inbound.ts";
import { OWN_STOP, outcomeOfEnd, outcomeOfSuppression } from "../vocabulary/person-outcome.ts";
import type { InboxEnd } from "../vocabulary/turn.ts";
import type { Outcomes } from "./outcomes.ts";

/** What the road tells of its messages. */
export interface RoadEvents {
  suppressed(id: MessageId, event: InboundEvent, reason: SuppressReason): void;
  waiting(row: InboxRow): void;
  /** It waits for its own person's answer (`asks`), or goes on with it. */
  waits(row: InboxRow, asks: boolean): void;
  ended(ended: {
    readonly row: InboxRow;
    readonly end: InboxEnd;
    readonly reason: string;
    readonly words: boolean;
    readonly endedAtMs: number;
  }): void;
}

/** Turn what the road tells into the outcomes that people may see of their own messages (SE-094). */
export function publishRoad(outcomes: Pick<Outcomes, "publish">): RoadEvents {
  return {
    suppressed(id, { sender, place }, reason) {
      outcomes.publish({
        id,
        person: sender.principal,
        place: place.id,
        outcome: outcomeOfSuppression(reason),
        tookMs: null,
        words: false,
      });
    },
    waiting({ id, person, place }) {
      outcomes.publish({ id, person, place: place.id, outcome: "waiting", tookMs: null, words: false });
    },
    waits({ id, person, place }, asks) {
      outcomes.publish({ id, person, place: place.id, outcome: "waiting", tookMs: null, words: false, asks });
    },
    ended({ row, end, reason, words, endedAtMs }) {
      outcomes.publish({
        id: row.id,
        person: row.person,
        place: row.place.id,
        outcome: outcomeOfEnd(end, reason),
        tookMs: Math.max(0, endedAtMs - row.atMs),
        words,
        ...(reason === OWN_STOP ? { own: true } : {}),
      });
    },
  };
}
