import type { AnswerRow, InboxRow } from "../../store/store.ts";
import type { ApprovalId } from "../../vocabulary/ids.ts";
import type { Question, Reply, VoiceRecord } from "../../vocabulary/reply.ts";
import type { SentParts } from "../../vocabulary/delivery-observation.ts";
import type { Turn } from "../../vocabulary/turn.ts";

/** What became of words that were handed to the delivery. */
export type Delivered =
  /** The row has ended; so many parts arrived or may have. */
  | { readonly kind: "sent"; readonly arrived: number; readonly sent: SentParts; readonly endedAtMs: number }
  /** The gate kept the whole reply back; the row is as it was. */
  | { readonly kind: "withheld"; readonly finding: string }
  /** Another start or another end was there first; nothing was sent. */
  | { readonly kind: "fenced" };

/** A row and the turn that runs it. */
export interface Running {
  readonly row: InboxRow;
  /** The rows whose lines are part of the turn too; they end with the first (TR-050). */
  readonly absorbed: readonly InboxRow[];
  readonly turn: Turn;
  /** Aborts when a line of the turn was taken away: then nothing of it is kept or sent, unless that has begun. */
  readonly cut: AbortSignal;
}

/** A question on its way to its person. */
export interface Asked {
  readonly approval: ApprovalId;
  readonly question: Question;
  /** What its turn used so far. */
  readonly record: VoiceRecord;
}

/** The next station, as a turn sees it: one call commits the whole answer and sends it. */
export interface Speaking {
  /** Put a voice's reply through the gate, commit it with the row's end, send its parts. */
  reply(running: Running, reply: Reply, record: VoiceRecord, signal: AbortSignal): Promise<Delivered>;
  /** Put a voice's reply through the gate, and the turn aside until somebody says that these very words may be said. */
  hold(running: Running, reply: Reply, record: VoiceRecord, approval: ApprovalId): Promise<Delivered>;
  /** Put the turn aside with its question, commit that as a line of its own, and send it to the one who is asked (SE-084). */
  ask(running: Running, asked: Asked, signal: AbortSignal): Promise<Delivered>;
  /** Commit a fixed text of the runtime with the row's end, and send it. */
  notice(
    running: Running,
    ending: Pick<AnswerRow, "end" | "reason" | "record"> & { readonly text: string },
    signal: AbortSignal,
  ): Promise<Delivered>;
}
