import type { LinkedSignal } from "../../foundation/cancellation.ts";
import { linkSignals, withDeadline } from "../../foundation/cancellation.ts";
import type { Clock } from "../../foundation/clock.ts";
import { RuntimeError, codeOf } from "../../foundation/errors.ts";
import type { IdSource } from "../../foundation/ids.ts";
import type { Log } from "../../foundation/log.ts";
import { printable } from "../../foundation/printable.ts";
import type { CloseRow, InboxRow, StartResult, StartRow } from "../../store/store.ts";
import type { HeardBefore } from "../../vocabulary/heard-before.ts";
import type { ApprovalId, MessageId, TurnId } from "../../vocabulary/ids.ts";
import { parseApprovalId, parseTurnId } from "../../vocabulary/ids.ts";
import type { VoiceOutcome, VoiceRecord } from "../../vocabulary/reply.ts";
import type { AttentionRequest, DeliveryObservation, SentParts } from "../../vocabulary/delivery-observation.ts";
import { deliveryOutcome } from "../../vocabulary/delivery-observation.ts";
import { OWN_STOP } from "../../vocabulary/person-outcome.ts";
import type { InboxEnd, Turn } from "../../vocabulary/turn.ts";
import type { Admitted } from "../1-admission/admission.ts";
import { RemovedLines } from "./removed-lines.ts";
import type { Delivered, Running, Speaking } from "./speaking.ts";
import type { Voice } from "./voice.ts";

/** Reasons that have a text of their own. */
const SITUATIONS: Readonly<Record<string, NoticeSituation>> = { overflow: "busy", budget_spent: "spent" };
/** Why a turn is told as interrupted whose earlier start was cut off while it changed something. */
const CALL_UNKNOWN = "call_unknown";

type Lines = readonly [Admitted, ...Admitted[]];

/** How a row ended, for whoever watches the road. */
export interface Ended {
  readonly row: InboxRow;
  readonly end: InboxEnd;
  readonly reason: string;
  /** Whether the character's own words went out. */
  readonly words: boolean;
  readonly endedAtMs: number;
}

/** Whoever watches turns: ids, codes and counts only. */
export interface TurnObserver {
  typing(turn: Turn, on: boolean): void;
  /** A turn begins for these rows, with what was said before them; nothing has been asked or answered yet (VS-039). */
  begins(rows: readonly InboxRow[], before: readonly HeardBefore[]): void;
  ended(ended: Ended): void;
  /** Once for each message that was taken up, whatever came of it (MC-062). */
  delivered(observation: DeliveryObservation): void;
  /** After a reply that arrived whole in a public place (MC-063). */
  attention(request: AttentionRequest): void;
  /** A turn waits for the answer of its own person, or of whoever lets its words out (TR-093). */
  asked(approval: ApprovalId, turn: Turn, of: "person" | "keeper"): void;
}

/** What became of a line while it waited: its writer was blocked, its words were erased, or an operator paused the talk there. */
export type GoneBy = "blocked" | "forgotten" | "paused" | "opted_out";

/** When a fixed text of the runtime is due (MC-060). */
export type NoticeSituation = "failed" | "refused" | "busy" | "spent" | "interrupted";

/** What a turn works with. */
export interface TurnNeeds {
  readonly environment: { readonly clock: Clock; readonly ids: IdSource; readonly log: Log; readonly maxAttempts: number };
  readonly ledger: {
    /** Of this start. */
    readonly generation: number;
    start(row: StartRow): Promise<StartResult>;
    close(row: CloseRow): Promise<{ readonly closed: boolean }>;
  };
  readonly voices: { readonly voiceOf: (turn: Turn) => Voice; readonly deadlineMs: (turn: Turn) => number | null };
  readonly speaking: Speaking;
  /** Why a line that waited is not run any more; null for all others. */
  readonly goneBy: (line: Admitted) => GoneBy | null;
  /** Whether what a turn says waits for somebody's yes. */
  readonly holds: (turn: Turn) => boolean;
  /** Whether a turn's person may still be answered now that there is something to say. */
  readonly stillLet: (turn: Turn, signal: AbortSignal) => Promise<boolean>;
  /** What was said in a turn's place before, as its platform has it. */
  readonly before: (turn: Turn, signal: AbortSignal) => Promise<readonly HeardBefore[]>;
  /** The fixed text for a failed or withheld answer; null when this place has had one lately. */
  readonly noticeText: (turn: Turn, situation: NoticeSituation) => string | null;
  readonly observer: TurnObserver;
}

interface Ending {
  readonly end: Exclude<CloseRow["end"], "expired">;
  readonly reason: string;
  readonly record: VoiceRecord | null;
}

type Begun = Omit<Running, "cut">;

const TAKEN_AWAY = new RuntimeError("aborted", "Cannot go on: the line was taken away");

