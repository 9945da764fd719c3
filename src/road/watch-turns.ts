import { tellMessagesBehind } from "./3-turns/messages-behind.ts";
import type { TurnNeeds } from "./3-turns/turns.ts";
import type { RoadNeeds } from "./road.ts";

/**
 * What turns tell, handed on to whoever watches the road; also of the messages behind a turn that was put aside. `cancelled` is told of
 * each that was ended and may have asked something.
 */
export function watchTurns(
  { observer, ledger }: RoadNeeds,
  { typing, cancelled }: { readonly typing: TurnNeeds["observer"]["typing"]; readonly cancelled: () => void },
): TurnNeeds["observer"] {
  const behind = tellMessagesBehind(ledger, {
    ended: (ended) => observer.ended(ended),
    delivered: (observation) => observer.delivered?.(observation),
    waits: (row, asks) => observer.waits?.(row, asks),
  });
  return {
    ...behind,
    typing(turn, on) {
      behind.runs(turn, on);
      typing(turn, on);
    },
    ended(ended) {
      behind.ended(ended);
      if (ended.end === "cancelled") cancelled();
    },
    begins: (rows, before) => observer.begins?.(rows, before),
    attention: (request) => observer.attention?.(request),
    asked(approval, turn, of) {
      // Told when the card is out: by then it may be answered.
      const isOpen = (): boolean => ledger.openQuestions(turn.person, turn.place.id).some((open) => open.approval === approval);
      if (of === "person" && isOpen()) behind.asked(turn);
      observer.notice?.({ kind: "approval", id: approval, surface: turn.place.surface, place: turn.place.id });
    },
  };
}
