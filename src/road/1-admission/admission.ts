import type { Clock } from "../../foundation/clock.ts";
import { orAbort } from "../../foundation/cancellation.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { IdSource } from "../../foundation/ids.ts";
import type { Charge, DecisionRow, HearResult, HearRow, InboxRow, StoreReader } from "../../store/store.ts";
import type { ApprovalId, CharacterId, MessageId } from "../../vocabulary/ids.ts";
import { parseMessageId } from "../../vocabulary/ids.ts";
import type { Heard, InboundEvent, SuppressReason } from "../../vocabulary/inbound.ts";
import type { Labels } from "../../vocabulary/label.ts";
import type { Limits } from "../../vocabulary/limits.ts";
import { Origin } from "../../vocabulary/origin.ts";
import type { PauseQuestion } from "../../vocabulary/pause.ts";
import type { Place } from "../../vocabulary/place.ts";
import { directPlace } from "../../vocabulary/place.ts";
import type { ResponseMode } from "../../vocabulary/response-policy.ts";
import type { MessageClass } from "../../vocabulary/turn.ts";
import type { Addressed } from "./addressed.ts";
import { withoutAlias } from "./addressed.ts";
import type { Feedback } from "./feedback.ts";
import { partitionOf } from "./feedback.ts";
import type { AdmissionSpace, CallsLimit } from "./admission-space.ts";
import type { Judgment, Stopped, StoppedBy } from "./judge.ts";
import { judge, stop } from "./judge.ts";
import { STANDARD_ROUNDS } from "./loop-control.ts";
import { classOf } from "./message-class.ts";
import { normalise } from "./normalise.ts";
import { commandWords } from "./own-words.ts";
import type { Partition } from "./partitioned-table.ts";
import { CommandPace } from "./command-pace.ts";
import { ProxiedCopies } from "./proxied-copies.ts";
import { decisionOf, eventOf } from "./records.ts";
import { SeenDeliveries } from "./seen-deliveries.ts";
import { isStale } from "./stale.ts";

/** A message on its way into a lane: the row that is being kept, and what its turn will need. */
export interface Admitted {
  readonly row: InboxRow;
  readonly origin: Origin;
  readonly charges: readonly Charge[];
  /** Give back what was reserved, when the line became part of another's turn. */
  readonly release: () => void;
  /** Set when the line is not answered and its turn only says so; null for all others. */
  readonly refusal: "overflow" | "budget_spent" | null;
  /** Resolves with the commit of the row: acknowledging waits for it, thinking does not. */
  readonly durable: Promise<void>;
  /** Whether that commit stands. */
  readonly stands: () => boolean;
  /** Starts that an earlier process made. */
  readonly attempts: number;
  /** Whether an earlier process, or a suspended turn, left the row: then its start must be durable before it runs. */
  readonly kept: boolean;
}

/** A place went silent because no person took part in its talk (TR-023), or a turn asks a person. Ids alone. */
export interface RoadNotice {
  readonly kind: "loop" | "approval";
  readonly id: MessageId | ApprovalId;
  readonly surface: InboundEvent["surface"];
  readonly place: InboundEvent["place"]["id"];
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
    openQuestions: StoreReader["openQuestions"];
  };
  readonly authority: {
    originOfLine(event: Omit<InboundEvent, "text">): Origin;
    reserve(
      person: InboundEvent["sender"]["principal"],
      surface: InboundEvent["surface"],
      beside?: CallsLimit,
      room?: string,
    ):
      | { kind: "reserved"; charges: readonly Charge[]; release: () => void }
      | { kind: "exhausted"; scope: "person" | "space" | "commands"; key: string; ofDay: boolean };
  };
  readonly next: {
    readonly feedback: Feedback;
    /** The space of an event: where it is, and what the place lies in. */
    space(event: Pick<InboundEvent, "surface" | "within">): AdmissionSpace;
    /** `command` when the text is a registered command, `talk` otherwise; what is one may differ in public. */
    classOf(text: string, channel: Place["kind"]): "command" | "talk";
    /** Whether an operator's line stops or steers the turn that runs there; nothing does when left out. */
    isControl?(text: string, line: { readonly origin: Origin; readonly place: Place }): boolean;
    /** Where the answer to a line goes; to the place it was said in when left out (VS-017). */
    answersBy?(line: { readonly event: InboundEvent; readonly class: MessageClass; readonly character: CharacterId }): ResponseMode;
    /** Whether this person asked that no character hears them: their talk is not answered then, while their own commands go on (TR-091). */
    optedOut?(person: InboundEvent["sender"]["principal"]): boolean;
    /** Whether everything stands (TR-073): then no turn begins, not one of a command or an answer either; what operators order there is told beside all turns. */
    halted?(): boolean;
    /** Whether an operator paused this: talk is not answered then, while people's own commands go on. */
    paused?(where: PauseQuestion): boolean;
    /** Whether the lane of these facts takes one more. */
    hasRoom(row: InboxRow): boolean;
    /** Whether a line that found no room may be told so now (MC-052); asking uses the right up. */
    mayTellBusy(row: InboxRow): boolean;
    enqueue(admitted: Admitted): void;
    suppressed(id: MessageId, event: InboundEvent, reason: SuppressReason): void;
    waiting(row: InboxRow, event: InboundEvent): void;
    notice?(notice: RoadNotice): void;
  };
}

