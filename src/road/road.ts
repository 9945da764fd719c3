import type { Clock } from "../foundation/clock.ts";
import type { IdSource } from "../foundation/ids.ts";
import type { Log } from "../foundation/log.ts";
import { TaskGroup } from "../foundation/task-group.ts";
import type { InboxRow, RecoverRow, Recovery, ResumeRow, StoreReader } from "../store/store.ts";
import type { HaltRow } from "./halt.ts";
import { halt } from "./halt.ts";
import type { Inbox, Surface } from "../surfaces/surface.ts";
import type { HeardBefore } from "../vocabulary/heard-before.ts";
import type { MessageId, SurfaceName, TurnId } from "../vocabulary/ids.ts";
import type { PersonalAct } from "../vocabulary/act.ts";
import type { AttentionRequest, DeliveryObservation } from "../vocabulary/delivery-observation.ts";
import type { InboundEvent, SuppressReason } from "../vocabulary/inbound.ts";
import type { Limits } from "../vocabulary/limits.ts";
import type { Origin } from "../vocabulary/origin.ts";
import type { Receipt } from "../vocabulary/part.ts";
import type { Role } from "../vocabulary/principal.ts";
import type { Turn } from "../vocabulary/turn.ts";
import type { ActWork } from "./1-admission/acts.ts";
import { Acts } from "./1-admission/acts.ts";
import type { Admitted, AdmissionNeeds, RoadNotice } from "./1-admission/admission.ts";
import { Admission } from "./1-admission/admission.ts";
import type { EngagementRule } from "./1-admission/engagement.ts";
import { STANDARD_ENGAGEMENT } from "./1-admission/engagement.ts";
import { Feedback } from "./1-admission/feedback.ts";
import { BusyNotices } from "./2-lanes/busy-notices.ts";
import { createGathering } from "./2-lanes/gathering.ts";
import { createPositions } from "./2-lanes/positions.ts";
import { Lanes } from "./2-lanes/lanes.ts";
import type { GivenAnswer, JudgedAnswer } from "./3-turns/answer-voice.ts";
import { askBefore } from "./3-turns/heard-before.ts";
import type { PutAsideReader } from "./3-turns/messages-behind.ts";
import { createNoticeLimit } from "./3-turns/notice-limit.ts";
import type { QuestionSweepNeeds } from "./3-turns/question-sweep.ts";
import { createQuestionSweep } from "./3-turns/question-sweep.ts";
import type { Ended, NoticeSituation, TurnNeeds } from "./3-turns/turns.ts";
import { Turns } from "./3-turns/turns.ts";
import type { Speaking } from "./3-turns/speaking.ts";
import { Signs } from "./3-turns/signs.ts";
import type { Voice } from "./3-turns/voice.ts";
import type { DeliveryNeeds } from "./4-delivery/delivery.ts";
import type { CardPolicy, CardsNeeds } from "./4-delivery/cards.ts";
import { Cards } from "./4-delivery/cards.ts";
import { bySlot } from "./4-delivery/by-slot.ts";
import { createDelivery } from "./4-delivery/delivery.ts";
import type { Gate } from "./4-delivery/gate.ts";
import { Disclosing } from "./4-delivery/disclosing.ts";
import { LeftoverReports } from "./4-delivery/leftover-reports.ts";
import { settleLeftovers } from "./4-delivery/leftovers.ts";
import type { TakeBacksNeeds } from "./4-delivery/take-backs.ts";
import { TakeBacks } from "./4-delivery/take-backs.ts";
import type { OutboxNeeds } from "./4-delivery/outbox.ts";
import { MAX_PART_AGE_MS, Outbox } from "./4-delivery/outbox.ts";
import { again, resume, takeUp, withdraw } from "./rows-again.ts";
import { holds } from "./holds.ts";
import { createStillLet } from "./still-let.ts";
import { voicesOf } from "./voices-of.ts";
import { watchTurns } from "./watch-turns.ts";
import { goneBy, isNamedBy, partitionOfPerson } from "./standing.ts";

const JOIN_MS = 5_000;
/** A row that an earlier process left runs again only while it is younger than this (TR-044). */
const MAX_INBOX_AGE_MS = 10 * 60_000;

