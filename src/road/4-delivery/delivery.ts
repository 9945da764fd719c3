import type { Clock } from "../../foundation/clock.ts";
import type { IdSource } from "../../foundation/ids.ts";
import type { AnswerRow, SuspendRow } from "../../store/store.ts";
import type { Surface } from "../../surfaces/surface.ts";
import type { ChronicleEvent } from "../../vocabulary/event.ts";
import type { ApprovalId, SurfaceName } from "../../vocabulary/ids.ts";
import { parseMessageId } from "../../vocabulary/ids.ts";
import { codeLine, withCode } from "../../vocabulary/calls/answer-code.ts";
import { askMessage, hiddenAsk, questionText } from "../../vocabulary/calls/ask-card.ts";
import { parseAsk } from "../../vocabulary/calls/ask.ts";
import type { Influence, Labels } from "../../vocabulary/label.ts";
import { LOCAL_OWNER } from "../../vocabulary/principal.ts";
import type { Question, Reply } from "../../vocabulary/reply.ts";
import type { Limits } from "../../vocabulary/limits.ts";
import type { Turn } from "../../vocabulary/turn.ts";
import type { Asked, Delivered, Running, Speaking } from "../3-turns/speaking.ts";
import type { Disclosing, Due } from "./disclosing.ts";
import type { Gate, GateResult } from "./gate.ts";
import { SafeReply } from "./gate.ts";
import { heldIn, heldQuestion } from "../3-turns/held-reply.ts";
import type { Outbox } from "./outbox.ts";
import type { PartFrame } from "./parts.ts";
import { partsOf } from "./parts.ts";

/** What delivery works with. */
export interface DeliveryNeeds {
  readonly environment: { readonly clock: Clock; readonly ids: IdSource; readonly limits: Limits };
  /** Of this start. */
  readonly generation: number;
  readonly gate: Gate;
  readonly disclosing: Disclosing;
  readonly outbox: Outbox;
  readonly surface: (name: SurfaceName) => Surface | undefined;
  readonly answer: (row: AnswerRow) => Promise<{ readonly stored: boolean }>;
  readonly suspend: (row: SuspendRow) => Promise<{ readonly suspended: boolean }>;
  readonly numberQuestion: () => Promise<{ readonly number: number }>;
  /** The code that alone allows a question, and what is kept of it; null on lines whose writer is vouched for (SE-081). */
  readonly codeFor: (
    question: { readonly approval: ApprovalId; readonly digest: string },
    asked: Turn["origin"],
  ) => { readonly code: string; readonly kept: NonNullable<SuspendRow["code"]> } | null;
  /** Labels of a character's line; a fixed notice (null) is perceived by no character, so it enters no prompt. */
  readonly labelsOfReply: (turn: Turn, influence: readonly Influence[] | null) => Labels;
}

/** How an answer's row ends, beside its words. */
type Ending = Pick<AnswerRow, "end" | "reason" | "record" | "gate"> & {
  readonly influence: readonly Influence[] | null;
  readonly disclosure: Due;
};

const NOTHING_SENT = { count: 0, delivered: 0, late: false } as const;

/** Whether the gate lets the very words through that were confirmed. */
function isAsConfirmed(gated: SafeReply, { speech, action }: Reply): boolean {
  const now = SafeReply.contentOf(gated);
  return now.speech === speech && now.action === action;
}

/** Make the last station: gate, split, one commit, then the parts in order (TR-001, TR-042). */
export function createDelivery(needs: DeliveryNeeds): Speaking {
  const { clock } = needs.environment;

  /** The floor is held from before the commit until the last part is settled, so that waiting for it can lose nothing (O3). */
  const speak = async (
    { row, turn, cut }: Running,
    reply: SafeReply,
    { influence, disclosure, ...ending }: Ending,
    signal: AbortSignal,
  ): Promise<Delivered> => {
    using _floor = await needs.outbox.takeFloor(turn, signal);
    // The line may have been taken away while others spoke; once more, just before each part leaves.
    if (cut.aborted) return { kind: "fenced" };
    const atMs = clock.nowMs();
    const partLimits = needs.surface(turn.place.surface)?.profile.limits ?? { maxBytes: 1_000 };
    const { parts, text, action } = partsOf(
      reply,
      frameOf(turn, { generation: needs.generation, atMs }),
      partLimits,
      disclosure.line === null ? null : needs.gate.notice(disclosure.line, turn.place),
    );
    const event = lineOf(needs, turn, { text, action, influence, atMs });
    const { stored } = await needs.answer({
      turn: turn.id,
      inbox: row.id,
      atMs,
      event,
      parts,
      ...ending,
      tells: disclosure.due ? turn.person : null,
    });
    if (!stored) return { kind: "fenced" };
    const { arrived, settledAtMs, ...sent } = await needs.outbox.sendTurn(parts, signal, cut);
    return { kind: "sent", arrived, sent, endedAtMs: settledAtMs };
  };

  return {
    async reply(running, reply, record, signal) {
      const { disclosure, ...gated } = gatedReply(needs, running, reply);
      if (gated.kind === "withheld") return gated;
      if (heldIn(running.turn) !== null && !isAsConfirmed(gated.reply, reply)) return { kind: "withheld", finding: "changed" };
      return speak(
        running,
        gated.reply,
        { end: "answered", reason: "", record, gate: gated.changes, influence: reply.influence, disclosure },
        signal,
      );
    },
    hold: (running, reply, record, approval) => holdReply(needs, running, { reply, by: record.by, approval }),
    ask: (running, asked, signal) => askPerson(needs, running, asked, signal),
    notice(running, { text, ...ending }, signal) {
      const disclosure = needs.disclosing.dueWith(text, running.turn);
      return speak(running, needs.gate.notice(text, running.turn.place), { ...ending, gate: [], influence: null, disclosure }, signal);
    },
  };
}