interface Told {
  readonly words: boolean;
  readonly atMs: number;
  readonly sent: SentParts | null;
}

/**
 * Runs one admitted row, with those that belong to its thought, through its voice and hands the words on (TR-001, TR-042).
 *
 * T1  A fresh row thinks at once; a row that an earlier process left waits for its `start` commit (feasibility rule 7).
 * T2  Everything a turn produces is one commit, and nothing is sent before it.
 * T3  A row ends in exactly one end state: by `answer`, by `close`, or, when the process stops first, by the next start.
 */
export class Turns {
  readonly #needs: TurnNeeds;
  /** Turns that run now, by the lines they are for. */
  readonly #cuts = new Map<MessageId, LinkedSignal>();
  readonly #removed = new RemovedLines();

  constructor(needs: TurnNeeds) {
    this.#needs = needs;
  }

  /** Run the lines of one thought to their end, as one turn. `thought` is called when the model is no longer needed. Rejects only when the process is stopping. */
  async run(waited: Lines, thought: () => void, signal: AbortSignal): Promise<void> {
    const lines = await this.#present(waited);
    if (lines === null) return;
    const begun = await this.#begin(lines);
    if (begun === null) return;
    using cut = this.#cuttable(begun, signal);
    const running: Running = { ...begun, cut: cut.signal };
    if (lines[0].refusal !== null) {
      this.#needs.observer.begins([running.row, ...running.absorbed], []);
      return this.#end(running, { end: "refused", reason: lines[0].refusal, record: null }, signal);
    }
    this.#needs.observer.typing(running.turn, true);
    try {
      const outcome = await this.#think(running);
      thought();
      const cut = await this.#whyCut(running, signal);
      if (cut !== null) await this.#cutShort(running, cut);
      else await this.#finish(running, outcome, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      thought();
      const cut = await this.#whyCut(running, signal);
      if (cut !== null) await this.#cutShort(running, cut);
      else await this.#fail(running, error, signal);
    } finally {
      this.#needs.observer.typing(running.turn, false);
    }
  }

  /** A line was taken away where it was said: cut the turn short that runs for it, or will begin for it. False when none runs now. */
  remove(id: MessageId): boolean {
    this.#removed.note(id);
    const running = this.#cuts.get(id);
    running?.abort(TAKEN_AWAY);
    return running !== undefined;
  }

  /** Cut every turn short that runs now. */
  cutAll(): void {
    for (const cut of new Set(this.#cuts.values())) cut.abort(TAKEN_AWAY);
  }

  /** A signal of the turn's own, by which it can be cut short through any of its lines until it is disposed. */
  #cuttable({ row, absorbed }: Begun, signal: AbortSignal): LinkedSignal {
    const cut = linkSignals(signal);
    const ids = [row, ...absorbed].map(({ id }) => id);
    for (const id of ids) this.#cuts.set(id, cut);
    // One that was taken away while the turn began.
    if (ids.some((id) => this.#removed.has(id))) cut.abort(TAKEN_AWAY);
    return {
      signal: cut.signal,
      abort: (reason) => cut.abort(reason),
      [Symbol.dispose]: () => {
        for (const id of ids) this.#cuts.delete(id);
        cut[Symbol.dispose]();
      },
    };
  }

  /** Why nothing is to be said, whatever the turn came to; null when something may. */
  async #whyCut({ turn, cut }: Running, signal: AbortSignal): Promise<"removed" | "not_let" | null> {
    if (cut.aborted) return "removed";
    return (await this.#needs.stillLet(turn, signal)) ? null : "not_let";
  }

  /** End a turn whose line was taken away, or whose person may not be answered any more: nothing is kept or said of it. */
  async #cutShort({ row, turn, absorbed }: Running, reason: "removed" | "not_let"): Promise<void> {
    const { ledger, environment, observer } = this.#needs;
    const ending = { end: "cancelled", reason } as const;
    const atMs = environment.clock.nowMs();
    const { closed } = await ledger.close({ inbox: row.id, turn: turn.id, ...ending, atMs, record: null });
    if (!closed) return this.#fenced(turn.id);
    for (const one of [row, ...absorbed]) observer.ended({ row: one, ...ending, words: false, endedAtMs: atMs });
  }

  /** The lines that may still run; the others end here, before anything of them is shown or asked (TR-015, TR-043). */
  async #present(waited: Lines): Promise<Lines | null> {
    const { ledger, observer, environment, goneBy } = this.#needs;
    const present: Admitted[] = [];
    for (const line of waited) {
      const reason = this.#removed.has(line.row.id) ? "removed" : goneBy(line);
      if (reason === null) {
        present.push(line);
        continue;
      }
      line.release();
      const atMs = environment.clock.nowMs();
      const ending = { end: "cancelled", reason } as const;
      await ledger.close({ inbox: line.row.id, turn: null, ...ending, atMs, record: null });
      observer.ended({ row: line.row, ...ending, words: false, endedAtMs: atMs });
    }
    const [first, ...others] = present;
    return first === undefined ? null : [first, ...others];
  }

  #runningOf([first, ...absorbed]: Lines, id: TurnId): Begun {
    const { row, origin } = first;
    const text = [first, ...absorbed].map((line) => line.row.trigger.text).join("\n");
    const turn: Turn = {
      id,
      kind: row.kind,
      class: row.class,
      character: row.character,
      place: row.place,
      ...(row.heardIn === undefined ? {} : { heardIn: row.heardIn }),
      person: row.person,
      origin,
      trigger: { ...row.trigger, text },
      attempt: first.attempts + 1,
      ...(row.resumed === undefined ? {} : { resumed: row.resumed }),
    };
    return { row, turn, absorbed: absorbed.map((line) => line.row) };
  }