/** Where the road keeps what it does: the store's verbs of messages, through the chronicle where events are touched. */
export type Ledger = AdmissionNeeds["ledger"] &
  TurnNeeds["ledger"] &
  Pick<DeliveryNeeds, "answer" | "labelsOfReply" | "suspend" | "numberQuestion"> &
  QuestionSweepNeeds["ledger"] &
  Pick<OutboxNeeds, "settle" | "claim"> & {
    recover(row: RecoverRow): Promise<Recovery>;
    resume(row: ResumeRow): Promise<{ readonly resumed: boolean }>;
    halt(row: HaltRow): Promise<{ readonly ended: readonly InboxRow[] }>;
    /** An inbox row that has not ended. */
    inbox(id: MessageId): InboxRow | null;
    putAside: PutAsideReader["putAside"];
    readonly conversations: TakeBacksNeeds["ledger"];
    readonly cards: CardsNeeds["ledger"];
    told: StoreReader["told"];
    deliveryOf: StoreReader["deliveryOf"];
  };

/** Who may do what, as the road asks it. */
export type RoadAuthority = AdmissionNeeds["authority"] & {
  roleOf(person: InboxRow["person"]): Exclude<Role, "bot">;
  isInvited(person: InboxRow["person"]): boolean;
  /** Whether an answer to a question counts: whose it is, from which line, and what was offered (SE-084). */
  proveAnswer(answer: GivenAnswer, signal: AbortSignal): Promise<JudgedAnswer>;
  codeFor: DeliveryNeeds["codeFor"];
  originOfKept(kept: Pick<InboxRow, "person" | "role" | "assurance" | "place" | "heardIn">): Origin;
};

/** The spaces, voices and texts that configuration gives; read anew for each message. */
export interface RoadPolicy {
  readonly space: AdmissionNeeds["next"]["space"];
  readonly classOf: AdmissionNeeds["next"]["classOf"];
  readonly isControl?: AdmissionNeeds["next"]["isControl"];
  readonly answersBy?: AdmissionNeeds["next"]["answersBy"];
  /** How long and with how many a character is in conversation without its name; the standard when left out. */
  readonly engagement?: () => EngagementRule;
  readonly paused?: AdmissionNeeds["next"]["paused"];
  readonly halted?: AdmissionNeeds["next"]["halted"];
  readonly optedOut?: AdmissionNeeds["next"]["optedOut"];
  /** What follows from something a person does beside talking; null where nothing does. Nothing ever does when left out. */
  readonly acts?: (act: PersonalAct, road: RoadDesk) => ActWork | null;
  /** What is drawn under questions where a platform has buttons; nothing when it is left out. */
  readonly cards?: CardPolicy;
  /** Whether the moderators of a server block somebody there now: such a guest is as one who is blocked. Nobody is when left out. */
  readonly barred?: (where: { readonly surface: SurfaceName; readonly server: string }, person: InboxRow["person"]) => boolean;
  readonly voiceOf: (turn: Turn) => Voice;
  /** Milliseconds that a turn may run; null where its voice sees to it. */
  readonly deadlineMs: (turn: Turn) => number | null;
  /** The fixed text for a turn that failed or was refused, or for a line that found no room. */
  readonly noticeText: (turn: Turn, situation: NoticeSituation) => string;
  /** The line that a person's first words from a character must carry (TR-091); null for whoever is told elsewhere. */
  readonly disclosure: (turn: Turn) => string | null;
}

/** What acts can make the road do. */
export interface RoadDesk {
  /** Take back what a turn said: kept when it resolves, asked of the platform behind it. */
  takeBack(turn: TurnId, by: InboxRow["person"]): Promise<"taken" | "speaking" | "nothing">;
  /** Take an answer to a suspended turn; false when nothing waits for exactly that one. */
  resume(answer: Omit<ResumeRow, "inbox" | "atMs">): Promise<boolean>;
}

