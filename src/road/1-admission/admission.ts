import type { Clock } from "../../foundation/clock.ts";
import { orAbort } from "../../foundation/cancellation.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { IdSource } from "../../foundation/ids.ts";
import type { DecisionRow, HearResult, HearRow, InboxRow } from "../../store/store.ts";
import type { ChronicleEvent } from "../../vocabulary/event.ts";
import type { CharacterId, MessageId } from "../../vocabulary/ids.ts";
import { parseMessageId } from "../../vocabulary/ids.ts";
import type { Heard, InboundEvent, SuppressReason } from "../../vocabulary/inbound.ts";
import type { Labels } from "../../vocabulary/label.ts";
import { Origin } from "../../vocabulary/origin.ts";
import type { MessageClass } from "../../vocabulary/turn.ts";
import type { Limits } from "../../vocabulary/limits.ts";
import type { Charge } from "../../store/store.ts";
import type { Judgment } from "./judge.ts";
import type { AdmissionMode } from "./judge.ts";
import { judge } from "./judge.ts";
import type { Addressable } from "./addressed.ts";
import { withoutAlias } from "./addressed.ts";
import { normalise } from "./normalise.ts";
import { SeenDeliveries } from "./seen-deliveries.ts";

/** A message on its way into a lane: the row that is being kept, and what its turn will need. */
export interface Admitted {
  readonly row: InboxRow;
  readonly origin: Origin;
  readonly charges: readonly Charge[];
  /** Resolves with the commit of the row: acknowledging waits for it, thinking does not. */
  readonly durable: Promise<void>;
  /** Starts that an earlier process made. */
  readonly attempts: number;
  /** Whether an earlier process, or a suspended turn, left the row: then its start must be durable before it runs. */
  readonly kept: boolean;
}

/** What admission asks of the rest of the road and of the floors below it. */
export interface AdmissionNeeds {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly limits: Limits;
  readonly ledger: {
    hear(row: HearRow): Promise<HearResult>;
    note(decision: DecisionRow): Promise<void>;
    /** The message a delivery was kept as, if it was kept by an earlier process. */
    delivered(surface: InboundEvent["surface"], deliveryId: string): MessageId | null;
    labelsOfLine(event: InboundEvent, witnesses: readonly CharacterId[]): Labels;
  };
  readonly authority: {
    originOfLine(event: Omit<InboundEvent, "text">): Origin;
    reserve(
      person: InboundEvent["sender"]["principal"],
      surface: InboundEvent["surface"],
    ): { kind: "reserved"; charges: readonly Charge[] } | { kind: "exhausted"; scope: "person" | "space"; key: string };
  };
  readonly next: {
    space(surface: InboundEvent["surface"]): { mode: AdmissionMode; key: string; present: readonly Addressable[]; keepsAmbient: boolean };
    /** `command` when the text is a registered command, `talk` otherwise. */
    classOf(text: string): MessageClass;
    /** Whether the lane of these facts takes one more. */
    hasRoom(row: Pick<InboxRow, "character" | "place" | "person" | "class">): boolean;
    enqueue(admitted: Admitted): void;
    suppressed(id: MessageId, event: InboundEvent, reason: SuppressReason): void;
    waiting(row: InboxRow): void;
  };
}

/**
 * The road's first station: everything heard ends here or goes into a lane (TR-001, MC-011…MC-025).
 *
 * A1  Every refusal comes before the delivery is remembered, and remembering before the row is handed on (see SeenDeliveries).
 * A2  `hear` resolves after the commit of what it answers, for duplicates after the first copy's.
 * A3  Admitting is synchronous up to `enqueue`: two lines of one person keep the order in which they were heard.
 */
export class Admission {
  readonly #needs: AdmissionNeeds;
  readonly #seen: SeenDeliveries;

  constructor(needs: AdmissionNeeds) {
    this.#needs = needs;
    this.#seen = new SeenDeliveries(needs.limits.duplicates);
  }

