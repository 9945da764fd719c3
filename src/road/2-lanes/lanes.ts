import type { Clock } from "../../foundation/clock.ts";
import type { TaskGroup } from "../../foundation/task-group.ts";
import type { InboxRow } from "../../store/store.ts";
import type { CharacterId } from "../../vocabulary/ids.ts";
import type { Limits } from "../../vocabulary/limits.ts";
import type { Place } from "../../vocabulary/place.ts";
import type { Fragments } from "./fragments.ts";
import { dueAtMs, thoughtOf } from "./fragments.ts";
import type { Lane } from "./lane.ts";
import { emptyLane, giveWay, standingOf } from "./lane.ts";
import type { Kind } from "./slot.ts";
import { Slot } from "./slot.ts";
import { putInOrder } from "./standing.ts";

/** What a lane is told apart by, and whose part of the tables it fills. */
export type LaneFacts = Pick<InboxRow, "character" | "place" | "person" | "class" | "role">;

/** What lanes stand on. */
export interface LanesNeeds<Item> {
  readonly tasks: TaskGroup;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly fragments: Fragments<Item>;
  /** Whether an operator named whoever waits; free identities fill only a part of each table (SE-090). */
  readonly isNamed: (facts: LaneFacts) => boolean;
  /** Where an item stands in its platform's own order; null where the platform gives none, and then those who come first are first. */
  readonly positionOf: (item: Item) => bigint | null;
  /** Run the lines of one thought as one turn; `thought` gives the place to think back. */
  readonly run: (items: readonly [Item, ...Item[]], thought: () => void, signal: AbortSignal) => Promise<void>;
}

/** One place in eight stays free of free identities, so that a named person never waits for one of them to finish thinking. */
const RESERVED_SHARE = 8;

/**
 * Who may think and speak when (MC-044…MC-052, TR-007, TR-008, TR-050).
 *
 * L1  One item of a character and place runs at a time, from its start until its last part is settled: replies never
 *     interleave, and the next one finds the last one said.
 * L2  At most `concurrentTurns` think at once; one gives that place back by `thought()`, before it speaks. Free identities hold
 *     at most seven of eight.
 * L3  Places take turns. In a place whoever said something first is answered first, by the platform's own order where it has one, as
 *     far as lines are known and thoughts whole when a turn begins. Two things come before that order: a person who had three turns
 *     while others wait goes behind them, and a crowd of free identities costs a named person one turn's wait, never more.
 * L4  What is empty is deleted: an idle lane costs nothing, and no timer.
 * L5  Only talk waits here; a command, an answer or a control runs at once beside it.
 * L6  A lane is held while its person may still be writing the thought it begins with; then its lines run as one.
 */
export class Lanes<Item extends { readonly row: LaneFacts }> implements Disposable {
  readonly #needs: LanesNeeds<Item>;
  readonly #slots = new Map<string, Slot<Lane<Item>>>();
  readonly #lanes = new Map<string, Lane<Item>>();
  /** Slots that could run now, in order; a Set keeps the order and drops repeats. */
  readonly #ready: Readonly<Record<Kind, Set<string>>> = { named: new Set(), free: new Set() };
  readonly #thinking: Record<Kind, number> = { named: 0, free: 0 };
  readonly #waiting: Record<Kind, number> = { named: 0, free: 0 };
  #freeLanes = 0;
  #arrivals = 0;
  #next: Kind = "named";
  #beside = 0;
  #onEmpty: (() => void)[] = [];

  constructor(needs: LanesNeeds<Item>) {
    this.#needs = needs;
  }

