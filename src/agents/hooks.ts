import type { Log } from "../foundation/log.ts";
import type { ToolCall } from "../vocabulary/agent-model.ts";
import type { DenyCode } from "../vocabulary/gateway.ts";
import type { CharacterId, MessageId, SessionId, TurnId } from "../vocabulary/ids.ts";
import type { ResultStatus } from "../vocabulary/session.ts";

interface Of {
  readonly session: SessionId;
  readonly character: CharacterId;
  readonly turn: TurnId;
  /** The message that the turn is for. */
  readonly root: MessageId;
}

/** What a turn with tools tells of itself while it runs (CH-088…CH-092). */
export type AgentEvent = Of &
  (
    | { readonly hook: "before_turn" }
    | { readonly hook: "before_generation"; readonly iteration: number; readonly messages: number }
    | { readonly hook: "after_generation"; readonly iteration: number; readonly text: string; readonly calls: readonly ToolCall[] }
    /** Before the authority judges it; it has no messages. Whoever blocks it gives a reason. */
    | { readonly hook: "before_tool_call"; readonly iteration: number; readonly call: ToolCall }
    | { readonly hook: "question_asked"; readonly kind: "approval" | "continue"; readonly text: string; readonly call: string | null }
    /** `output` is what the model gets; `result` the tool's own text, never cut; `elapsedMs` is null where it did not run. */
    | {
        readonly hook: "after_tool_call";
        readonly iteration: number;
        readonly call: ToolCall;
        readonly status: ResultStatus;
        readonly output: string;
        readonly result: string;
        readonly elapsedMs: number | null;
        readonly denied: DenyCode | "hook" | "repeats" | null;
      }
    | { readonly hook: "after_turn"; readonly outcome: "reply" | "suspended" | "refused" | "interrupted" | "stopped" | "failed" }
    | { readonly hook: "session_end" }
  );

/** Somebody who listens. To `before_tool_call` it may answer with the reason for which the call is denied; nothing else is looked at. */
export type AgentHook = (event: AgentEvent) => { readonly block: string } | null;

/** Fires events at whoever listens, in the order in which they were added. */
export interface Hooks {
  /** Give the first reason to block, if any. A listener that throws never breaks the turn; one that throws over a call denies it. */
  fire(event: AgentEvent): string | null;
}

/** Make hooks of listeners (CH-096). */
export function createHooks(listeners: readonly AgentHook[], log: Pick<Log, "failure">): Hooks {
  return {
    fire(event) {
      const frozen = Object.freeze({ ...event });
      let blocked: string | null = null;
      for (const listener of listeners) {
        try {
          const answer = listener(frozen);
          blocked ??= answer?.block ?? null;
        } catch (error) {
          log.failure("hook_failed", error);
          // Nobody can tell what it would have said of this call.
          if (event.hook === "before_tool_call") blocked ??= "a check of this call failed";
        }
      }
      return event.hook === "before_tool_call" ? blocked : null;
    },
  };
}
