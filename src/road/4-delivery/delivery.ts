import type { Clock } from "../../foundation/clock.ts";
import type { IdSource } from "../../foundation/ids.ts";
import type { AnswerRow } from "../../store/store.ts";
import type { Surface } from "../../surfaces/surface.ts";
import type { ChronicleEvent } from "../../vocabulary/event.ts";
import type { SurfaceName } from "../../vocabulary/ids.ts";
import { parseMessageId } from "../../vocabulary/ids.ts";
import type { Influence, Labels } from "../../vocabulary/label.ts";
import type { Limits } from "../../vocabulary/limits.ts";
import type { Turn } from "../../vocabulary/turn.ts";
import type { Delivered, Running, Speaking } from "../3-turns/speaking.ts";
import type { Gate, SafeReply } from "./gate.ts";
import type { Outbox } from "./outbox.ts";
import { partsOf } from "./parts.ts";

/** What delivery works with. */
export interface DeliveryNeeds {
  readonly environment: { readonly clock: Clock; readonly ids: IdSource; readonly limits: Limits };
  readonly gate: Gate;
  readonly outbox: Outbox;
  readonly surface: (name: SurfaceName) => Surface | undefined;
  readonly answer: (row: AnswerRow) => Promise<{ readonly stored: boolean }>;
  /** Labels of a character's line; a fixed notice (null) is perceived by no character, so it enters no prompt. */
  readonly labelsOfReply: (turn: Turn, influence: readonly Influence[] | null) => Labels;
}

/** How an answer's row ends, beside its words. */
type Ending = Pick<AnswerRow, "end" | "reason" | "record" | "gate"> & { readonly influence: readonly Influence[] | null };

/** Make the last station: gate, split, one commit, then the parts in order (TR-001, TR-042). */
export function createDelivery(needs: DeliveryNeeds): Speaking {
  const { clock, ids, limits } = needs.environment;

  const lineOf = (
    turn: Turn,
    line: { text: string; action: string; influence: readonly Influence[] | null; atMs: number },
  ): ChronicleEvent => ({
    id: parseMessageId(ids.next("m")),
    place: turn.place.id,
    seq: 0,
    atMs: line.atMs,
    author: { kind: "character", character: turn.character },
    text: line.text,
    action: line.action,
    state: "pending",
    turn: turn.id,
    ...needs.labelsOfReply(turn, line.influence),
  });

  /** The floor is held from before the commit until the last part is settled, so that waiting for it can lose nothing (O3). */
  const speak = async (
    { row, turn }: Running,
    reply: SafeReply,
    { influence, ...ending }: Ending,
    signal: AbortSignal,
  ): Promise<Delivered> => {
    using _floor = await needs.outbox.takeFloor(turn, signal);
    const atMs = clock.nowMs();
    const partLimits = needs.surface(turn.place.surface)?.profile.limits ?? { maxBytes: 1_000 };
    const { parts, text, action } = partsOf(
      reply,
      { turn: turn.id, character: turn.character, place: turn.place, createdAtMs: atMs },
      partLimits,
    );
    const event = lineOf(turn, { text, action, influence, atMs });
    const { stored } = await needs.answer({ turn: turn.id, inbox: row.id, atMs, event, parts, ...ending });
    if (!stored) return { kind: "fenced" };
    const { arrived } = await needs.outbox.sendTurn(parts, signal);
    return { kind: "sent", arrived };
  };

  return {
    async reply(running, reply, record, signal) {
      const maxBytes = running.turn.place.kind === "public" ? limits.publicReplyBytes : limits.directReplyBytes;
      const passed = needs.gate.pass(reply, maxBytes);
      if (passed.kind === "withheld") return passed;
      return speak(
        running,
        passed.reply,
        { end: "answered", reason: "", record, gate: passed.changes, influence: reply.influence },
        signal,
      );
    },
    notice: (running, { text, ...ending }, signal) =>
      speak(running, needs.gate.notice(text), { ...ending, gate: [], influence: null }, signal),
  };
}