  /** Waiting items, lanes with something waiting, and turns that think. */
  get counts(): { readonly waiting: number; readonly lanes: number; readonly thinking: number } {
    const { named, free } = this.#thinking;
    return { waiting: this.#waiting.named + this.#waiting.free, lanes: this.#lanes.size, thinking: named + free };
  }

  /** Whether one more of these facts fits under every ceiling; free identities fill at most half of each table. */
  hasRoom(facts: LaneFacts): boolean {
    const { limits } = this.#needs;
    if (facts.class !== "talk") return this.#beside < limits.controls;
    const lane = this.#lanes.get(laneKey(facts));
    const kind = lane?.kind ?? this.#kindOf(facts);
    if (this.counts.waiting >= limits.ingress || (kind === "free" && this.#waiting.free >= half(limits.ingress))) return false;
    if (lane !== undefined) return lane.lines.length < limits.queuedPerLane;
    return this.#lanes.size < limits.senders && (kind === "named" || this.#freeLanes < half(limits.senders));
  }

  /** Put an item at the end of its lane, or run it at once when it is no talk. The caller asked {@link hasRoom} first. */
  enqueue(item: Item): void {
    if (item.row.class === "talk") {
      this.#append(item);
      this.#pump();
    } else this.beside(item);
  }

  /** Put items that waited in an earlier process into their lanes; none runs before all are there, so that thoughts stay whole. */
  enqueueAll(items: readonly Item[]): void {
    for (const item of items) if (item.row.class === "talk") this.#append(item);
    this.#pump();
    for (const item of items) if (item.row.class !== "talk") this.beside(item);
  }

  /** Run an item at once, whatever its lane does. While stopping nothing starts any more; the row is kept for the next start. */
  beside(item: Item): void {
    if (this.#needs.tasks.signal.aborted) return;
    this.#beside += 1;
    this.#needs.tasks.start(async (signal) => {
      try {
        await this.#needs.run([item], () => {}, signal);
      } finally {
        this.#beside -= 1;
      }
    });
  }

  /** Take an item that still waits out of its lane; null when it does not wait. */
  withdraw(facts: LaneFacts, matches: (item: Item) => boolean): Item | null {
    const lane = this.#lanes.get(laneKey(facts));
    const at = lane?.lines.findIndex(({ item }) => matches(item)) ?? -1;
    if (lane === undefined || at < 0) return null;
    const [line] = lane.lines.splice(at, 1);
    this.#count(lane, -1);
    this.#leaveRow(lane);
    if (lane.lines.length > 0) this.#settle(lane);
    else this.#drop(lane);
    this.#pump();
    this.#tellEmpty();
    return line?.item ?? null;
  }

  /** Take everything that waits out of its lane, and let nothing begin for it. */
  clear(): readonly Item[] {
    const taken: Item[] = [];
    for (const lane of Array.from(this.#lanes.values())) {
      const lines = lane.lines.splice(0);
      taken.push(...lines.map(({ item }) => item));
      this.#count(lane, -lines.length);
      this.#drop(lane);
    }
    this.#tellEmpty();
    return taken;
  }

  /** Keep a speaking slot busy until `work` ends: parts that an earlier process left go out before anything new. */
  occupy(character: CharacterId, place: Place, work: () => Promise<void>): void {
    const key = slotKey(character, place);
    const slot = this.#slotOf(key);
    this.#occupy(key, slot, "leftovers");
    this.#needs.tasks.start(async () => {
      try {
        await work();
      } finally {
        this.#release(key, slot);
      }
    });
  }

  /** Resolves once nothing waits here, at the latest when the signal aborts. */
  empty(signal: AbortSignal): Promise<void> {
    if (this.counts.waiting === 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
      this.#onEmpty.push(resolve);
    });
  }

  /** Hold nothing any more: what waits stays kept for the next start. */
  [Symbol.dispose](): void {
    for (const lane of this.#lanes.values()) this.#stopTimer(lane);
  }

  #append(item: Item): void {
    const lane = this.#laneOf(item.row);
    const position = this.#needs.positionOf(item);
    const line = { item, atMs: this.#needs.clock.monotonicMs(), position, arrival: (this.#arrivals += 1) };
    // One that the platform tells late stands where it was said.
    const at = putInOrder(lane.lines, line, (one) => one);
    this.#count(lane, 1);
    if (at === 0) this.#leaveRow(lane);
    if (!lane.queued) this.#settle(lane);
  }

  #laneOf(facts: LaneFacts): Lane<Item> {
    const key = laneKey(facts);
    const known = this.#lanes.get(key);
    if (known !== undefined) return known;
    const kind = this.#kindOf(facts);
    const lane = emptyLane<Item>({ key, slot: slotKey(facts.character, facts.place), kind });
    this.#lanes.set(key, lane);
    if (kind === "free") this.#freeLanes += 1;
    return lane;
  }

