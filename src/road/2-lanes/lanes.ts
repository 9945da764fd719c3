import type { TaskGroup } from "../../foundation/task-group.ts";
import type { InboxRow } from "../../store/store.ts";
import type { CharacterId } from "../../vocabulary/ids.ts";
import type { Place } from "../../vocabulary/place.ts";
import type { Limits } from "../../vocabulary/limits.ts";

/** What a lane is told apart by. */
export type LaneFacts = Pick<InboxRow, "character" | "place" | "person" | "class">;

interface Slot<Item> {
  busy: boolean;
  /** Waiting items by person, in the order in which the people get their turn. Never holds an empty list. */
  readonly waiting: Map<string, Item[]>;
}

/**
 * Who may think and speak when (MC-044…MC-052, TR-007, TR-008).
 *
 * L1  One item of a character and place runs at a time, from its start until its last part is settled: replies never
 *     interleave, and the next one finds the last one said.
 * L2  At most `concurrentTurns` items think at once; an item gives that place back by `thought()`, before it speaks.
 * L3  Places take turns, and the people of a place take turns; within one person, first in, first out.
 * L4  What is empty is deleted: an idle lane costs nothing.
 * L5  Only talk waits here; a command, an answer or a control runs at once beside it.
 */
export class Lanes<Item extends { readonly row: LaneFacts }> {
  readonly #slots = new Map<string, Slot<Item>>();
  /** Slots that could run now, in order; a Set keeps the order and drops repeats. */
  readonly #ready = new Set<string>();
  readonly #tasks: TaskGroup;
  readonly #limits: Limits;
  readonly #run: (item: Item, thought: () => void) => Promise<void>;
  #thinking = 0;
  #beside = 0;
  #waitingCount = 0;
  #lanes = 0;

  constructor(needs: { tasks: TaskGroup; limits: Limits; run: (item: Item, thought: () => void) => Promise<void> }) {
    this.#tasks = needs.tasks;
    this.#limits = needs.limits;
    this.#run = needs.run;
  }

  /** Waiting items, lanes with something waiting, and items that think. */
  get counts(): { readonly waiting: number; readonly lanes: number; readonly thinking: number } {
    return { waiting: this.#waitingCount, lanes: this.#lanes, thinking: this.#thinking };
  }

  /** Whether one more of these facts fits under every ceiling. */
  hasRoom(facts: LaneFacts): boolean {
    if (facts.class !== "talk") return this.#beside < this.#limits.controls;
    if (this.#waitingCount >= this.#limits.ingress) return false;
    const lane = this.#slots.get(slotKey(facts.character, facts.place))?.waiting.get(facts.person);
    return lane === undefined ? this.#lanes < this.#limits.senders : lane.length < this.#limits.queuedPerLane;
  }

  /** Put an item at the end of its lane, or run it at once when it is no talk. The caller asked {@link hasRoom} first. */
  enqueue(item: Item): void {
    if (item.row.class !== "talk") {
      this.#runBeside(item);
      return;
    }
    const key = slotKey(item.row.character, item.row.place);
    const slot = this.#slotOf(key);
    const lane = slot.waiting.get(item.row.person);
    if (lane === undefined) {
      slot.waiting.set(item.row.person, [item]);
      this.#lanes += 1;
    } else lane.push(item);
    this.#waitingCount += 1;
    if (!slot.busy) this.#ready.add(key);
    this.#pump();
  }

  /** Keep a speaking slot busy until `work` ends: parts that an earlier process left go out before anything new. */
  occupy(character: CharacterId, place: Place, work: () => Promise<void>): void {
    const key = slotKey(character, place);
    const slot = this.#slotOf(key);
    slot.busy = true;
    this.#ready.delete(key);
    this.#tasks.start(async () => {
      try {
        await work();
      } finally {
        this.#release(key, slot);
      }
    });
  }

  #slotOf(key: string): Slot<Item> {
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    const slot: Slot<Item> = { busy: false, waiting: new Map() };
    this.#slots.set(key, slot);
    return slot;
  }

  #pump(): void {
    while (this.#thinking < this.#limits.concurrentTurns && !this.#tasks.signal.aborted) {
      const key = first(this.#ready);
      if (key === undefined) return;
      this.#ready.delete(key);
      const slot = this.#slots.get(key);
      const item = slot === undefined ? undefined : this.#take(slot);
      if (slot !== undefined && item !== undefined) this.#runInSlot(key, slot, item);
    }
  }

  #take(slot: Slot<Item>): Item | undefined {
    const person = first(slot.waiting.keys());
    if (person === undefined) return undefined;
    const lane = slot.waiting.get(person) ?? [];
    const item = lane.shift();
    // Whoever was served goes behind the others of the place.
    slot.waiting.delete(person);
    if (lane.length > 0) slot.waiting.set(person, lane);
    else this.#lanes -= 1;
    this.#waitingCount -= 1;
    return item;
  }

  #runInSlot(key: string, slot: Slot<Item>, item: Item): void {
    slot.busy = true;
    this.#thinking += 1;
    let thinking = true;
    const thought = (): void => {
      if (!thinking) return;
      thinking = false;
      this.#thinking -= 1;
      this.#pump();
    };
    this.#tasks.start(async () => {
      try {
        await this.#run(item, thought);
      } finally {
        thought();
        this.#release(key, slot);
      }
    });
  }

  #release(key: string, slot: Slot<Item>): void {
    slot.busy = false;
    if (slot.waiting.size === 0) this.#slots.delete(key);
    else this.#ready.add(key);
    this.#pump();
  }

  #runBeside(item: Item): void {
    // While stopping nothing starts any more; the row is kept, and the next start runs it.
    if (this.#tasks.signal.aborted) return;
    this.#beside += 1;
    this.#tasks.start(async () => {
      try {
        await this.#run(item, () => {});
      } finally {
        this.#beside -= 1;
      }
    });
  }
}

function slotKey(character: CharacterId, place: Place): string {
  return `${character}\n${place.id}`;
}

function first<Value>(values: Iterable<Value>): Value | undefined {
  for (const value of values) return value;
  return undefined;
}
