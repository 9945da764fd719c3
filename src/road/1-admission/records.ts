import type { DecisionRow } from "../../store/store.ts";
import type { ChronicleEvent } from "../../vocabulary/event.ts";
import type { InboundEvent } from "../../vocabulary/inbound.ts";
import type { MessageId } from "../../vocabulary/ids.ts";
import type { Labels } from "../../vocabulary/label.ts";
import type { MessageClass } from "../../vocabulary/turn.ts";
import type { Judgment } from "./judge.ts";

/** The decision to keep of a line: ids and codes, no text (TR-003). `kind` is the class of an admitted one. */
export function decisionOf(id: MessageId, event: InboundEvent, judgment: Judgment, kind: MessageClass | null): DecisionRow {
  const stopped = judgment.kind === "stopped";
  return {
    id,
    atMs: event.atMs,
    surface: event.surface,
    place: event.place.id,
    person: event.sender.principal,
    outcome: stopped ? "suppressed" : "admitted",
    reason: stopped ? judgment.reason : null,
    character: judgment.to?.character ?? null,
    class: kind,
    gate: judgment.gate,
    rule: judgment.rule,
    key: judgment.key,
  };
}

/** The event to keep of a person's line. */
export function eventOf(id: MessageId, event: InboundEvent, labels: Labels): ChronicleEvent {
  return {
    id,
    place: event.place.id,
    seq: 0,
    atMs: event.atMs,
    author: { kind: "person", principal: event.sender.principal, name: event.sender.displayName },
    text: event.text,
    action: "",
    state: "said",
    delivery: { surface: event.surface, id: event.deliveryId },
    ...labels,
  };
}
