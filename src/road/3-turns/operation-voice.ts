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

/** What answers commands. */
export interface OperationVoiceNeeds {
  /** The name of a turn's command; null where it can no longer be told. */
  readonly nameOf: (turn: Turn) => string | null;
  /** The answer in the runtime's own words; null for a line that holds no command. */
  readonly run: (turn: Turn, signal: AbortSignal) => Promise<string | null>;
}

/** The voice of commands: no model. `run` answers with the runtime's own words. */
export function createOperationVoice({ nameOf, run }: OperationVoiceNeeds): Voice {
  return {
    async run(turn, signal): Promise<VoiceOutcome> {
      const record: VoiceRecord = {
        voice: "operation",
        by: nameOf(turn) ?? "unknown",
        packet: null,
        usage: { promptTokens: 0, completionTokens: 0, costMicros: 0 },
        firstTokenMs: null,
        candidates: 0,
      };
      const speech = await run(turn, signal);
      if (speech === null) return { kind: "refused", reason: "usage", record };
      return {
        kind: "reply",
        reply: { label: "speak", action: "", speech, influence: [turn.person], scaffold: [], canaries: [], visibleText: "" },
        record,
      };
    },
  };
}
