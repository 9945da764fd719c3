import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Log } from "../foundation/log.ts";
import type { AnswerRow, HearResult, HearRow, SettleRow, Store, StoreReader, SuspendRow } from "../store/store.ts";
import type { ChronicleEvent } from "../vocabulary/event.ts";
import type { HeardBefore } from "../vocabulary/heard-before.ts";
import type { CharacterId, MessageId, TurnId } from "../vocabulary/ids.ts";
import type { Reader } from "../vocabulary/label.ts";
import { mayRead, readersOf } from "../vocabulary/label.ts";
import { CEILINGS } from "../vocabulary/limits.ts";
import type { Withheld } from "../vocabulary/packet.ts";
import type { Place, PlaceId } from "../vocabulary/place.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { Visible } from "../vocabulary/visible.ts";
import { mintVisible } from "../vocabulary/visible.ts";
import { backgroundEvents } from "./background.ts";
import { Elsewhere } from "./elsewhere.ts";
import { InFlight } from "./in-flight.ts";
import { withSoundLabels } from "./labels.ts";
import type { MemorySpans } from "./memory.ts";
import { MEMORY, Recollection } from "./memory.ts";
import { newestFirst } from "./newest-first.ts";
import { isOwnTalk } from "./own-talk.ts";
import { RecentLines } from "./recent-lines.ts";
import { judgeEvent } from "./visibility.ts";

/** Events that one call of {@link Chronicle.history} may give. */
const MAX_HISTORY_EVENTS = 500;
/** Withheld items that one call of {@link Chronicle.visibleFor} names: the newest. */
const MAX_WITHHELD = 64;
/** Bytes of what people said whose commit is under way: the half of MC-070 that {@link RecentLines} leaves. */
const MAX_IN_FLIGHT_BYTES = 32 * 1_048_576;
/** Listeners at the same time. */
const MAX_LISTENERS = 1_024;
/** Rows of a place that are searched for the line of a turn that was answered before the last start. */
const SETTLE_SEARCH_ROWS = 256;

/** The part of the store that the chronicle uses. */
export type ChronicleStore = Pick<Store, "hear" | "answer" | "suspend" | "settle" | "erasures"> & {
  readonly read: Pick<StoreReader, "events" | "event">;
};

/** A change, published once its commit is durable. A listener that shows it to someone filters by `event.audience` first. */
export type ChronicleChange =
  /** A person's line; `seq` is set. */
  | { readonly kind: "event"; readonly event: ChronicleEvent }
  /** A character's line on its way: `pending`. */
  | { readonly kind: "line"; readonly event: ChronicleEvent }
  /** The end of a character's line: `said` or `unsaid`. */
  | { readonly kind: "state"; readonly id: MessageId; readonly place: PlaceId; readonly state: ChronicleEvent["state"] }
  /** Somebody's lines, and those they shaped, are erased: whoever shows or holds any must drop them. The newest such turns are named. */
  | { readonly kind: "forgotten"; readonly person: PrincipalId; readonly turns: readonly TurnId[] }
  /** What somebody and a character said to each other in a place is out of mind; what it was is erased. */
  | {
      readonly kind: "reset";
      readonly person: PrincipalId;
      readonly place: PlaceId;
      readonly turns: readonly TurnId[];
      readonly platformIds: readonly string[];
    };

/** What a packet of a character for a destination may be built from, and what it may not. */
export interface VisibleEvents {
  /** What {@link Chronicle.visibleFor} let through: the only way to these events. */
  readonly visible: Visible;
  /** For the operator's record only: ids and classes, at most {@link MAX_WITHHELD}. Never an input of anything that is shown or chosen. */
  readonly withheld: readonly Withheld[];
}

/** Which events a packet wants. */
export interface VisibleRange {
  /** 1 to 256. */
  readonly limit: number;
  readonly exclude?: MessageId;
  readonly only?: PrincipalId;
  /** What the platform has of the place beside what is kept, oldest first; it goes through the same filter (TR-034). */
  readonly before?: readonly HeardBefore[];
}

/** Which events of a place a page wants; `before` and `after` are sequence numbers, both exclusive. */
export interface HistoryRange {
  /** 1 to {@link MAX_HISTORY_EVENTS}. */
  readonly limit: number;
  readonly before?: number;
  readonly after?: number;
}