const FREE = { kind: "reserved", charges: [], release: (): void => {} } as const;

/** A line that may go on, and what the gates have found of it. */
interface Passing {
  readonly id: MessageId;
  readonly event: InboundEvent;
  readonly space: AdmissionSpace;
  readonly origin: Origin;
  readonly partition: Partition;
}

/**
 * The road's first station: everything heard ends here or goes into a lane (TR-001, MC-011…MC-025).
 *
 * A1  Every refusal comes before the delivery is remembered, and remembering before the row is handed on (see SeenDeliveries).
 * A2  `hear` resolves after the commit of what it answers, for duplicates after the first copy's.
 * A3  Admitting is synchronous up to `enqueue`: two lines of one person keep the order in which they were heard.
 * A4  The gates stand in one order: no talk at all, bounds, duplicate, sender, block, silence, addressed, trust, bots, stale,
 *     stopped, loop, lane, budget. What tells of the person comes before what tells of the place's load, and a blocked line
 *     leaves the road where an unaddressed one does (SE-094).
 */
export class Admission {
  readonly #needs: AdmissionNeeds;
  readonly #seen: SeenDeliveries;
  readonly #copies: ProxiedCopies;
  readonly #commands: CommandPace;

  constructor(needs: AdmissionNeeds) {
    this.#needs = needs;
    this.#seen = new SeenDeliveries(needs.limits.duplicates);
    this.#copies = new ProxiedCopies(needs.clock);
    this.#commands = new CommandPace(needs.clock);
  }

  /** Judge one thing a surface heard; see `Inbox.hear`. */
  hear(heard: InboundEvent, signal: AbortSignal): Promise<Heard> {
    if (signal.aborted) return Promise.reject(new RuntimeError("closed", "Cannot hear: the road is closing"));
    return orAbort(this.#judge(heard), signal);
  }

  /** The message that a delivery was taken as, also by an earlier process; null when it was not kept. */
  idOf(surface: InboundEvent["surface"], deliveryId: string): MessageId | null {
    return this.#seen.find(surface, deliveryId)?.id ?? this.#needs.ledger.delivered(surface, deliveryId);
  }

  #judge(heard: InboundEvent): Promise<Heard> {
    const id = parseMessageId(this.#needs.ids.next("m"));
    const bare = { ...heard, text: "" };
    if (heard.unheard !== undefined) return this.#drop(id, bare, stop(heard.unheard, ["sender", heard.unheard, ""]));
    const normalised = normalise(heard, this.#needs.limits.messageBytes);
    if (normalised.kind === "refused") return this.#drop(id, bare, stop(normalised.reason, ["normalise", normalised.reason, ""]));
    const event = normalised.event;
    const first = this.#seen.find(event.surface, event.deliveryId);
    if (first !== undefined) return first.durable.then(() => duplicateOf(first.id));
    const kept = this.#needs.ledger.delivered(event.surface, event.deliveryId);
    if (kept !== null) return Promise.resolve(duplicateOf(kept));
    return this.#admit(id, event);
  }

  #admit(id: MessageId, event: InboundEvent): Promise<Heard> {
    const { next, authority } = this.#needs;
    const origin = authority.originOfLine(event);
    const facts = Origin.factsOf(origin);
    const space = next.space(event);
    // Whom a server's moderators block leaves the road there where everybody does who is blocked (SE-094).
    const role = facts.role === "guest" && space.bars?.(event.sender.principal) === true ? "blocked" : facts.role;
    const passing: Passing = { id, event, space, origin, partition: partitionOf(facts) };
    const judgment = judge(event, {
      role,
      mode: space.mode,
      modeKey: space.key,
      present: space.present,
      people: space.people ?? nobody,
      engagedWith: next.feedback.engagement.with(event.place.id, event.sender.principal),
      greeting: space.greeting ?? null,
      everyoneIsMention: space.everyoneIsMention ?? false,
      bots: space.bots ?? "ignore",
      botsKey: botsKeyOf(event),
      isEcho: () => this.#isEcho(event),
      allowed: () => space.allows?.(event) ?? false,
      ...(space.addressing === undefined ? {} : { addressing: space.addressing }),
      ...(space.direct === undefined ? {} : { direct: space.direct }),
    });
    if (judgment.kind === "stopped") {
      next.feedback.loops.overheard(event.place.id);
      return this.#stop(passing, judgment);
    }
    return this.#pass(passing, judgment);
  }

  /** The gates of the moment: age, the stop switch, loops, the lane, the budget. */
  #pass(passing: Passing, judgment: Extract<Judgment, { kind: "passed" }>): Promise<Heard> {
    const { event, space } = passing;
    const { next } = this.#needs;
    const aliases = space.present.find((one) => one.id === judgment.to.character)?.aliases ?? [];
    const refuse = (reason: SuppressReason, by: StoppedBy): Promise<Heard> => this.#stop(passing, stop(reason, by, judgment.to));
    const row = this.#rowOf(passing, judgment.to.character, aliases);
    const untimely = this.#untimely(passing, { to: judgment.to, row, aliases });
    if (untimely !== null) return refuse(...untimely);
    if (!next.hasRoom(row)) {
      if (next.mayTellBusy(row)) return this.#keep(passing, row, judgment, { charges: [], release: () => {}, refusal: "overflow" });
      return refuse("overflow", ["lane", "full", "limits.queued_per_lane"]);
    }
    const reservation = this.#reserve(passing, row);
    if (reservation.kind === "exhausted") {
      // What a whole place has used up for the day is told, seldom (TR-092); what one person used up is that person's affair.
      const tells = reservation.ofDay && reservation.scope === "space" && next.mayTellBusy(row);
      if (tells) return this.#keep(passing, row, judgment, { charges: [], release: () => {}, refusal: "budget_spent" });
      return refuse("budget", ["budget", reservation.scope, reservation.key]);
    }
    next.feedback.engagement.renew(row.character, row.place.id, row.person);
    if (event.sender.kind === "person" && answersBots(space)) this.#copies.remember(event.place.id, event.text);
    return this.#keep(passing, row, judgment, { charges: reservation.charges, release: reservation.release, refusal: null });
  }