/** Whoever watches the road: ids, codes and counts only. */
export interface RoadObserver {
  suppressed(id: MessageId, event: InboundEvent, reason: SuppressReason): void;
  waiting(row: InboxRow, event: InboundEvent): void;
  /** Once for each turn, when what was said before its lines has been collected and nothing has been asked yet (VS-039). */
  begins?(rows: readonly InboxRow[], before: readonly HeardBefore[]): void;
  ended(ended: Ended): void;
  /** A message waits for its own person's answer to a question (`asks`), or its turn goes on with it. */
  waits?(row: InboxRow, asks: boolean): void;
  receipt(receipt: Receipt): void;
  /** Once for each message that was taken up, whatever came of it (MC-062). */
  delivered?(observation: DeliveryObservation): void;
  /** After a reply that arrived whole in a public place; it names speaker and place and has no words (MC-063). */
  attention?(request: AttentionRequest): void;
  /** What an operator should hear of; whoever listens merges and limits it (TR-093). */
  notice?(notice: RoadNotice): void;
}

/** What the road stands on. */
export interface RoadNeeds {
  readonly ledger: Ledger;
  readonly authority: RoadAuthority;
  readonly policy: RoadPolicy;
  readonly gate: Gate;
  readonly observer: RoadObserver;
  readonly environment: { readonly clock: Clock; readonly ids: IdSource; readonly log: Log; readonly limits: Limits };
}

/** What a start found and did, for its one line. */
export interface Recovered {
  readonly partsFound: number;
  readonly messagesAgain: number;
  readonly expired: number;
  readonly interrupted: number;
}

/** The road of a message, from what a surface heard to what its platform took (TR-001). Disposing joins every turn. */
export interface Road extends AsyncDisposable {
  /** Settle and send what an earlier process left, then open the surfaces. Called once. */
  open(surfaces: readonly Surface[], signal: AbortSignal): Promise<Recovered>;
  /** Take a person's answer to a suspended turn and let it go on; false when nothing waits for exactly that answer. */
  resume(answer: Omit<ResumeRow, "inbox" | "atMs">): Promise<boolean>;
  /** Bring everything to a stand (TR-073): turns are cut short, lines taken out, questions void, each is told; nothing begins until it is taken up again. */
  halt(row: HaltRow): Promise<{ readonly ended: number }>;
  /** Let a row run that was kept beside the road, as a schedule's. */
  takeUp(id: MessageId): void;
  /** Take back a line that still waits: its row ends `cancelled`, and no turn has its words. False when it does not wait. */
  withdraw(id: MessageId): Promise<boolean>;
  /** Waiting and thinking turns, for health. */
  counts(): { readonly waiting: number; readonly lanes: number; readonly thinking: number };
  /** Wait until no turn runs and no line waits for one. */
  idle(): Promise<void>;
}

/** Build the road; it hears nothing until {@link Road.open}. Disposing it ends it within the join time (TR-053). */
export function openRoad(needs: RoadNeeds): Road {
  const { clock, log } = needs.environment;
  const surfaces = new Map<SurfaceName, Surface>();
  const tasks = new TaskGroup({ clock, joinMs: JOIN_MS, onFailure: (error) => log.failure("turn_broke", error) });
  const stations = buildStations(needs, tasks, surfaces);
  const { lanes, outbox, takeBacks, turns, cards, goOn } = stations;
  const inbox = inboxOf(needs, tasks, stations);
  const sweep = createQuestionSweep(needs, { tasks, swept: () => cards.look() });

  return {
    async open(opened, ends) {
      for (const one of opened) surfaces.set(one.name, one);
      const recovery = await needs.ledger.recover({
        nowMs: clock.nowMs(),
        maxInboxAgeMs: MAX_INBOX_AGE_MS,
        maxPartAgeMs: MAX_PART_AGE_MS,
        maxAttempts: needs.environment.limits.attempts,
      });
      // Old parts first: their places stay occupied until they are out, so that no new answer overtakes them.
      const leftovers = await settleLeftovers({ clock, log, outbox, surface: (name) => surfaces.get(name) }, recovery, ends);
      const reports = new LeftoverReports(needs.ledger, (observation) => needs.observer.delivered?.(observation));
      reports.concluded(recovery.sending, leftovers);
      for (const { character, place, turns } of bySlot(leftovers)) {
        lanes.occupy(character, place, () => reports.sendAll(outbox, turns, tasks.signal));
      }
      lanes.enqueueAll(recovery.open.map(({ attempts, ...row }) => again(needs, row, attempts)));
      takeBacks.resume();
      sweep.begin();
      for (const one of opened) await one.open(inbox, ends);
      cards.look();
      const { expired, interrupted } = recovery;
      return { partsFound: recovery.sending.length, messagesAgain: recovery.open.length, expired, interrupted };
    },
    resume: goOn,
    async halt(row) {
      const halted = await halt(needs, { lanes, turns }, row);
      cards.look();
      return halted;
    },
    takeUp: (id) => takeUp(needs, lanes, id),
    withdraw: (id) => withdraw(needs, lanes, { id, reason: "withdrawn" }),
    counts: () => lanes.counts,
    async idle() {
      for (await tasks.idle(); lanes.counts.waiting > 0 && !tasks.signal.aborted; await tasks.idle()) await lanes.empty(tasks.signal);
    },
    async [Symbol.asyncDispose]() {
      sweep[Symbol.dispose]();
      lanes[Symbol.dispose]();
      await tasks.close();
    },
  };
}