  /** Let a lane stand in its slot's row if its thought is whole, or hold it until then. */
  #settle(lane: Lane<Item>): void {
    const inMs = this.#dueInMs(lane);
    if (inMs <= 0) return this.#stand(lane);
    this.#leaveRow(lane);
    lane.dueAtMs = this.#dueAtMs(lane);
    // A timer that rings too early looks again; so a burst of lines arms one timer, not one each.
    lane.timer ??= this.#needs.clock.after(inMs, () => this.#ring(lane));
    this.#slotOf(lane.slot).hold(lane);
  }

  #stand(lane: Lane<Item>): void {
    this.#stopTimer(lane);
    if (lane.queued) return;
    lane.queued = true;
    lane.stands = standingOf(lane);
    const slot = this.#slotOf(lane.slot);
    slot.stand(lane);
    if (!slot.busy) this.#ready[lane.kind].add(lane.slot);
  }

  #ring(lane: Lane<Item>): void {
    lane.timer = null;
    this.#settle(lane);
    this.#pump();
  }

  #dueInMs(lane: Lane<Item>): number {
    return this.#dueAtMs(lane) - this.#needs.clock.monotonicMs();
  }

  #dueAtMs({ lines }: Lane<Item>): number {
    const { fragments, limits } = this.#needs;
    return dueAtMs(lines, fragments, limits);
  }

  #pump(): void {
    const { tasks, limits } = this.#needs;
    while (this.counts.thinking < limits.concurrentTurns && !tasks.signal.aborted) {
      const lane = this.#nextOf(this.#next) ?? this.#nextOf(other(this.#next));
      if (lane === null) return;
      this.#next = other(lane.kind);
      this.#runLane(lane);
    }
  }

  /** The lane whose turn it is where any of these people stand, taken out of its slot's row. */
  #nextOf(kind: Kind): Lane<Item> | null {
    const { concurrentTurns } = this.#needs.limits;
    const mayFree = this.#thinking.free < concurrentTurns - Math.floor(concurrentTurns / RESERVED_SHARE);
    if (kind === "free" && !mayFree) return null;
    for (const key of this.#ready[kind]) {
      const slot = this.#slotOf(key);
      // Whoever is due stands there too, before anybody is chosen.
      for (const lane of slot.whole(this.#needs.clock.monotonicMs())) this.#stand(lane);
      for (let lane = slot.take(mayFree); lane !== null; lane = slot.take(mayFree)) {
        lane.queued = false;
        if (this.#dueInMs(lane) <= 0) return lane;
        // Its person went on writing while it stood in the row.
        this.#settle(lane);
      }
      this.#ready[kind].delete(key);
      this.#deleteIfEmpty(key);
    }
    return null;
  }

  #runLane(lane: Lane<Item>): void {
    const { fragments, limits, tasks, run } = this.#needs;
    const key = lane.slot;
    const slot = this.#slotOf(key);
    const items = thoughtOf(lane.lines, fragments, limits);
    lane.lines.splice(0, items.length);
    this.#count(lane, -items.length);
    this.#occupy(key, slot, lane.kind);
    giveWay(lane, slot.last?.stands ?? null, (this.#arrivals += 1));
    if (lane.lines.length > 0) this.#settle(lane);
    else this.#drop(lane);
    const done = this.#think(lane.kind);
    tasks.start(async (signal) => {
      try {
        await run(items, done, signal);
      } finally {
        done();
        this.#release(key, slot);
      }
    });
    this.#tellEmpty();
  }

  #think(kind: Kind): () => void {
    this.#thinking[kind] += 1;
    let thinking = true;
    return () => {
      if (!thinking) return;
      thinking = false;
      this.#thinking[kind] -= 1;
      this.#pump();
    };
  }

  #occupy(key: string, slot: Slot<Lane<Item>>, what: Kind | "leftovers"): void {
    slot.begin(what);
    this.#ready.named.delete(key);
    this.#ready.free.delete(key);
  }

  #release(key: string, slot: Slot<Lane<Item>>): void {
    slot.end();
    for (const kind of ["named", "free"] as const) if (slot.waits(kind)) this.#ready[kind].add(key);
    this.#deleteIfEmpty(key);
    this.#pump();
  }

  #slotOf(key: string): Slot<Lane<Item>> {
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    const slot = new Slot<Lane<Item>>();
    this.#slots.set(key, slot);
    return slot;
  }

  #deleteIfEmpty(key: string): void {
    if (this.#slots.get(key)?.empty === true) this.#slots.delete(key);
  }

  #leaveRow(lane: Lane<Item>): void {
    if (!lane.queued) return;
    lane.queued = false;
    const slot = this.#slotOf(lane.slot);
    slot.leave(lane);
    if (!slot.waits(lane.kind)) this.#ready[lane.kind].delete(lane.slot);
  }

  #kindOf(facts: LaneFacts): Kind {
    return this.#needs.isNamed(facts) ? "named" : "free";
  }

  #drop(lane: Lane<Item>): void {
    this.#stopTimer(lane);
    this.#leaveRow(lane);
    this.#slots.get(lane.slot)?.release(lane);
    this.#deleteIfEmpty(lane.slot);
    this.#lanes.delete(lane.key);
    if (lane.kind === "free") this.#freeLanes -= 1;
  }

  #stopTimer(lane: Lane<Item>): void {
    lane.timer?.[Symbol.dispose]();
    lane.timer = null;
  }

  #count(lane: Lane<Item>, by: number): void {
    this.#waiting[lane.kind] += by;
  }

  #tellEmpty(): void {
    if (this.counts.waiting > 0) return;
    for (const resolve of this.#onEmpty.splice(0)) resolve();
  }
}

function other(kind: Kind): Kind {
  return kind === "named" ? "free" : "named";
}

function half(table: number): number {
  return Math.ceil(table / 2);
}

function slotKey(character: CharacterId, place: Place): string {
  return `${character}\n${place.id}`;
}

function laneKey(facts: LaneFacts): string {
  return `${slotKey(facts.character, facts.place)}\n${facts.person}`;
}