  /** Judge one thing a surface heard; see `Inbox.hear`. */
  hear(heard: InboundEvent, signal: AbortSignal): Promise<Heard> {
    if (signal.aborted) return Promise.reject(new RuntimeError("closed", "Cannot hear: the road is closing"));
    return orAbort(this.#judge(heard), signal);
  }

  #judge(heard: InboundEvent): Promise<Heard> {
    const id = parseMessageId(this.#needs.ids.next("m"));
    const normalised = normalise(heard, this.#needs.limits.messageBytes);
    if (normalised.kind === "refused") {
      return this.#drop(
        id,
        { ...heard, text: "" },
        { kind: "stopped", reason: normalised.reason, gate: "normalise", rule: normalised.reason, key: "", to: null },
      );
    }
    const event = normalised.event;
    const first = this.#seen.find(event.surface, event.deliveryId);
    if (first !== undefined) return first.durable.then(() => duplicateOf(first.id));
    const kept = this.#needs.ledger.delivered(event.surface, event.deliveryId);
    if (kept !== null) return Promise.resolve(duplicateOf(kept));
    return this.#admit(id, event);
  }

  #admit(id: MessageId, event: InboundEvent): Promise<Heard> {
    const origin = this.#needs.authority.originOfLine(event);
    const { role, assurance } = Origin.factsOf(origin);
    const space = this.#needs.next.space(event.surface);
    const judgment = judge(event, { role, mode: space.mode, modeKey: space.key, present: space.present });
    if (judgment.kind === "stopped") return this.#stop(id, event, judgment, space.keepsAmbient);

    const character = judgment.to.character;
    const aliases = space.present.find((one) => one.id === character)?.aliases ?? [];
    const text = withoutAlias(event.text, aliases);
    const kind = this.#needs.next.classOf(text);
    const row: InboxRow = {
      id,
      kind: "message",
      class: kind,
      character,
      place: event.place,
      person: event.sender.principal,
      atMs: event.atMs,
      role,
      assurance,
      trigger: { id, text: event.text, displayName: event.sender.displayName, atMs: event.atMs },
    };
    const refuse = (reason: SuppressReason, gate: string, rule: string, key: string): Promise<Heard> =>
      this.#stop(id, event, { kind: "stopped", reason, gate, rule, key, to: judgment.to }, space.keepsAmbient);
    if (!this.#needs.next.hasRoom(row)) return refuse("overflow", "lane", "full", "turns.queued_per_person");
    const reservation = this.#needs.authority.reserve(row.person, event.surface);
    if (reservation.kind === "exhausted") return refuse("budget", "budget", reservation.scope, reservation.key);
    return this.#keep(row, event, { judgment, origin, charges: reservation.charges });
  }

  #keep(
    row: InboxRow,
    event: InboundEvent,
    admitted: { judgment: Extract<Judgment, { kind: "passed" }>; origin: Origin; charges: readonly Charge[] },
  ): Promise<Heard> {
    const { judgment, origin, charges } = admitted;
    // In public everyone present perceives the line; in a direct line the one character it is for.
    const witnesses = event.place.kind === "direct" ? [row.character] : this.#needs.next.space(event.surface).present.map((one) => one.id);
    const decision = this.#decision(row.id, event, {
      outcome: "admitted",
      reason: null,
      character: row.character,
      class: row.class,
      gate: judgment.gate,
      rule: judgment.rule,
      key: judgment.key,
    });
    const stored = this.#needs.ledger.hear({ event: this.#eventOf(row.id, event, witnesses), decision, inbox: row });
    const durable = stored.then((result): Heard =>
      result.kind === "duplicate" ? { kind: "suppressed", id: result.id, reason: "duplicate" } : { kind: "admitted", id: row.id },
    );
    this.#seen.remember(event.surface, event.deliveryId, { id: row.id, durable });
    this.#needs.next.waiting(row);
    const kept = stored.then((result) => {
      if (result.kind === "duplicate") throw new RuntimeError("internal", "Cannot run a message: its delivery was kept before");
    });
    // Its turn looks at this; a row that still waits in a lane when the commit fails must not end the process.
    kept.catch(() => undefined);
    this.#needs.next.enqueue({ row, origin, charges, attempts: 0, kept: false, durable: kept });
    return durable;
  }

  /** A line that goes no further. Where the place keeps its own record, the line stands in it, perceived by no character. */
  #stop(id: MessageId, event: InboundEvent, judgment: Extract<Judgment, { kind: "stopped" }>, keepsAmbient: boolean): Promise<Heard> {
    if (!keepsAmbient || judgment.gate === "sender") return this.#drop(id, event, judgment);
    const decision = this.#stopDecision(id, event, judgment);
    const stored = this.#needs.ledger.hear({ event: this.#eventOf(id, event, []), decision, inbox: null });
    const durable = stored.then((result): Heard => ({
      kind: "suppressed",
      id: result.kind === "duplicate" ? result.id : id,
      reason: judgment.reason,
    }));
    this.#seen.remember(event.surface, event.deliveryId, { id, durable });
    return durable.then((outcome) => {
      this.#needs.next.suppressed(outcome.id, event, judgment.reason);
      return outcome;
    });
  }

  async #drop(id: MessageId, event: InboundEvent, judgment: Extract<Judgment, { kind: "stopped" }>): Promise<Heard> {
    await this.#needs.ledger.note(this.#stopDecision(id, event, judgment));
    this.#needs.next.suppressed(id, event, judgment.reason);
    return { kind: "suppressed", id, reason: judgment.reason };
  }

  #stopDecision(id: MessageId, event: InboundEvent, judgment: Extract<Judgment, { kind: "stopped" }>): DecisionRow {
    return this.#decision(id, event, {
      outcome: "suppressed",
      reason: judgment.reason,
      character: judgment.to?.character ?? null,
      class: null,
      gate: judgment.gate,
      rule: judgment.rule,
      key: judgment.key,
    });
  }

  #decision(
    id: MessageId,
    event: InboundEvent,
    rest: Pick<DecisionRow, "outcome" | "reason" | "character" | "class" | "gate" | "rule" | "key">,
  ): DecisionRow {
    return { id, atMs: event.atMs, surface: event.surface, place: event.place.id, person: event.sender.principal, ...rest };
  }

  #eventOf(id: MessageId, event: InboundEvent, witnesses: readonly CharacterId[]): ChronicleEvent {
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
      ...this.#needs.ledger.labelsOfLine(event, witnesses),
    };
  }
}

/** A copy of a message is that message: nothing is noted or published for it, and the first copy's outcome stands. */
function duplicateOf(first: MessageId): Heard {
  return { kind: "suppressed", id: first, reason: "duplicate" };
}
