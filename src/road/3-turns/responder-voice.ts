import { RuntimeError, isRuntimeError } from "../../foundation/errors.ts";
import type { CharacterId } from "../../vocabulary/ids.ts";
import type { WindowExceeded } from "../../vocabulary/model.ts";
import type { BuiltPacket } from "../../vocabulary/packet.ts";
import type { ActionLabel, Usage, VoiceOutcome, VoiceRecord } from "../../vocabulary/reply.ts";
import type { Turn } from "../../vocabulary/turn.ts";
import type { Voice } from "./voice.ts";

/** What one sandboxed call gives back: words, a label, inert candidates. */
export interface Proposal {
  readonly kind: "proposal";
  readonly label: ActionLabel;
  readonly action: string;
  readonly speech: string;
  readonly candidates: number;
  readonly usage: Usage;
  readonly firstTokenMs: number | null;
  /** Who spoke: `host/model` or `understudy`. */
  readonly by: string;
  readonly skipped: NonNullable<VoiceRecord["skipped"]>;
}

/** Of a packet that does not fit, so much is built again: half, or what the host's own numbers leave, and a tenth less. */
const SHORTER = 0.5;
const MARGIN = 0.9;

const NOTHING_ASKED: VoiceRecord = {
  voice: "responder",
  by: "none",
  packet: null,
  usage: { promptTokens: 0, completionTokens: 0, costMicros: 0 },
  firstTokenMs: null,
  candidates: 0,
};

/** What the responder's voice stands on. */
export interface ResponderVoiceNeeds {
  /** The packet of a turn, in at most so many bytes; null leaves the bound to the configuration. */
  readonly packetFor: (turn: Turn, maxBytes: number | null) => BuiltPacket;
  /** Told once when a character's voice is stopped. */
  readonly alarm: (turn: Turn) => void;
  /** Told when a packet was longer than the model's window, or its host read less than all of it. */
  readonly tooLong?: (turn: Turn) => void;
  readonly respond: (turn: Turn, packet: BuiltPacket, signal: AbortSignal) => Promise<Proposal | WindowExceeded>;
}

/**
 * The voice of public places, and of everyone who is not an operator (TR-031): one packet, one call, nothing else reachable.
 * `packetFor` filters before it folds; `respond` sees the packet alone. A packet that does not fit into the model's window is built
 * shorter and tried once more. Once `packetFor` fails with `packet_leak`, the builder is broken: nothing was sent, and that
 * character says nothing more until the next start (SE-093).
 */
export function createResponderVoice(needs: ResponderVoiceNeeds): Voice {
  const stopped = new Set<CharacterId>();
  /** Bytes that fitted after one did not; null as long as all fit. */
  let fittingBytes: number | null = null;
  const packetOf = (turn: Turn): BuiltPacket | null => {
    if (stopped.has(turn.character)) return null;
    try {
      return needs.packetFor(turn, fittingBytes);
    } catch (error) {
      if (isRuntimeError(error, "capacity")) throw tooLongToAsk();
      if (!isRuntimeError(error, "packet_leak")) throw error;
      stopped.add(turn.character);
      needs.alarm(turn);
      return null;
    }
  };
  const respond = async (turn: Turn, packet: BuiltPacket, signal: AbortSignal): Promise<Proposal | WindowExceeded> => {
    try {
      return await needs.respond(turn, packet, signal);
    } catch (error) {
      if (isRuntimeError(error, "truncated_by_host")) needs.tooLong?.(turn);
      throw error;
    }
  };
  const answer = async (turn: Turn, signal: AbortSignal): Promise<VoiceOutcome> => {
    let built = packetOf(turn);
    if (built === null) return { kind: "refused", reason: "packet_leak", record: NOTHING_ASKED };
    let proposal = await respond(turn, built, signal);
    if (proposal.kind === "window") {
      needs.tooLong?.(turn);
      fittingBytes = shorter(built, proposal);
      built = packetOf(turn);
      if (built === null) return { kind: "refused", reason: "packet_leak", record: NOTHING_ASKED };
      proposal = await respond(turn, built, signal);
    }
    if (proposal.kind === "window") throw tooLongToAsk();
    return outcomeOf(built, proposal);
  };
  return {
    async run(turn, signal): Promise<VoiceOutcome> {
      try {
        return await answer(turn, signal);
      } catch (error) {
        // Nothing was sent for want of money: no failure, and the person is told so.
        if (isRuntimeError(error, "budget_spent")) return { kind: "refused", reason: "budget_spent", record: NOTHING_ASKED };
        throw error;
      }
    },
  };
}

function tooLongToAsk(): RuntimeError {
  return new RuntimeError("model_window", "Cannot get an answer: the question does not fit into the model's window, also made shorter");
}

/** The bytes of the next try, by what the host counted where it did. */
function shorter({ record, maxOutputTokens }: BuiltPacket, { promptTokens, windowTokens }: WindowExceeded): number {
  const room = windowTokens === null ? 0 : windowTokens - maxOutputTokens;
  const share = promptTokens === null || promptTokens === 0 || room <= 0 ? SHORTER : Math.min(MARGIN, (room / promptTokens) * MARGIN);
  return Math.floor(record.bytes * share);
}

function outcomeOf(built: BuiltPacket, proposal: Proposal): VoiceOutcome {
  const record: VoiceRecord = {
    voice: "responder",
    by: proposal.by,
    packet: built.record,
    usage: proposal.usage,
    firstTokenMs: proposal.firstTokenMs,
    candidates: proposal.candidates,
    ...(proposal.skipped.length === 0 ? {} : { skipped: proposal.skipped }),
  };
  if (proposal.label === "silence") return { kind: "silence", record };
  const reply = {
    label: proposal.label,
    action: proposal.action,
    speech: proposal.speech,
    influence: built.influence,
    scaffold: built.scaffold,
    canaries: built.canaries,
    // Made only where the gate finds something to compare with it.
    get visibleText() {
      return built.visibleText;
    },
  };
  return { kind: "reply", reply, record };
}
