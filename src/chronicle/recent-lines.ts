import type { Clock } from "../foundation/clock.ts";
import type { Store, StoreReader } from "../store/store.ts";
import type { ChronicleEvent } from "../vocabulary/event.ts";
import type { MessageId } from "../vocabulary/ids.ts";
import type { PlaceId } from "../vocabulary/place.ts";
import { withSoundLabels } from "./labels.ts";

/** Committed lines of a place that are held at least, once it is in use: more than a packet shows. */
const HELD_LINES = 64;
/** Bytes of all lines held; the conversation that was used longest ago goes first. Half of what MC-070 allows. */
const MAX_BYTES = 32 * 1_048_576;
/** What a line weighs beside its words: its fields, labels and lists. */
const LINE_BYTES = 600;
/** A conversation that nobody used for so long is let go. */
const IDLE_MS = 30_000;
/** One that is in use is read anew after so long, so that it never outlives the rows by much. */
const MAX_AGE_MS = 5 * 60_000;

/** The newest committed lines of a place, oldest first, frozen and with sound labels; `whole` when there is none before them. */
export interface HeldLines {
  readonly events: readonly ChronicleEvent[];
  readonly whole: boolean;
}

interface Held {
  events: ChronicleEvent[];
  whole: boolean;
  bytes: number;
  usedMs: number;
  readonly readMs: number;
}

/**
 * The newest committed lines of the conversations that are going on, so that a turn need not read and parse them again. Derived:
 * whatever it gives is what the rows would give, and it holds nothing of a conversation that rests (MC-070).
 *
 * R1  It follows the chronicle's own writes, in the order of a place's numbers; where one is missing the place is read anew.
 * R2  Once the store has erased anything, everything is read anew (TR-043).
 */
export class RecentLines implements Disposable {
  readonly #store: Pick<Store, "erasures"> & { readonly read: Pick<StoreReader, "events"> };
  readonly #clock: Pick<Clock, "monotonicMs" | "after">;
  /** By last use, the longest ago first. */
  readonly #places = new Map<PlaceId, Held>();
  #bytes = 0;
  #erasures = 0;
  #resting: Disposable | null = null;

  constructor(
    store: Pick<Store, "erasures"> & { readonly read: Pick<StoreReader, "events"> },
    clock: Pick<Clock, "monotonicMs" | "after">,
  ) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The newest lines of a place. What they lack of `rows` stands before the first of them, unless `whole`. */
  of(place: PlaceId): HeldLines {
    this.#forgetErased();
    const nowMs = this.#clock.monotonicMs();
    const known = this.#places.get(place);
    const held = known !== undefined && nowMs - known.readMs < MAX_AGE_MS ? known : this.#read(place, nowMs);
    held.usedMs = nowMs;
    // Last in the map is last to go.
    this.#places.delete(place);
    this.#places.set(place, held);
    this.#letGo(nowMs);
    this.#makeRoom();
    this.#resting ??= this.#clock.after(IDLE_MS, () => this.#rest());
    return held;
  }

  /** The order of a line among those held of its place; null when it is not held. */
  seqOf(place: PlaceId, id: MessageId): number | null {
    this.#forgetErased();
    return this.#places.get(place)?.events.findLast((event) => event.id === id)?.seq ?? null;
  }

  /** A line was committed with its number (R1). */
  committed(event: ChronicleEvent): void {
    const held = this.#places.get(event.place);
    if (held === undefined) return;
    const last = held.events.at(-1)?.seq ?? 0;
    if (event.seq <= last) return;
    if (event.seq !== last + 1) return this.#drop(event.place);
    this.#weigh(held, bytesOf(event));
    held.events.push(frozen(event));
    if (held.events.length >= 2 * HELD_LINES) this.#shorten(held);
  }

  /** What became of a character's line. */
  ended(place: PlaceId, id: MessageId, state: ChronicleEvent["state"]): void {
    const events = this.#places.get(place)?.events ?? [];
    const at = events.findLastIndex((event) => event.id === id);
    const line = events[at];
    if (line !== undefined) events[at] = Object.freeze({ ...line, state });
  }

  /** How many conversations are held, and about how many bytes. */
  get size(): { readonly places: number; readonly bytes: number } {
    return { places: this.#places.size, bytes: this.#bytes };
  }

  [Symbol.dispose](): void {
    this.#resting?.[Symbol.dispose]();
    this.#places.clear();
    this.#bytes = 0;
  }

  #read(place: PlaceId, nowMs: number): Held {
    this.#drop(place);
    const events = this.#store.read.events(place, HELD_LINES).map(frozen);
    const bytes = events.reduce((sum, event) => sum + bytesOf(event), 0);
    this.#bytes += bytes;
    return { events, whole: events.length < HELD_LINES, bytes, usedMs: nowMs, readMs: nowMs };
  }

  #shorten(held: Held): void {
    const gone = held.events.splice(0, held.events.length - HELD_LINES);
    held.whole = false;
    this.#weigh(held, -gone.reduce((sum, event) => sum + bytesOf(event), 0));
  }

  #weigh(held: Held, bytes: number): void {
    held.bytes += bytes;
    this.#bytes += bytes;
  }

  #drop(place: PlaceId): void {
    this.#bytes -= this.#places.get(place)?.bytes ?? 0;
    this.#places.delete(place);
  }

  #makeRoom(): void {
    for (const place of this.#places.keys()) {
      if (this.#bytes <= MAX_BYTES || this.#places.size === 1) return;
      this.#drop(place);
    }
  }

  /** Let go of what rests, and look again while anything is held. */
  #rest(): void {
    this.#resting = null;
    this.#letGo(this.#clock.monotonicMs());
    if (this.#places.size > 0) this.#resting = this.#clock.after(IDLE_MS, () => this.#rest());
  }

  /** The longest unused stand first, so each look costs no more than what it lets go. */
  #letGo(nowMs: number): void {
    for (const [place, held] of this.#places) {
      if (held.usedMs > nowMs - IDLE_MS) return;
      this.#drop(place);
    }
  }

  #forgetErased(): void {
    if (this.#store.erasures === this.#erasures) return;
    this.#erasures = this.#store.erasures;
    this.#places.clear();
    this.#bytes = 0;
  }
}

function bytesOf({ text, action }: ChronicleEvent): number {
  return LINE_BYTES + 2 * (text.length + action.length);
}

/** A line that nobody can change, with sound labels (TR-030). */
function frozen(event: ChronicleEvent): ChronicleEvent {
  const { witnesses, audience, influence, ...rest } = withSoundLabels(event);
  return Object.freeze({
    ...rest,
    author: Object.freeze({ ...rest.author }),
    witnesses: Object.freeze([...witnesses]),
    audience: Object.freeze([...audience]),
    influence: Object.freeze([...influence]),
  });
}
