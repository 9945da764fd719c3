import type { VoiceOutcome, VoiceRecord } from "../../vocabulary/reply.ts";
import type { Turn } from "../../vocabulary/turn.ts";
import type { Voice } from "./voice.ts";

/** A command typed in chat, taken apart: its name and what stands behind it. */
export interface ChatCommand {
  readonly name: string;
  readonly rest: string;
}

/** Read a command off the front of a line (`/about`), its character's name already taken off; null when it is none. */
export function parseChatCommand(text: string): ChatCommand | null {
  const match = /^\/([a-z][a-z-]{0,30})(?:\s+([\s\S]*))?$/.exec(text.trim());
  return match === null ? null : { name: match[1] ?? "", rest: match[2] ?? "" };
}

/** The voice of commands: no model. `run` answers with the runtime's own words. */
export function createOperationVoice(needs: {
  run: (turn: Turn, command: ChatCommand, signal: AbortSignal) => Promise<string>;
  commandOf: (turn: Turn) => ChatCommand | null;
}): Voice {
  return {
    async run(turn, signal): Promise<VoiceOutcome> {
      const command = needs.commandOf(turn);
      const record: VoiceRecord = {
        voice: "operation",
        by: command?.name ?? "unknown",
        packet: null,
        usage: { promptTokens: 0, completionTokens: 0, costMicros: 0 },
        firstTokenMs: null,
        candidates: 0,
      };
      if (command === null) return { kind: "refused", reason: "usage", record };
      const speech = await needs.run(turn, command, signal);
      return {
        kind: "reply",
        reply: { label: "speak", action: "", speech, influence: [turn.person], scaffold: [], canaries: [], visibleText: "" },
        record,
      };
    },
  };
}
