import type { Voice } from "../../road/3-turns/voice.ts";
import { voiceRule } from "../../road/3-turns/voice-rule.ts";
import { Origin } from "../../vocabulary/origin.ts";
import type { Turn } from "../../vocabulary/turn.ts";
import type { AgentVoices } from "./agent.ts";
import type { OperatorChat } from "../commands/operator-chat.ts";

/** Who speaks in a turn. */
export interface VoiceChoice {
  voiceOf(turn: Turn): Voice;
  /** Whether it is the agent, whose voice bounds itself. */
  isAgents(turn: Turn): boolean;
}

const REFUSED: Voice = {
  run: () =>
    Promise.resolve({
      kind: "refused",
      reason: "forbidden",
      record: {
        voice: "operation",
        by: "schedule",
        packet: null,
        usage: { promptTokens: 0, completionTokens: 0, costMicros: 0 },
        firstTokenMs: null,
        candidates: 0,
      },
    }),
};

/** Choose by the rule; where there is no agent for whoever may have one, the responder answers, which can do less. */
export function voiceChoice(voices: {
  readonly operation: Voice;
  readonly responder: Voice;
  readonly agents: AgentVoices | undefined;
  readonly operatorChat: OperatorChat | undefined;
}): VoiceChoice {
  const { operation, responder, agents, operatorChat } = voices;
  const agent = agents?.voice(responder) ?? responder;
  const kindOf = (turn: Turn): ReturnType<typeof voiceRule> => voiceRule(turn.class, Origin.factsOf(turn.origin));
  const control = agents?.control();
  const isAgents = (turn: Turn): boolean => kindOf(turn) === "agent" && agents?.serves(turn) === true;
  const schedule = agents?.scheduled();
  const isScheduled = (turn: Turn): boolean => turn.kind === "schedule" || (turn.kind === "resume" && agents?.isScheduled(turn) === true);
  // Whoever is no operator any more has no schedule either (TR-015).
  const scheduled = (turn: Turn): Voice => (kindOf(turn) === "agent" && schedule !== undefined ? schedule : REFUSED);
  return {
    isAgents,
    voiceOf(turn) {
      if (isScheduled(turn)) return scheduled(turn);
      if (turn.class === "control" && operatorChat?.isCommand(turn.trigger.text, turn) === true) return operatorChat.voice;
      if (turn.class === "control" && control !== undefined) return control;
      if (kindOf(turn) === "operation") return operation;
      return isAgents(turn) ? agent : responder;
    },
  };
}
