import type { Turn } from "../../vocabulary/turn.ts";
import type { VoiceOutcome } from "../../vocabulary/reply.ts";

/**
 * The one port of all voices: responder, agent, operation. Deadline, budget, gate, parts and receipts stand outside it, once.
 * A voice holds no slot while it is suspended, and throws a RuntimeError when it fails.
 */
export interface Voice {
  run(turn: Turn, signal: AbortSignal): Promise<VoiceOutcome>;
}