/** The one way in, as surfaces see it. */
function inboxOf(needs: RoadNeeds, tasks: TaskGroup, { admission, feedback, lanes, turns, takeBacks, cards, goOn }: Stations): Inbox {
  const { clock } = needs.environment;
  const acts = new Acts({
    clock,
    partitionOf: (person) => partitionOfPerson(needs, person),
    isOperator: (person) => needs.authority.roleOf(person) === "operator",
    workOf: (act) => needs.policy.acts?.(act, { takeBack: (turn, by) => takeBacks.take(turn, by), resume: goOn }) ?? null,
  });
  return {
    act: (act) => (tasks.signal.aborted ? { kind: "ignored" } : acts.take(act)),
    hear: (event, ends) => admission.hear(event, tasks.signal.aborted ? tasks.signal : ends),
    left: (place, person) => feedback.left(place, person),
    removed(surface, deliveryId) {
      const id = admission.idOf(surface, deliveryId);
      if (id === null || tasks.signal.aborted) return;
      if (turns.remove(id)) return;
      tasks.start(async () => {
        if (await withdraw(needs, lanes, { id, reason: "removed" })) cards.look();
      });
    },
  };
}

type SurfaceByName = (name: SurfaceName) => Surface | undefined;

interface Stations {
  readonly admission: Admission;
  readonly lanes: Lanes<Admitted>;
  readonly outbox: Outbox;
  readonly feedback: Feedback;
  readonly turns: Turns;
  readonly takeBacks: TakeBacks;
  readonly cards: Cards;
  /** Take an answer to a suspended turn, and see to the message that asked. */
  readonly goOn: RoadDesk["resume"];
}

/** The four stations, from the last to the first, since each is handed the next. */
function buildStations(needs: RoadNeeds, tasks: TaskGroup, surfaces: ReadonlyMap<SurfaceName, Surface>): Stations {
  const { clock, ids, log, limits } = needs.environment;
  const { ledger, policy } = needs;
  const surface: SurfaceByName = (name) => surfaces.get(name);
  const cards = new Cards({ clock, log, tasks, surfaces: () => surfaces.values(), ledger: ledger.cards, policy: policy.cards });
  const feedback = new Feedback(clock, () => policy.engagement?.() ?? STANDARD_ENGAGEMENT);
  const outbox = outboxOf(needs, { cards, feedback, surface });
  const speaking = speakingOf(needs, outbox, surface);
  const takeBacks = new TakeBacks({ clock, log, tasks, surface, ledger: ledger.conversations });
  const mayNotice = createNoticeLimit(clock);
  const signs = new Signs();
  const turns = new Turns({
    environment: { clock, ids, log, maxAttempts: limits.attempts },
    ledger,
    voices: voicesOf(needs, (answer) => goOn(answer)),
    speaking,
    goneBy: (line) => goneBy(needs, line, surface),
    stillLet: createStillLet(needs, surface),
    holds: (turn) => holds(needs, turn, surface),
    before: askBefore(surface),
    noticeText: (turn, situation) => {
      // A fixed text is fuel among bots: they answer it, and nobody reads it.
      if (feedback.loops.isOfBots(turn.place.id)) return null;
      // Who may be told of a full lane was settled before the line was kept.
      return situation === "busy" || mayNotice(turn.place.id) ? policy.noticeText(turn, situation) : null;
    },
    observer: watchTurns(needs, {
      typing(turn, on) {
        feedback.turn(turn, on);
        if (signs.turn(turn, on)) surface(turn.place.surface)?.typing(turn.character, turn.place, on);
      },
      cancelled: () => cards.look(),
    }),
  });
  const lanes = new Lanes<Admitted>({
    tasks,
    clock,
    limits,
    fragments: createGathering((name) => surface(name)?.profile.timing),
    isNamed: (row) => isNamedBy(needs, row),
    positionOf: createPositions((name) => surface(name)?.profile),
    run: (lines, thought, signal) => turns.run(lines, thought, signal),
  });
  const next = nextOf(needs, { lanes, feedback, surface });
  const admission = new Admission({ clock, ids, limits, ledger, authority: needs.authority, next });
  const goOn: Stations["goOn"] = async (answer) => {
    const resumed = await resume(needs, lanes, answer);
    if (resumed) cards.look();
    return resumed;
  };
  return { admission, lanes, outbox, feedback, turns, takeBacks, cards, goOn };
}

