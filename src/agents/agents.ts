import type { Log } from "../foundation/log.ts";
import type { AgentVoiceNeeds } from "./agent-voice.ts";
import { AgentVoice } from "./agent-voice.ts";
import type { Hooks } from "./hooks/hooks.ts";
import { NO_HOOKS } from "./hooks/hooks.ts";
import { LiveTurns } from "./live-turns.ts";
import type { Tool } from "./tools/tool.ts";
import type { Toolbox } from "./tools/toolbox.ts";
import { createToolbox } from "./tools/toolbox.ts";

/** What works for operators with tools. */
export interface Agents {
  readonly toolbox: Toolbox;
  /** The turns that run now. */
  readonly live: LiveTurns;
  /** The voice of operators' own lines. */
  voice(needs: VoiceNeeds): AgentVoice;
}

/** What the voice needs beside tools. */
export interface VoiceNeeds extends Omit<AgentVoiceNeeds, "toolbox" | "live" | "hooks"> {
  readonly log: Log;
  /** Who hears turns; nobody when left out. */
  readonly hooks?: Hooks;
}

/** Open it over its tools. @throws RuntimeError `invalid_argument`, `capacity` */
export function openAgents({ tools }: { readonly tools: readonly Tool[] }): Agents {
  const toolbox = createToolbox(tools);
  const live = new LiveTurns();
  return {
    toolbox,
    live,
    voice: (needs) => new AgentVoice({ hooks: NO_HOOKS, ...needs, toolbox, live }),
  };
}
