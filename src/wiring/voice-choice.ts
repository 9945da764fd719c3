import type { Voice } from "../road/3-turns/voice.ts";
import { voiceRule } from "../road/3-turns/voice-rule.ts";
import { Origin } from "../vocabulary/origin.ts";
import type { Turn } from "../vocabulary/turn.ts";
import type { AgentVoices } from "./agent.ts";

/** Who speaks in a turn. */
export interface VoiceChoice {
  voiceOf(turn: Turn): Voice;
  /** Whether it is the agent, whose voice bounds itself. */
  isAgents(turn: Turn): boolean;
}

/** Choose by the rule; where there is no agent for whoever may have one, the responder answers, which can do less. */
export function voiceChoice(voices: {
  readonly operation: Voice;
  readonly responder: Voice;
  readonly agents: AgentVoices | undefined;
}): VoiceChoice {
  const { operation, responder, agents } = voices;
  const agent = agents?.voice(responder) ?? responder;
  const kindOf = (turn: Turn): ReturnType<typeof voiceRule> => voiceRule(turn.class, Origin.factsOf(turn.origin));
  const control = agents?.control();
  const isAgents = (turn: Turn): boolean => kindOf(turn) === "agent" && agents?.serves(turn) === true;
  return {
    isAgents,
    voiceOf: (turn) =>
      turn.class === "control" && control !== undefined
        ? control
        : kindOf(turn) === "operation"
          ? operation
          : isAgents(turn)
            ? agent
            : responder,
  };
}