  /** What a line may cost: talk a reply and a call, everything else neither. */
  #reserve({ event, space, partition }: Passing, row: InboxRow): ReturnType<AdmissionNeeds["authority"]["reserve"]> {
    if (row.class === "talk") return this.#needs.authority.reserve(row.person, event.surface, space.calls, space.room);
    // Whoever runs this may give as many orders as it takes.
    return row.role === "operator" || this.#commands.tryTake(row, partition)
      ? FREE
      : { kind: "exhausted", scope: "commands", key: "", ofDay: false };
  }

  /** Why a line that is for a character is not taken now: by its writer's own wish, or whoever wrote it; null when it is taken. */
  #untimely(
    passing: Passing,
    { to, row, aliases }: { readonly to: Addressed; readonly row: InboxRow; readonly aliases: readonly string[] },
  ): [SuppressReason, StoppedBy] | null {
    const { event } = passing;
    const { next, clock } = this.#needs;
    if (row.class !== "command" && next.optedOut?.(row.person) === true) return ["muted", ["person", "opted_out", ""]];
    if (isStale(event, clock.nowMs())) return ["stale", ["age", "too_old", ""]];
    const where = { surface: event.surface, place: event.place.id, within: event.within ?? [], character: row.character };
    const stood = stoodBy(row, next.halted?.() === true, next.paused?.(where) === true);
    if (stood !== null) return ["stopped", ["switch", stood, ""]];
    // An operator's order said twice is no talk that goes round.
    if (row.role === "operator" && row.class !== "talk") return null;
    return this.#loops(passing, to, aliases) ? ["loop", ["loop", "rounds", "loops.rounds"]] : null;
  }

  #rowOf({ id, event, origin }: Passing, character: CharacterId, aliases: readonly string[]): InboxRow {
    const { role, assurance } = Origin.factsOf(origin);
    const { next } = this.#needs;
    const kind = classOf(withoutAlias(commandWords(event.text), aliases), {
      role,
      direct: event.place.kind === "direct",
      atMs: event.atMs,
      isCommand: (text) => event.command === true || next.classOf(text, event.place.kind) === "command",
      questions: () => this.#needs.ledger.openQuestions(event.sender.principal, event.place.id),
      isControl: (text) => next.isControl?.(text, { origin, place: event.place }) ?? false,
    });
    const answersTo = destinationOf(event, character, next.answersBy?.({ event, class: kind, character }) ?? "channel");
    return {
      id,
      kind: "message",
      class: kind,
      character,
      place: answersTo,
      ...(answersTo === event.place ? {} : { heardIn: event.place }),
      person: event.sender.principal,
      atMs: event.atMs,
      role,
      assurance,
      trigger: { id, deliveryId: event.deliveryId, text: event.text, displayName: event.sender.displayName, atMs: event.atMs },
    };
  }

  /** Whether the line goes round in a loop; the first such line of a place is told to the operator (TR-023). */
  #loops({ id, event, space, partition }: Passing, { rule }: Addressed, aliases: readonly string[]): boolean {
    const { next } = this.#needs;
    const judged = next.feedback.loops.judge(
      {
        place: event.place.id,
        person: event.sender.principal,
        partition,
        flagged: event.sender.kind !== "person",
        text: withoutAlias(event.text, aliases),
        names: rule === "mention" || rule === "alias" || rule === "reply",
      },
      space.rounds ?? STANDARD_ROUNDS,
    );
    if (judged.kind === "loop" && judged.first) next.notice?.({ kind: "loop", id, surface: event.surface, place: event.place.id });
    return judged.kind === "loop";
  }

  #isEcho(event: InboundEvent): boolean {
    const { place, text, sender } = event;
    if (this.#needs.next.feedback.reflections.isEcho(place, text, sender.kind)) return true;
    return sender.kind === "bot" && this.#copies.isCopy(place.id, text);
  }

  #keep(
    { id, event, space, origin, partition }: Passing,
    row: InboxRow,
    judgment: Extract<Judgment, { kind: "passed" }>,
    reserved: Pick<Admitted, "charges" | "release" | "refusal">,
  ): Promise<Heard> {
    // In public everyone present perceives the line; in a direct line the one character it is for; a command nobody, so it enters no prompt.
    const hearers = event.place.kind === "direct" ? [row.character] : space.present.map((one) => one.id);
    const witnesses = row.class === "command" ? [] : hearers;
    const stored = this.#needs.ledger.hear({
      event: eventOf(id, event, this.#needs.ledger.labelsOfLine(event, witnesses)),
      decision: decisionOf(id, event, judgment, row.class),
      inbox: row,
    });
    const durable = stored.then((result): Heard => (result.kind === "duplicate" ? duplicateOf(result.id) : { kind: "admitted", id }));
    this.#seen.remember(event.surface, event.deliveryId, { id, durable }, partition);
    this.#needs.next.waiting(row, event);
    let stands = false;
    const kept = stored.then((result) => {
      if (result.kind === "duplicate") throw new RuntimeError("internal", "Cannot run a message: its delivery was kept before");
      stands = true;
    });
    // Its turn looks at this; a row that still waits in a lane when the commit fails must not end the process.
    kept.catch(() => undefined);
    this.#needs.next.enqueue({ row, origin, ...reserved, attempts: 0, kept: false, durable: kept, stands: () => stands });
    return durable;
  }

  /** A line that goes no further. Where the place keeps its own record, the line stands in it, perceived by no character. */
  #stop({ id, event, space, partition }: Passing, judgment: Stopped): Promise<Heard> {
    if (!space.keepsAmbient || judgment.gate === "sender") return this.#drop(id, event, judgment);
    const stored = this.#needs.ledger.hear({
      event: eventOf(id, event, this.#needs.ledger.labelsOfLine(event, [])),
      decision: decisionOf(id, event, judgment, null),
      inbox: null,
    });
    const durable = stored.then((result): Heard => ({
      kind: "suppressed",
      id: result.kind === "duplicate" ? result.id : id,
      reason: judgment.reason,
    }));
    this.#seen.remember(event.surface, event.deliveryId, { id, durable }, partition);
    return durable.then((outcome) => {
      this.#needs.next.suppressed(outcome.id, event, judgment.reason);
      return outcome;
    });
  }

  async #drop(id: MessageId, event: InboundEvent, judgment: Stopped): Promise<Heard> {
    await this.#needs.ledger.note(decisionOf(id, event, judgment, null));
    this.#needs.next.suppressed(id, event, judgment.reason);
    return { kind: "suppressed", id, reason: judgment.reason };
  }
}

function nobody(): readonly string[] {
  return [];
}

function answersBots({ bots }: AdmissionSpace): boolean {
  return bots !== undefined && bots !== "ignore";
}

/** Which switch keeps a line from being taken: a halt any but an operator's order beside the road, a pause talk alone; null for none. */
function stoodBy(row: Pick<InboxRow, "class">, halted: boolean, paused: boolean): "halted" | "paused" | null {
  if (halted && row.class !== "control") return "halted";
  return paused && row.class === "talk" ? "paused" : null;
}

/** Where an answer goes: what is to be read by one person alone is on its way to that person's line from here on (VS-021). */
function destinationOf({ place, surface, sender }: InboundEvent, character: CharacterId, mode: ResponseMode): Place {
  return place.kind === "public" && mode === "dm" ? directPlace(surface, character, sender.principal) : place;
}

function botsKeyOf({ surface }: InboundEvent): string {
  return `surfaces.${surface}.bots`;
}

/** A copy of a message is that message: nothing is noted or published for it, and the first copy's outcome stands. */
function duplicateOf(first: MessageId): Heard {
  return { kind: "suppressed", id: first, reason: "duplicate" };
}
