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

/**
 * The voice of public places, and of everyone who is not an operator (TR-031): one packet, one call, nothing else reachable.
 * `packetFor` filters before it folds; `respond` sees the packet alone.
 */
export function createResponderVoice(needs: {
  packetFor: (turn: Turn) => BuiltPacket;
  respond: (turn: Turn, packet: BuiltPacket, signal: AbortSignal) => Promise<Proposal>;
}): Voice {
  return {
    async run(turn, signal): Promise<VoiceOutcome> {
      const built = needs.packetFor(turn);
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
