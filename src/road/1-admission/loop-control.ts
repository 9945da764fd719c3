import type { Clock } from "../../foundation/clock.ts";
import type { PlaceId } from "../../vocabulary/place.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import { sameness } from "./own-words.ts";
import { TIMED_ANSWERS, isClockwork, isSuperhuman, isWrittenOn } from "./pace.ts";
import type { Partition } from "./partitioned-table.ts";
import { PartitionedTable } from "./partitioned-table.ts";

/** Rounds without a person that a place has, where configuration says nothing (TR-023). */
export const STANDARD_ROUNDS = 6;
/** Exchanges that could be a person's and never show one, for each round: the bound of slow loops. */
const EXCHANGES_PER_ROUND = 8;
/** A pause after which a talk between unflagged accounts is a new one. */
const REST_MS = 10 * 60_000;
/** Second lines in a row that make an account a person's for as long as it is remembered here. */
const SIGNS_OF_A_PERSON = 3;
/** Shorter texts are said again by people too: "yes", "go on". */
const LEAST_LETTERS_OF_A_REPEAT = 16;
const REMEMBERED_TEXTS = 8;
const MAX_PLACES = 1_024;
const MAX_SENDERS = 128;

/** A line somebody said in a place, as loop control sees it. */
export interface LoopLine {
  readonly place: PlaceId;
  readonly person: PrincipalId;
  readonly partition: Partition;
  /** Whether the surface knows that no person wrote it. */
  readonly flagged: boolean;
  /** Without the character's name. */
  readonly text: string;
  /** Whether it calls the character by name, mention or reply in public: what a bot must do each time to be heard. */
  readonly names: boolean;
}

/** Go on; or stop, `first` for the line that stops the place. */
export type LoopJudgment = { readonly kind: "pass" } | { readonly kind: "loop"; readonly first: boolean };

interface Sender {
  readonly texts: number[];
  readonly answersMs: number[];
  /** Second lines in a row, which nothing but a person's wish prompted. */
  signs: number;
  /** Rounds of this run that no person can have made. */
  sure: number;
  /** Number of the last exchange of this run that was this sender's; 0 when none was. */
  lastExchange: number;
}

interface PlaceTrace {
  readonly senders: PartitionedTable<Sender>;
  /** Who said the last line, if it spoke to a character of ours; null after a line of ours or any other. */
  lastSpeaker: PrincipalId | null;
  spokeAtMs: number;
  /** Whom our last line most likely answered: only that one can have been quicker than a person in answering it. */
  answered: PrincipalId | null;
  lastAddressedAtMs: number;
  /** Rounds of flagged senders since a line that may be a person's. */
  flagged: number;
  /** Rounds that no person can have made; one that may be a person's takes one off. */
  sure: number;
  /** Exchanges since a sure sign of a person. */
  exchanges: number;
  stopped: "no" | "rounds" | "exchanges";
}

/**
 * Ends talks that no person takes part in, in pairs and in rings, and needs no bot flag for it (TR-023, cases A1 to A3).
 *
 * L1  Everything is counted per place, so a ring is no longer than a pair, however many accounts and characters are in it.
 * L2  A round without a person is a line of a flagged sender, or one that came sooner than it can be read and written, in time
 *     with a clock, or word for word as before. More than `rounds` of them, and the place is silent.
 * L3  An exchange is a line that calls the character by name just after somebody spoke. People have them too; but people also say
 *     a second line that nothing prompted, or pause. More than eight times `rounds` exchanges without such a sign, and the place
 *     is silent. Thus slow loops end.
 * L4  A stopped place starts again with a line of somebody who had no part in the loop, or with one that nothing prompted: who
 *     only answers has nothing to answer. A flagged sender never starts it.
 *
 * What it cannot tell: an account that writes on by itself, unprompted, at a person's pace and in new words, or that is heard
 * without a name (direct lines, the composer) at uneven times. The budgets of the day bound those.
 */
export class LoopControl {
  readonly #clock: Clock;
  readonly #places = new PartitionedTable<PlaceTrace>(MAX_PLACES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A part of ours goes out. */
  spoke(place: PlaceId): void {
    const trace = this.#places.get(place);
    if (trace === undefined) return;
    if (trace.lastSpeaker !== null) trace.answered = trace.lastSpeaker;
    trace.lastSpeaker = null;
    trace.spokeAtMs = this.#clock.monotonicMs();
  }

  /** Somebody said a line that speaks to none of ours: what follows may be an answer to it. */
  overheard(place: PlaceId): void {
    const trace = this.#places.get(place);
    if (trace !== undefined) trace.lastSpeaker = null;
  }

