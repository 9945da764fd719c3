import { isRuntimeError } from "../../foundation/errors.ts";
import type { CharacterId } from "../../vocabulary/ids.ts";
import type { BuiltPacket } from "../../vocabulary/packet.ts";
import type { ActionLabel, Usage, VoiceOutcome, VoiceRecord } from "../../vocabulary/reply.ts";
import type { Turn } from "../../vocabulary/turn.ts";
import type { Voice } from "./voice.ts";

/** What one sandboxed call gives back: words, a label, inert candidates. */
export interface Proposal {
  readonly label: ActionLabel;
  readonly action: string;
  readonly speech: string;
  readonly candidates: number;
  readonly usage: Usage;
  readonly firstTokenMs: number | null;
  /** Who spoke: `host/model` or `understudy`. */
  readonly by: string;
}

const NOTHING_ASKED: VoiceRecord = {
  voice: "responder",
  by: "none",
  packet: null,
  usage: { promptTokens: 0, completionTokens: 0, costMicros: 0 },
  firstTokenMs: null,
  candidates: 0,
};

/**
 * The voice of public places, and of everyone who is not an operator (TR-031): one packet, one call, nothing else reachable.
 * `packetFor` filters before it folds; `respond` sees the packet alone. Once `packetFor` fails with `packet_leak`, the builder is
 * broken: nothing was sent, and that character says nothing more until the next start (SE-093).
 */
export function createResponderVoice(needs: {
  packetFor: (turn: Turn) => BuiltPacket;
  /** Told once when a character's voice is stopped. */
  alarm: (turn: Turn) => void;
  respond: (turn: Turn, packet: BuiltPacket, signal: AbortSignal) => Promise<Proposal>;
}): Voice {
  const stopped = new Set<CharacterId>();
  const packetOf = (turn: Turn): BuiltPacket | null => {
    if (stopped.has(turn.character)) return null;
    try {
      return needs.packetFor(turn);
    } catch (error) {
      if (!isRuntimeError(error, "packet_leak")) throw error;
      stopped.add(turn.character);
      needs.alarm(turn);
      return null;
    }
  };
  return {
    async run(turn, signal): Promise<VoiceOutcome> {
      const built = packetOf(turn);
      if (built === null) return { kind: "refused", reason: "packet_leak", record: NOTHING_ASKED };
      const proposal = await needs.respond(turn, built, signal);
      const record: VoiceRecord = {
        voice: "responder",
        by: proposal.by,
        packet: built.record,
        usage: proposal.usage,
        firstTokenMs: proposal.firstTokenMs,
        candidates: proposal.candidates,
      };
      if (proposal.label === "silence") return { kind: "silence", record };
      const reply = {
        label: proposal.label,
        action: proposal.action,
        speech: proposal.speech,
        influence: built.influence,
        scaffold: built.scaffold,
        canaries: built.canaries,
        visibleText: built.visibleText,
      };
      return { kind: "reply", reply, record };
    },
  };
}
