import type { OutcomeChange } from "../vocabulary/outcome.ts";
import type { PacketRecord, VoiceRecord } from "../vocabulary/reply.ts";
import type { ExplanationView, OperatorWhyView, TurnView } from "../surfaces/room/protocol.ts";

/** A message's explanation as the store keeps it: ids, codes and counts, no text. */
export interface KeptExplanation {
  readonly decision: {
    readonly id: string;
    readonly atMs: number;
    readonly surface: string;
    readonly place: string;
    readonly person: string;
    readonly character: string | null;
    readonly outcome: "admitted" | "suppressed";
    readonly reason: string | null;
    readonly gate: string;
    readonly rule: string;
    readonly key: string;
    readonly class: string | null;
  };
  readonly count: number;
  readonly end: string | null;
  readonly endReason: string | null;
  readonly inboxState: ExplanationView["state"];
  readonly attempts: number;
  readonly turn: {
    readonly id: string;
    readonly startedAtMs: number;
    readonly endedAtMs: number | null;
    readonly record: VoiceRecord | null;
    readonly packet: PacketRecord | null;
    readonly gate: TurnView["gate"];
  } | null;
  readonly parts: ExplanationView["parts"];
}

/** What became of a message, both faces of it: the sender's word, and what only operators read (SE-094). */
export interface Explained {
  readonly outcome: Pick<OutcomeChange, "outcome" | "tookMs" | "words">;
  readonly explanation: KeptExplanation;
}

/** Lay an explanation out for the operator's page. */
export function toOperatorWhy({ outcome, explanation }: Explained): OperatorWhyView {
  const { decision, count, end, endReason, inboxState, attempts, turn, parts } = explanation;
  const { id, atMs, surface, place, person, character, outcome: admission, reason, gate, rule, key } = decision;
  return {
    lineId: id,
    outcome: outcome.outcome,
    tookMs: outcome.tookMs,
    words: outcome.words,
    command: `troupe why ${id}`,
    explanation: {
      atMs,
      surface,
      place,
      person,
      character,
      admission,
      reason,
      gate,
      rule,
      key,
      class: decision.class,
      count,
      state: inboxState,
      end,
      endReason,
      attempts,
      turn: turn === null ? null : toTurnView(turn),
      // Field by field: a body that the store still keeps must not leave with its part.
      parts: parts.map((part) => ({ id: part.id, state: part.state, reason: part.reason, settledAtMs: part.settledAtMs })),
    },
  };
}

function toTurnView(turn: NonNullable<KeptExplanation["turn"]>): TurnView {
  const { id, startedAtMs, endedAtMs, record, gate } = turn;
  return { id, startedAtMs, endedAtMs, gate, ...toVoiceView(record), packet: toPacketView(record?.packet ?? turn.packet) };
}

function toVoiceView(record: VoiceRecord | null): Pick<TurnView, "voice" | "by" | "firstTokenMs" | "skipped" | "usage" | "candidates"> {
  if (record === null) return { voice: null, by: null, firstTokenMs: null, skipped: [], usage: null, candidates: 0 };
  const { voice, by, firstTokenMs, skipped = [], usage, candidates } = record;
  return { voice, by, firstTokenMs, skipped, usage, candidates };
}

function toPacketView(packet: PacketRecord | null): TurnView["packet"] {
  return packet === null ? null : { id: packet.id, bytes: packet.bytes, segments: packet.segments, withheld: packet.withheld };
}