/** What the gate lets through of a reply, with the disclosure that is due. */
function gatedReply(needs: DeliveryNeeds, { turn }: Running, reply: Reply): GateResult & { readonly disclosure: Due } {
  const { limits } = needs.environment;
  const disclosure = needs.disclosing.dueWith(reply.speech, turn);
  const maxBytes = turn.place.kind === "public" ? limits.publicReplyBytes : limits.directReplyBytes;
  const room = maxBytes - Buffer.byteLength(`\n${disclosure.line ?? ""}`);
  return { ...needs.gate.pass(reply, { place: turn.place, maxBytes: room }), disclosure };
}

/** Put a turn aside until somebody says yes to the very words that the gate let through (SE-084). */
async function holdReply(
  needs: DeliveryNeeds,
  running: Running,
  { reply, by, approval }: { readonly reply: Reply; readonly by: string; readonly approval: ApprovalId },
): Promise<Delivered> {
  const gated = gatedReply(needs, running, reply);
  if (gated.kind === "withheld") return gated;
  const { row, turn, cut } = running;
  if (cut.aborted) return { kind: "fenced" };
  const { speech, action } = SafeReply.contentOf(gated.reply);
  const atMs = needs.environment.clock.nowMs();
  const question = heldQuestion(turn, { speech, action, label: reply.label, influence: reply.influence, by }, atMs);
  const { suspended } = await needs.suspend({ turn: turn.id, inbox: row.id, approval, question, person: LOCAL_OWNER, atMs });
  return suspended ? { kind: "sent", arrived: 0, sent: NOTHING_SENT, endedAtMs: atMs } : { kind: "fenced" };
}

/** Say a question on its turn's own line; one that may not be shown there is only announced (SE-084). */
async function askPerson(
  needs: DeliveryNeeds,
  { row, turn, cut }: Running,
  { approval, question, record }: Asked,
  signal: AbortSignal,
): Promise<Delivered> {
  const { number } = await needs.numberQuestion();
  using _floor = await needs.outbox.takeFloor(turn, signal);
  if (cut.aborted) return { kind: "fenced" };
  const atMs = needs.environment.clock.nowMs();
  const issued = parseAsk(question.call) === null ? null : needs.codeFor({ approval, digest: question.digest }, turn.origin);
  const coded = issued === null ? {} : { code: issued.kept };
  const suspending = { turn: turn.id, inbox: row.id, approval, question, person: turn.person, atMs, number, record, ...coded };
  const card = cardOf(needs, turn, { question, number, atMs, coded: issued !== null });
  const { suspended } = await needs.suspend(card === null ? suspending : { ...suspending, card });
  if (!suspended) return { kind: "fenced" };
  if (card === null) return { kind: "sent", arrived: 0, sent: NOTHING_SENT, endedAtMs: atMs };
  // The code is in what leaves, and in nothing that is kept.
  const parts = issued === null ? card.parts : card.parts.map((part) => ({ ...part, body: withCode(part.body, number, issued.code) }));
  const { arrived, settledAtMs, ...sent } = await needs.outbox.sendTurn(parts, signal, cut);
  return { kind: "sent", arrived, sent, endedAtMs: settledAtMs };
}

/** The line that says a question, with its parts; null in public, where nobody is asked anything. */
function cardOf(
  needs: DeliveryNeeds,
  turn: Turn,
  {
    question,
    number,
    atMs,
    coded,
  }: { readonly question: Question; readonly number: number; readonly atMs: number; readonly coded: boolean },
): NonNullable<SuspendRow["card"]> | null {
  if (turn.place.kind === "public") return null;
  const ask = parseAsk(question.call);
  const frame = { number, expiresAtMs: question.expiresAtMs };
  const asked = ask === null ? questionText(question.text ?? "", frame) : askMessage(ask, frame);
  const said = coded ? `${codeLine(number)}\n${asked}` : asked;
  const safe = needs.gate.card(said, turn.place) ?? needs.gate.notice(hiddenAsk(number), turn.place);
  const limits = needs.surface(turn.place.surface)?.profile.limits ?? { maxBytes: 1_000 };
  const { parts, text, action } = partsOf(safe, frameOf(turn, { generation: needs.generation, atMs }), limits);
  // No character perceives it, as no notice; whose words it holds stands in its label all the same, so that they can be erased.
  const line = lineOf(needs, turn, { text, action, influence: null, atMs });
  return { event: { ...line, influence: ask === null ? [turn.person] : ask.influence }, parts };
}

/** What all parts of a turn carry (MC-061). */
function frameOf(turn: Turn, { generation, atMs }: { generation: number; atMs: number }): PartFrame {
  const { id, character, place, trigger } = turn;
  const answers = { message: trigger.id, deliveryId: trigger.deliveryId };
  return { turn: id, character, place, answers, generation, createdAtMs: atMs };
}

/** The character's line as the chronicle keeps it. */
function lineOf(
  needs: DeliveryNeeds,
  turn: Turn,
  line: { text: string; action: string; influence: readonly Influence[] | null; atMs: number },
): ChronicleEvent {
  return {
    id: parseMessageId(needs.environment.ids.next("m")),
    place: turn.place.id,
    seq: 0,
    atMs: line.atMs,
    author: { kind: "character", character: turn.character },
    text: line.text,
    action: line.action,
    state: "pending",
    turn: turn.id,
    ...needs.labelsOfReply(turn, line.influence),
  };
}
