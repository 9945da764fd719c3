import type { LinkedSignal } from "../foundation/cancellation.ts";
import { linkSignals } from "../foundation/cancellation.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { CharacterId, MessageId, SessionId, TurnId } from "../vocabulary/ids.ts";
import type { Origin } from "../vocabulary/origin.ts";
import type { PlaceId } from "../vocabulary/place.ts";
import type { Turn } from "../vocabulary/turn.ts";
import type { TurnStarter } from "../vocabulary/calls/turn-ceilings.ts";

/** A line that somebody says into a turn that runs. */
export interface SteeredLine {
  readonly text: string;
  readonly by: MessageId;
  readonly origin: Origin;
}

/** What a turn is at: it begins, waits for its model, has calls judged, or runs one. */
export type Doing =
  | { readonly kind: "begins" | "thinking" | "judging" }
  | { readonly kind: "calling"; readonly call: string; readonly tool: string };

/** A turn that runs, as whoever looks at it is told: codes and ids alone, no word of anybody. */
export interface TurnNow {
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly starter: TurnStarter;
  readonly startedAtMs: number;
  /** Requests to the model so far. */
  readonly requests: number;
  readonly doing: Doing;
  readonly sinceMs: number;
}

interface Waiting {
  readonly line: SteeredLine;
  readonly settle: (taken: boolean) => void;
}

const STOPPED = new RuntimeError("aborted", "Cannot go on: the person stopped it");
const CUT = new RuntimeError("aborted", "Cannot go on with this answer: the person said something");

/** Whose turn runs, and where. */
export type LivesFor = Pick<Turn, "character" | "place">;

/** A turn while it runs: what its person can do to it (TR-007). */
export class LiveTurn implements Disposable {
  readonly turn: LivesFor;
  readonly #life: LinkedSignal;
  readonly #end: () => void;
  readonly #lines: Waiting[] = [];
  #generation: LinkedSignal | null = null;
  #stopped = false;
  #now: TurnNow | null = null;

  constructor(turn: LivesFor, signal: AbortSignal, end: () => void) {
    this.turn = turn;
    this.#life = linkSignals(signal);
    this.#end = end;
  }

  /** Aborts when the turn is stopped, or with its owner. */
  get signal(): AbortSignal {
    return this.#life.signal;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** What it is at; null before it has a session. */
  get now(): TurnNow | null {
    return this.#now;
  }

  /** Say what it is at. */
  does(now: TurnNow): void {
    this.#now = now;
  }

  /** End the turn now, whatever it does. */
  stop(): void {
    this.#stopped = true;
    this.#life.abort(STOPPED);
  }

  /** Say a line into the turn: it is taken at the next gap. Resolves with whether it was, once that is durable. */
  steer(line: SteeredLine): Promise<boolean> {
    return new Promise((settle) => this.#lines.push({ line, settle }));
  }

  /** The same, and the answer that the model is giving is thrown away for it. A call that runs is not. */
  cut(line: SteeredLine): Promise<boolean> {
    const taken = this.steer(line);
    this.#generation?.abort(CUT);
    return taken;
  }

  /** Take the lines that wait, and keep them with `keep`. */
  async keepLines(keep: (lines: readonly SteeredLine[]) => Promise<void>): Promise<void> {
    const waiting = this.#lines.splice(0);
    if (waiting.length === 0) return;
    try {
      await keep(waiting.map(({ line }) => line));
    } catch (error) {
      for (const { settle } of waiting) settle(false);
      throw error;
    }
    for (const { settle } of waiting) settle(true);
  }

  /** A signal for one answer of the model. */
  generation(): LinkedSignal {
    const generation = linkSignals(this.#life.signal);
    this.#generation = generation;
    return generation;
  }

  [Symbol.dispose](): void {
    for (const { settle } of this.#lines.splice(0)) settle(false);
    this.#life[Symbol.dispose]();
    this.#end();
  }
}

/** The turns that run now, by character and line: there is at most one of each. */
export class LiveTurns {
  readonly #turns = new Map<string, LiveTurn>();

  /** Note a turn until it is disposed. */
  begin(turn: LivesFor, signal: AbortSignal): LiveTurn {
    const key = `${turn.character}\n${turn.place.id}`;
    const live = new LiveTurn(turn, signal, () => {
      if (this.#turns.get(key) === live) this.#turns.delete(key);
    });
    this.#turns.set(key, live);
    return live;
  }

  of(character: CharacterId, place: PlaceId): LiveTurn | null {
    return this.#turns.get(`${character}\n${place}`) ?? null;
  }

  /** What runs now, in the order in which it began. */
  now(): readonly TurnNow[] {
    return [...this.#turns.values()].flatMap(({ now }) => now ?? []);
  }

  /** End the turn of a session now. False when none runs there. */
  stop(session: SessionId): boolean {
    const found = [...this.#turns.values()].find(({ now }) => now?.session === session);
    found?.stop();
    return found !== undefined;
  }

  /** Stop every turn (TR-073). Gives how many there were. */
  stopAll(): number {
    const turns = [...this.#turns.values()];
    for (const turn of turns) turn.stop();
    return turns.length;
  }
}