  /** Note the start; null when no row is this turn's to run. */
  async #begin(lines: Lines): Promise<Begun | null> {
    const [first, ...others] = lines;
    const turn = parseTurnId(this.#needs.environment.ids.next("t"));
    const start = this.#start(turn, first, others);
    if (others.length > 0) return this.#joined(lines, turn, await orRelease(start, lines));
    if (first.kept) {
      if ((await orRelease(start, lines)).started) return this.#runningOf(lines, turn);
      first.release();
      return null;
    }
    // Both commits stand before the answer's in the writer's order (V1), whose guard fails if either did not happen.
    this.#watch(first.durable, turn);
    this.#watch(start, turn);
    return this.#runningOf(lines, turn);
  }

  #start(turn: TurnId, first: Admitted, others: readonly Admitted[]): Promise<StartResult> {
    const { clock, maxAttempts } = this.#needs.environment;
    const absorbed = others.map(({ row }) => row.id);
    return this.#needs.ledger.start({
      turn,
      inbox: first.row.id,
      absorbed,
      maxAttempts,
      atMs: clock.nowMs(),
      charges: first.charges,
    });
  }

  /** Which lines a turn of several has is known only with its commit: one may have ended meanwhile, and its words stay out. */
  async #joined(lines: Lines, turn: TurnId, { started, absorbed }: StartResult): Promise<Begun | null> {
    const [first, ...others] = lines;
    for (const line of lines) this.#watch(line.durable, turn);
    const [next, ...rest] = others;
    if (!started) {
      first.release();
      return next === undefined ? null : this.#begin([next, ...rest]);
    }
    const taken = others.filter(({ row }) => absorbed.includes(row.id));
    // One turn is one reply and one call: what was reserved for the others is theirs again, whether they join or have ended.
    for (const line of others) line.release();
    return this.#runningOf([first, ...taken], turn);
  }

  #watch(earlier: Promise<unknown>, turn: TurnId): void {
    earlier.then(
      () => {},
      (error: unknown) => this.#needs.environment.log.failure("turn_start_failed", error, { turn: printable(turn) }),
    );
  }

  async #think({ turn, row, absorbed, cut: signal }: Running): Promise<VoiceOutcome> {
    const { voices, environment } = this.#needs;
    const ms = voices.deadlineMs(turn);
    using deadline = ms === null ? linkSignals(signal) : withDeadline(environment.clock, ms, signal);
    const before = await this.#needs.before(turn, deadline.signal);
    this.#needs.observer.begins([row, ...absorbed], before);
    return await voices.voiceOf(turn).run(before.length === 0 ? turn : { ...turn, before }, deadline.signal);
  }

  async #finish(running: Running, outcome: VoiceOutcome, signal: AbortSignal): Promise<void> {
    switch (outcome.kind) {
      case "reply": {
        if (this.#needs.holds(running.turn)) return this.#hold(running, outcome, signal);
        const delivered = await this.#needs.speaking.reply(running, outcome.reply, outcome.record, signal);
        if (delivered.kind !== "withheld") return this.#ended(running, { end: "answered", reason: "" }, delivered);
        this.#needs.environment.log.write("warn", "reply_withheld", {
          turn: printable(running.turn.id),
          finding: printable(delivered.finding),
        });
        return this.#end(running, { end: "refused", reason: `gate_${delivered.finding}`, record: outcome.record }, signal);
      }
      case "silence":
        return this.#close(running, { end: "silent", reason: "silence", record: outcome.record });
      case "refused":
        return this.#end(running, { end: "refused", reason: outcome.reason, record: outcome.record }, signal);
      case "suspended":
        return this.#suspend(running, outcome, signal);
      case "stopped":
        return this.#close(running, { end: "cancelled", reason: OWN_STOP, record: outcome.record });
      case "interrupted":
        return this.#end(running, { end: "interrupted", reason: CALL_UNKNOWN, record: outcome.record }, signal);
    }
  }

  async #fail(running: Running, error: unknown, signal: AbortSignal): Promise<void> {
    const { log, clock } = this.#needs.environment;
    const reason = codeOf(error);
    log.failure("turn_failed", error, { turn: printable(running.turn.id), message: printable(running.row.id) });
    try {
      await this.#end(running, { end: "failed", reason, record: null }, signal);
    } catch (second) {
      if (signal.aborted) throw second;
      // The store cannot take the end either: the row stays open, and the next start accounts for it (T3).
      log.failure("turn_end_failed", second, { turn: printable(running.turn.id) });
      this.#tell(running, { end: "failed", reason }, { words: false, atMs: clock.nowMs(), sent: null });
    }
  }

  /** End a row without the character's words: with a fixed text where one is due, with none where not (MC-060). */
  async #end(running: Running, ending: Ending & { end: "refused" | "failed" | "interrupted" }, signal: AbortSignal): Promise<void> {
    const text = this.#needs.noticeText(running.turn, SITUATIONS[ending.reason] ?? ending.end);
    if (text === null) return this.#close(running, ending);
    return this.#ended(running, ending, await this.#needs.speaking.notice(running, { ...ending, text }, signal));
  }

  async #close(running: Running, ending: Ending): Promise<void> {
    const { row, turn } = running;
    const atMs = this.#needs.environment.clock.nowMs();
    const { closed } = await this.#needs.ledger.close({ inbox: row.id, turn: turn.id, atMs, ...ending });
    if (!closed) return this.#fenced(turn.id);
    this.#tell(running, ending, { words: false, atMs, sent: null });
  }

  async #ended(running: Running, ending: Pick<Ended, "end" | "reason">, delivered: Delivered): Promise<void> {
    if (delivered.kind !== "sent") return running.cut.aborted ? this.#cutShort(running, "removed") : this.#fenced(running.turn.id);
    const isAnswer = ending.end === "answered";
    const { arrived, sent, endedAtMs } = delivered;
    this.#tell(running, ending, { words: isAnswer && arrived > 0, atMs: endedAtMs, sent: isAnswer ? sent : null });
  }

  /** Each line of a turn ended the same way, and each is told of. */
  #tell({ row, turn, absorbed }: Running, { end, reason }: Pick<Ended, "end" | "reason">, result: Told): void {
    const { character, place, person } = turn;
    const { observer, ledger } = this.#needs;
    const { words, atMs, sent } = result;
    const outcome = deliveryOutcome(end, reason, sent);
    const parts = sent?.delivered ?? 0;
    for (const one of [row, ...absorbed]) {
      observer.ended({ row: one, end, reason, words, endedAtMs: atMs });
      observer.delivered({ trigger: one.id, turn: turn.id, character, place, person, generation: ledger.generation, outcome, parts });
    }
    if (outcome === "success" && parts > 0 && place.kind === "public") observer.attention({ character, place, person });
  }

  /** Put a reply aside until somebody says yes to it (SE-084). */
  async #hold(running: Running, { reply, record }: Extract<VoiceOutcome, { kind: "reply" }>, signal: AbortSignal): Promise<void> {
    const approval = parseApprovalId(this.#needs.environment.ids.next("a"));
    const held = await this.#needs.speaking.hold(running, reply, record, approval);
    if (held.kind === "withheld") return this.#end(running, { end: "refused", reason: `gate_${held.finding}`, record }, signal);
    if (held.kind === "sent") return this.#needs.observer.asked(approval, running.turn, "keeper");
    return running.cut.aborted ? this.#cutShort(running, "removed") : this.#fenced(running.turn.id);
  }

  async #suspend(running: Running, { question, record }: Extract<VoiceOutcome, { kind: "suspended" }>, signal: AbortSignal): Promise<void> {
    const { turn, cut } = running;
    const approval = parseApprovalId(this.#needs.environment.ids.next("a"));
    const asked = await this.#needs.speaking.ask(running, { approval, question, record }, signal);
    // Taken away while it was said: a question that nobody put any more waits for nothing.
    if (cut.aborted && !signal.aborted) await this.#cutShort(running, "removed");
    else if (asked.kind === "sent") this.#needs.observer.asked(approval, turn, "person");
    else this.#fenced(turn.id);
  }

  /** A result that came too late for its row: another start or end was first. Nothing follows from it (MC-099). */
  #fenced(turn: TurnId): void {
    this.#needs.environment.log.write("info", "turn_fenced", { turn: printable(turn) });
  }
}

/** A start that fails begins no call: what its lines had reserved is theirs again (TR-024). */
async function orRelease(start: Promise<StartResult>, lines: Lines): Promise<StartResult> {
  try {
    return await start;
  } catch (error) {
    for (const line of lines) line.release();
    throw error;
  }
}