/** The sending of parts, of which the rest of the road hears by receipts. */
function outboxOf(
  { environment, ledger, observer }: RoadNeeds,
  { cards, feedback, surface }: { readonly cards: Cards; readonly feedback: Feedback; readonly surface: SurfaceByName },
): Outbox {
  return new Outbox({
    clock: environment.clock,
    log: environment.log,
    surface,
    settle: (row, place) => ledger.settle(row, place),
    claim: (part, atMs) => ledger.claim(part, atMs),
    sending: (part) => feedback.sending(part),
    drawn: (part) => cards.drawn(part),
    receipt: (receipt) => {
      feedback.receipt(receipt);
      observer.receipt(receipt);
    },
  });
}

/** The last station as turns see it. */
function speakingOf(needs: RoadNeeds, outbox: Outbox, surface: SurfaceByName): Speaking {
  const { clock, ids, limits } = needs.environment;
  const { ledger, policy } = needs;
  return createDelivery({
    environment: { clock, ids, limits },
    generation: ledger.generation,
    gate: needs.gate,
    disclosing: new Disclosing({ lineFor: (turn) => policy.disclosure(turn), told: (person, character) => ledger.told(person, character) }),
    outbox,
    surface,
    answer: (row) => ledger.answer(row),
    suspend: (row) => ledger.suspend(row),
    numberQuestion: () => ledger.numberQuestion(),
    codeFor: (question, asked) => needs.authority.codeFor(question, asked),
    labelsOfReply: (turn, influence) => ledger.labelsOfReply(turn, influence),
  });
}

/** What admission sees of everything behind it. */
function nextOf(
  needs: RoadNeeds,
  { lanes, feedback, surface }: { lanes: Lanes<Admitted>; feedback: Feedback; surface: (name: SurfaceName) => Surface | undefined },
): AdmissionNeeds["next"] {
  const { policy, observer, environment } = needs;
  const busy = new BusyNotices(environment.clock);
  return {
    feedback,
    space: (event) => {
      const space = policy.space(event);
      return { ...space, people: () => surface(event.surface)?.people?.() ?? space.people?.() ?? [] };
    },
    classOf: policy.classOf,
    isControl: (text, line) => policy.isControl?.(text, line) ?? false,
    answersBy: (line) => policy.answersBy?.(line) ?? "channel",
    paused: (where) => policy.paused?.(where) ?? false,
    halted: () => policy.halted?.() ?? false,
    optedOut: (person) => policy.optedOut?.(person) ?? false,
    hasRoom: (row) => lanes.hasRoom(row),
    mayTellBusy: (row) => row.class === "talk" && lanes.hasRoom({ ...row, class: "control" }) && busy.tryTake(row, isNamedBy(needs, row)),
    enqueue(admitted) {
      if (admitted.refusal !== null) return lanes.beside(admitted);
      // A line whose commit fails is delivered again: it must not be part of a thought meanwhile, and it has cost nothing.
      admitted.durable.catch(() => lanes.withdraw(admitted.row, (one) => one === admitted)?.release());
      return lanes.enqueue(admitted);
    },
    suppressed: (id, event, reason) => observer.suppressed(id, event, reason),
    waiting: (row, event) => observer.waiting(row, event),
    notice: (notice) => observer.notice?.(notice),
  };
}