  /** Whether nobody who may be a person spoke to a character here since a flagged sender did. */
  isOfBots(place: PlaceId): boolean {
    return (this.#places.get(place)?.flagged ?? 0) > 0;
  }

  /** Judge a line that speaks to a character, and count it. */
  judge(line: LoopLine, rounds: number): LoopJudgment {
    const nowMs = this.#clock.monotonicMs();
    const trace = this.#traceOf(line);
    const known = trace.senders.get(line.person);
    const sender = known ?? newSender();
    trace.senders.set(line.person, sender, line.partition);
    const kind = this.#kindOf(line, trace, sender, nowMs);
    if (nowMs - trace.lastAddressedAtMs > REST_MS && !line.flagged) rest(trace);
    trace.lastSpeaker = line.person;
    trace.lastAddressedAtMs = nowMs;
    if (trace.stopped !== "no") {
      if (!mayStart(kind, trace, sender)) return { kind: "loop", first: false };
      startAgain(kind, trace);
    }
    count(kind, line.names, trace, sender);
    const over = trace.flagged + trace.sure > rounds ? "rounds" : trace.exchanges > rounds * EXCHANGES_PER_ROUND ? "exchanges" : "no";
    trace.stopped = over;
    return over === "no" ? { kind: "pass" } : { kind: "loop", first: true };
  }

  #kindOf(line: LoopLine, trace: PlaceTrace, sender: Sender, nowMs: number): LineKind {
    if (line.flagged) return "flagged";
    const letters = sameness(line.text);
    const repeats = rememberText(sender, letters);
    const afterMs = nowMs - trace.lastAddressedAtMs;
    if (trace.lastSpeaker === line.person) return !repeats && isWrittenOn(afterMs, letters.length) ? "sign" : "unsure";
    if (repeats && letters.length >= LEAST_LETTERS_OF_A_REPEAT) return "sure";
    if (trace.spokeAtMs === Number.NEGATIVE_INFINITY) return "exchange";
    const answeredMs = nowMs - trace.spokeAtMs;
    sender.answersMs.push(answeredMs);
    if (sender.answersMs.length > TIMED_ANSWERS) sender.answersMs.shift();
    const tooQuick = trace.answered === line.person && isSuperhuman(answeredMs, letters.length);
    return tooQuick || isClockwork(sender.answersMs) ? "sure" : "exchange";
  }

  #traceOf(line: LoopLine): PlaceTrace {
    const known = this.#places.get(line.place);
    const trace = known ?? newTrace();
    // A direct line is its person's; a public place is nobody's, and no flood of direct lines pushes it out.
    const partition = line.place.startsWith("public:") ? "named" : line.partition;
    this.#places.set(line.place, trace, partition);
    return trace;
  }
}

/** What a line tells: that surely no person wrote it, that surely one did, or neither. */
type LineKind = "flagged" | "sure" | "exchange" | "unsure" | "sign";

function count(kind: LineKind, names: boolean, trace: PlaceTrace, sender: Sender): void {
  const isPerson = sender.signs >= SIGNS_OF_A_PERSON;
  if (kind === "sign") sender.signs += 1;
  if (kind === "sign" || (kind === "exchange" && isPerson)) return restart(trace);
  if (kind === "flagged") trace.flagged += 1;
  if (kind === "sure") {
    trace.sure += 1;
    sender.sure += 1;
  }
  if (kind === "exchange") relent(trace, sender);
  if (names && !isPerson && (kind === "sure" || kind === "exchange")) sender.lastExchange = trace.exchanges += 1;
}

/** A line that may be a person's takes one sure round off, and ends a run of flagged ones unless its own sender is in doubt. */
function relent(trace: PlaceTrace, sender: Sender): void {
  trace.sure = Math.max(0, trace.sure - 1);
  sender.sure = Math.max(0, sender.sure - 1);
  if (sender.sure === 0) trace.flagged = 0;
}

function mayStart(kind: LineKind, trace: PlaceTrace, sender: Sender): boolean {
  if (kind === "flagged") return false;
  if (kind === "sign") return true;
  if (kind === "sure" || sender.sure > 0) return false;
  return trace.stopped === "rounds" || sender.lastExchange === 0 || sender.lastExchange * 2 < trace.exchanges;
}

/** Somebody who may be a person starts a place again that went silent for its rounds; the exchanges go on counting, since that may be a slow part of the ring. */
function startAgain(kind: LineKind, trace: PlaceTrace): void {
  if (kind === "sign" || trace.stopped === "exchanges") return restart(trace);
  trace.flagged = trace.sure = 0;
  trace.stopped = "no";
}

function restart(trace: PlaceTrace): void {
  trace.flagged = trace.sure = trace.exchanges = 0;
  trace.stopped = "no";
  for (const sender of trace.senders.values()) sender.sure = sender.lastExchange = 0;
}

/** After a pause only what flagged senders did still counts. */
function rest(trace: PlaceTrace): void {
  const { flagged } = trace;
  const stopped = trace.stopped === "rounds" && flagged > 0;
  restart(trace);
  trace.flagged = flagged;
  if (stopped) trace.stopped = "rounds";
}

/** Remember a text of a sender; true when it is among the last ones. */
function rememberText(sender: Sender, letters: string): boolean {
  const hash = hashOf(letters);
  const repeats = sender.texts.includes(hash);
  sender.texts.push(hash);
  if (sender.texts.length > REMEMBERED_TEXTS) sender.texts.shift();
  return repeats;
}

/** FNV-1a, 32 bits: a rare collision makes one line look repeated, and one alone stops nothing. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function newSender(): Sender {
  return { texts: [], answersMs: [], signs: 0, sure: 0, lastExchange: 0 };
}

function newTrace(): PlaceTrace {
  return {
    senders: new PartitionedTable(MAX_SENDERS),
    lastSpeaker: null,
    answered: null,
    spokeAtMs: Number.NEGATIVE_INFINITY,
    lastAddressedAtMs: Number.NEGATIVE_INFINITY,
    flagged: 0,
    sure: 0,
    exchanges: 0,
    stopped: "no",
  };
}
