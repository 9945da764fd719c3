import { withDeadline } from "../../foundation/cancellation.ts";
import type { Clock } from "../../foundation/clock.ts";
import { codeOf } from "../../foundation/errors.ts";
import type { IdSource } from "../../foundation/ids.ts";
import type { Log } from "../../foundation/log.ts";
import { printable } from "../../foundation/printable.ts";
import type { CloseRow, InboxRow, StartRow, SuspendRow } from "../../store/store.ts";
import type { TurnId } from "../../vocabulary/ids.ts";
import { parseApprovalId, parseTurnId } from "../../vocabulary/ids.ts";
import type { Question, VoiceOutcome, VoiceRecord } from "../../vocabulary/reply.ts";
import type { InboxEnd, Turn } from "../../vocabulary/turn.ts";
import type { Admitted } from "../1-admission/admission.ts";
import type { Delivered, Running, Speaking } from "./speaking.ts";
import type { Voice } from "./voice.ts";

/** How a row ended, for whoever watches the road. */
export interface Ended {
  readonly row: InboxRow;
  readonly end: InboxEnd;
  readonly reason: string;
  /** Whether the character's own words went out. */
  readonly words: boolean;
  readonly endedAtMs: number;
}

/** What a turn works with. */
export interface TurnNeeds {
  readonly environment: { readonly clock: Clock; readonly ids: IdSource; readonly log: Log; readonly maxAttempts: number };
  readonly ledger: {
    start(row: StartRow): Promise<{ readonly started: boolean }>;
    close(row: CloseRow): Promise<{ readonly closed: boolean }>;
    suspend(row: SuspendRow): Promise<{ readonly suspended: boolean }>;
  };
  readonly voices: { readonly voiceOf: (turn: Turn) => Voice; readonly deadlineMs: () => number };
  readonly speaking: Speaking;
  /** The fixed text for a failed or withheld answer; null when this place has had one lately. */
  readonly noticeText: (turn: Turn, end: "failed" | "refused") => string | null;
  readonly observer: { typing(turn: Turn, on: boolean): void; ended(ended: Ended): void };
}

interface Ending {
  readonly end: Exclude<CloseRow["end"], "cancelled" | "interrupted" | "expired">;
  readonly reason: string;
  readonly record: VoiceRecord | null;
}

/**
 * Runs one admitted row through its voice and hands the words on (TR-001, TR-042).
 *
 * T1  A fresh row thinks at once; a row that an earlier process left waits for its `start` commit (feasibility rule 7).
 * T2  Everything a turn produces is one commit, and nothing is sent before it.
 * T3  A row ends in exactly one end state: by `answer`, by `close`, or, when the process stops first, by the next start.
 */
export class Turns {
  readonly #needs: TurnNeeds;

  constructor(needs: TurnNeeds) {
    this.#needs = needs;
  }

  /** Run a row to its end. `thought` is called when the model is no longer needed. Rejects only when the process is stopping. */
  async run(admitted: Admitted, thought: () => void, signal: AbortSignal): Promise<void> {
    const running: Running = { row: admitted.row, turn: this.#turnOf(admitted) };
    if (!(await this.#begin(admitted, running.turn))) return;
    this.#needs.observer.typing(running.turn, true);
    try {
      const outcome = await this.#think(running.turn, signal);
      thought();
      await this.#finish(running, outcome, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      thought();
      await this.#fail(running, error, signal);
    } finally {
      this.#needs.observer.typing(running.turn, false);
    }
  }

  #turnOf(admitted: Admitted): Turn {
    const { row, origin } = admitted;
    return {
      id: parseTurnId(this.#needs.environment.ids.next("t")),
      kind: row.kind,
      class: row.class,
      character: row.character,
      place: row.place,
      person: row.person,
      origin,
      trigger: row.trigger,
      attempt: admitted.attempts + 1,
      ...(row.resumed === undefined ? {} : { resumed: row.resumed }),
    };
  }

  /** Note the start; `false` when the row is not this turn's to run. */
  async #begin(admitted: Admitted, turn: Turn): Promise<boolean> {
    const { clock, log, maxAttempts } = this.#needs.environment;
    const start = this.#needs.ledger.start({
      turn: turn.id,
      inbox: admitted.row.id,
      absorbed: [],
      maxAttempts,
      atMs: clock.nowMs(),
      charges: admitted.charges,
    });
    if (admitted.kept) return (await start).started;
    // Both commits stand before the answer's in the writer's order (V1), whose guard fails if either did not happen.
    for (const earlier of [admitted.durable, start]) {
      earlier.then(
        () => {},
        (error: unknown) => log.failure("turn_start_failed", error, { turn: printable(turn.id) }),
      );
    }
    return true;
  }

  async #think(turn: Turn, signal: AbortSignal): Promise<VoiceOutcome> {
    const { voices, environment } = this.#needs;
    using deadline = withDeadline(environment.clock, voices.deadlineMs(), signal);
    return await voices.voiceOf(turn).run(turn, deadline.signal);
  }

  async #finish(running: Running, outcome: VoiceOutcome, signal: AbortSignal): Promise<void> {
    switch (outcome.kind) {
      case "reply": {
        const delivered = await this.#needs.speaking.reply(running, outcome.reply, outcome.record, signal);
        if (delivered.kind !== "withheld") return this.#ended(running, { end: "answered", reason: "", record: outcome.record }, delivered);
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
        return this.#suspend(running, outcome.question);
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
      this.#needs.observer.ended({ row: running.row, end: "failed", reason, words: false, endedAtMs: clock.nowMs() });
    }
  }

  /** End a row without the character's words: with a fixed text where one is due, with none where not (MC-060). */
  async #end(running: Running, ending: Ending & { end: "refused" | "failed" }, signal: AbortSignal): Promise<void> {
    const text = this.#needs.noticeText(running.turn, ending.end);
    if (text === null) return this.#close(running, ending);
    return this.#ended(running, ending, await this.#needs.speaking.notice(running, { ...ending, text }, signal));
  }

  async #close(running: Running, ending: Ending): Promise<void> {
    const { row, turn } = running;
    const atMs = this.#needs.environment.clock.nowMs();
    const { closed } = await this.#needs.ledger.close({ inbox: row.id, turn: turn.id, atMs, ...ending });
    if (!closed) return this.#fenced(turn.id);
    this.#needs.observer.ended({ row, end: ending.end, reason: ending.reason, words: false, endedAtMs: atMs });
  }

  #ended({ row, turn }: Running, ending: { end: InboxEnd; reason: string; record: VoiceRecord | null }, delivered: Delivered): void {
    if (delivered.kind !== "sent") return this.#fenced(turn.id);
    const words = ending.end === "answered" && delivered.arrived > 0;
    this.#needs.observer.ended({ row, end: ending.end, reason: ending.reason, words, endedAtMs: this.#needs.environment.clock.nowMs() });
  }

  async #suspend({ row, turn }: Running, question: Question): Promise<void> {
    const { ids, clock } = this.#needs.environment;
    const approval = parseApprovalId(ids.next("a"));
    const { suspended } = await this.#needs.ledger.suspend({
      turn: turn.id,
      inbox: row.id,
      approval,
      question,
      person: turn.person,
      atMs: clock.nowMs(),
    });
    if (!suspended) this.#fenced(turn.id);
  }

  /** A result that came too late for its row: another start or another end was there first. Nothing follows from it (MC-099). */
  #fenced(turn: TurnId): void {
    this.#needs.environment.log.write("info", "turn_fenced", { turn: printable(turn) });
  }
}