/** Everything said and done, stored once with its labels (TR-036). Disposing it lets all listeners go. */
export interface Chronicle extends Disposable {
  /** Keep what was heard; visible to turns from this call on, published after the commit. @throws RuntimeError `capacity`, `closed`, or the store's code. */
  hear(row: HearRow): Promise<HearResult>;
  /** Keep a turn's result; its line is `pending` whatever the row says. @throws RuntimeError `capacity`, `closed`, or the store's code. */
  answer(row: AnswerRow): ReturnType<Store["answer"]>;
  /** Put a turn aside with its question, which is a line as an answer is. @throws RuntimeError `capacity`, `closed`, or the store's code. */
  suspend(row: SuspendRow): ReturnType<Store["suspend"]>;
  /** Settle a part; `place` is needed only for a line that was answered before the last start. @throws RuntimeError the store's code. */
  settle(row: SettleRow, place?: PlaceId): ReturnType<Store["settle"]>;
  /**
   * Give what `character` may use in front of the readers of `destination` (TR-030): events of that one conversation (TR-036: a
   * public place's, or a direct line's; the public lines around a direct line are another conversation and stay out), filtered
   * first, then without what is forgotten by now (MC-069, TR-043), then the newest `limit` of them, oldest first. Events whose commit is under way come after the committed ones.
   * `exclude` is the line that is being answered: it stays out, and so do people's lines that came after it, since they wait for
   * answers of their own. What characters said since is there (TR-008). `only` narrows a public place to that person's own talk, on
   * surfaces where each has one (MC-065). @throws RuntimeError `invalid_argument` unless `limit` is 1 to 256.
   */
  visibleFor(character: CharacterId, destination: Place, options: VisibleRange): VisibleEvents;
  /**
   * Give a page of a place to `reader`: the newest `limit` events it may read, oldest first, said or on their way, never unsaid
   * (SE-087). Only committed events. @throws RuntimeError `invalid_argument` for a limit out of bounds.
   */
  history(place: Place, reader: Reader, range: HistoryRange): readonly ChronicleEvent[];
  /** Tell everyone who listens that somebody's lines are erased from the store. */
  forgotten(person: PrincipalId, turns: readonly TurnId[]): void;
  /** Tell everyone who listens that a conversation in a place began anew. */
  reset(what: Omit<Extract<ChronicleChange, { kind: "reset" }>, "kind">): void;
  /** Hear of changes until the handle is disposed. A listener that throws is logged and goes on. @throws RuntimeError `capacity`, `closed`. */
  subscribe(listener: (change: ChronicleChange) => void): Disposable;
}

/** What the chronicle stands on; `memory` is the product's own where it is left out. */
export interface ChronicleNeeds {
  readonly store: ChronicleStore;
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs" | "after">;
  readonly log: Log;
  readonly memory?: MemorySpans;
}

/** Open the chronicle over a store. It owns no connection; disposing it ends the subscriptions. */
export function openChronicle(needs: ChronicleNeeds): Chronicle {
  return new StoredChronicle(needs);
}

/** Whose walk back through which place. */
interface Walk {
  readonly place: PlaceId;
  readonly waiting: readonly ChronicleEvent[];
  readonly limit: number;
  readonly character: CharacterId;
}

class StoredChronicle implements Chronicle {
  readonly #store: ChronicleStore;
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #memory: MemorySpans;
  readonly #log: Log;
  readonly #inFlight = new InFlight({ events: CEILINGS.ingress, bytes: MAX_IN_FLIGHT_BYTES });
  readonly #elsewhere = new Elsewhere({ perCharacter: 2 * MAX_WITHHELD, characters: 256 });
  readonly #recent: RecentLines;
  readonly #listeners = new Set<{ readonly hear: (change: ChronicleChange) => void }>();
  /** Lines on their way, by turn: to name the line when its last part settles. */
  readonly #pending = new Map<string, Pick<ChronicleEvent, "id" | "place">>();
  #closed = false;

  constructor({ store, clock, log, memory = MEMORY }: ChronicleNeeds) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#memory = memory;
    this.#recent = new RecentLines(store, clock);
  }

  async hear(row: HearRow): Promise<HearResult> {
    this.#mustBeOpen();
    const event = withSoundLabels(row.event);
    using _held = this.#inFlight.hold(event);
    const result = await this.#store.hear({ ...row, event });
    if (result.kind === "fresh") this.#committed("event", { ...event, seq: result.seq });
    return result;
  }

  async answer(row: AnswerRow): ReturnType<Store["answer"]> {
    this.#mustBeOpen();
    const event: ChronicleEvent = { ...withSoundLabels(row.event), state: "pending" };
    using _held = this.#inFlight.hold(event);
    const result = await this.#store.answer({ ...row, event });
    if (!result.stored) return result;
    this.#rememberLine(row.turn, event);
    this.#committed("line", { ...event, seq: result.seq });
    return result;
  }

  async suspend(row: SuspendRow): ReturnType<Store["suspend"]> {
    if (row.card === undefined) return this.#store.suspend(row);
    this.#mustBeOpen();
    const event: ChronicleEvent = { ...withSoundLabels(row.card.event), state: "pending" };
    using _held = this.#inFlight.hold(event);
    const result = await this.#store.suspend({ ...row, card: { ...row.card, event } });
    if (!result.suspended) return result;
    this.#rememberLine(row.turn, event);
    this.#committed("line", { ...event, seq: result.seq });
    return result;
  }

  async settle(row: SettleRow, place?: PlaceId): ReturnType<Store["settle"]> {
    const result = await this.#store.settle(row);
    if (result.line !== null) this.#lineEnded(row.part.slice(0, row.part.lastIndexOf(".")), place, result.line);
    return result;
  }

  visibleFor(character: CharacterId, destination: Place, options: VisibleRange): VisibleEvents {
    checkLimit(options.limit, CEILINGS.packetLines);
    const reader = readersOf(destination);
    const waiting = this.#inFlight.of(destination.id);
    const withheld: Withheld[] = [];
    const isLater = this.#laterThan(destination.id, options.exclude, waiting);
    const { only } = options;
    const isOthers = (event: ChronicleEvent): boolean => only !== undefined && !isOwnTalk(event, character, only);
    const sees = (event: ChronicleEvent): boolean => {
      if (event.id === options.exclude || isLater(event)) return false;
      const judged = judgeEvent(event, character, reader);
      const verdict = judged === "visible" && isOthers(event) ? "other_talk" : judged;
      if (verdict !== "visible" && withheld.length < MAX_WITHHELD / 2) withheld.push({ ref: event.id, class: verdict });
      return verdict === "visible";
    };
    const mind = new Recollection(destination.kind, this.#memory, this.#clock.nowMs());
    const events: ChronicleEvent[] = [];
    this.#backFromNow({ place: destination.id, waiting, limit: options.limit, character }, (event) => {
      if (!sees(event)) return true;
      // Only lines that may be seen tell where memory ends: filter, then forget, then the newest `limit`.
      return mind.reaches(event.atMs) && events.push(event) < options.limit;
    });
    // Half each, so that much that is hidden in one of them never pushes the other out.
    const elsewhere = this.#elsewhere.besides(character, destination.id, MAX_WITHHELD / 2);
    const kept = events.toReversed();
    const background = backgroundEvents(options.before ?? [], { character, place: destination, known: kept }).filter(sees);
    const all = background.length === 0 ? kept : [...background, ...kept].toSorted((a, b) => a.atMs - b.atMs).slice(-options.limit);
    return { visible: mintVisible(character, destination, all), withheld: [...withheld, ...elsewhere] };
  }

  history(place: Place, reader: Reader, range: HistoryRange): readonly ChronicleEvent[] {
    checkLimit(range.limit, MAX_HISTORY_EVENTS);
    const events: ChronicleEvent[] = [];
    for (const stored of newestFirst(this.#store.read, place.id, { rows: range.limit, before: range.before })) {
      if (range.after !== undefined && stored.seq <= range.after) break;
      const event = withSoundLabels(stored);
      if (event.state !== "unsaid" && mayRead(event.audience, reader)) events.push(event);
      if (events.length === range.limit) break;
    }
    return events.toReversed();
  }

  forgotten(person: PrincipalId, turns: readonly TurnId[]): void {
    this.#publish({ kind: "forgotten", person, turns });
  }

  reset(what: Omit<Extract<ChronicleChange, { kind: "reset" }>, "kind">): void {
    this.#publish({ kind: "reset", ...what });
  }

  subscribe(listener: (change: ChronicleChange) => void): Disposable {
    this.#mustBeOpen();
    if (this.#listeners.size >= MAX_LISTENERS) throw new RuntimeError("capacity", "Cannot subscribe: too many listeners");
    const entry = { hear: listener };
    this.#listeners.add(entry);
    return { [Symbol.dispose]: () => void this.#listeners.delete(entry) };
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    this.#recent[Symbol.dispose]();
    this.#listeners.clear();
  }

  /** Show a place's heard lines from the newest back: those in flight, then the rows. One that is both (F1) comes once. */
  #backFromNow({ place, waiting, limit, character }: Walk, goesOn: (event: ChronicleEvent) => boolean): void {
    if (!everyBack(waiting, waiting.length, goesOn)) return;
    const inFlight = new Set<MessageId>();
    for (const { id } of waiting) inFlight.add(id);
    const rows = limit + waiting.length;
    this.#committedBack({ place, rows, character }, inFlight.size === 0 ? goesOn : (event) => inFlight.has(event.id) || goesOn(event));
  }

  /** The committed ones: the newest `rows` with what others alone perceived, for the record; behind them only what may count. */
  #committedBack(
    { place, rows, character }: { readonly place: PlaceId; readonly rows: number; readonly character: CharacterId },
    goesOn: (event: ChronicleEvent) => boolean,
  ): void {
    const { events, whole } = this.#recent.of(place);
    if (!whole && events.length < rows) {
      for (const event of newestFirst(this.#store.read, place, { rows, heardBy: character })) if (!goesOn(event)) return;
      return;
    }
    if (!everyBack(events, rows, goesOn)) return;
    const behind = events.slice(0, Math.max(0, events.length - rows)).filter(({ witnesses }) => witnesses.includes(character));
    if (!everyBack(behind, behind.length, goesOn)) return;
    const before = events[0]?.seq;
    if (whole || before === undefined) return;
    for (const event of newestFirst(this.#store.read, place, { rows, before, onlyHeardBy: character })) if (!goesOn(event)) return;
  }

  /** Whether a person's line came after the one that is being answered. */
  #laterThan(place: PlaceId, trigger: MessageId | undefined, waiting: readonly ChronicleEvent[]): (event: ChronicleEvent) => boolean {
    if (trigger === undefined) return () => false;
    const held = waiting.findIndex((event) => event.id === trigger);
    const behind = new Set<MessageId>();
    for (const { id } of waiting.slice(held + 1)) behind.add(id);
    const seq = held >= 0 ? null : this.#recent.seqOf(place, trigger);
    const stored = held >= 0 || seq !== null ? null : this.#store.read.event(trigger);
    const last = seq ?? stored?.seq ?? Number.MAX_SAFE_INTEGER;
    // A line that was said elsewhere has no number here: the clock tells what came after it.
    const isAfter = (event: ChronicleEvent): boolean =>
      stored !== null && stored.place !== place ? event.atMs > stored.atMs : event.seq > last;
    return (event) => event.author.kind === "person" && (behind.has(event.id) || isAfter(event));
  }

  #mustBeOpen(): void {
    if (this.#closed) throw new RuntimeError("closed", "Cannot use the chronicle: it was closed");
  }

  #committed(kind: "event" | "line", event: ChronicleEvent): void {
    this.#recent.committed(event);
    this.#elsewhere.note(event);
    this.#publish({ kind, event });
  }

  #rememberLine(turn: string, { id, place }: ChronicleEvent): void {
    const oldest = this.#pending.keys().next();
    if (this.#pending.size >= CEILINGS.ingress && oldest.done !== true) this.#pending.delete(oldest.value);
    this.#pending.set(turn, { id, place });
  }

  #lineEnded(turn: string, place: PlaceId | undefined, state: "said" | "unsaid"): void {
    const known = this.#pending.get(turn);
    this.#pending.delete(turn);
    const rows = known !== undefined || place === undefined ? [] : this.#store.read.events(place, SETTLE_SEARCH_ROWS);
    const line = known ?? rows.find((event) => event.turn === turn);
    if (line === undefined) return;
    this.#recent.ended(line.place, line.id, state);
    this.#publish({ kind: "state", id: line.id, place: line.place, state });
  }

  #publish(change: ChronicleChange): void {
    for (const listener of this.#listeners) {
      try {
        listener.hear(change);
      } catch (error) {
        this.#log.failure("chronicle_listener", error);
      }
    }
  }
}

/** Show the newest `count` of them, the newest first; false as soon as it goes no further. */
function everyBack(events: readonly ChronicleEvent[], count: number, goesOn: (event: ChronicleEvent) => boolean): boolean {
  for (let back = 1; back <= Math.min(count, events.length); back += 1) {
    const event = events[events.length - back];
    if (event !== undefined && !goesOn(event)) return false;
  }
  return true;
}

function checkLimit(limit: number, max: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return;
  throw new RuntimeError("invalid_argument", `Cannot read events: the limit must be 1 to ${max}`);
}
