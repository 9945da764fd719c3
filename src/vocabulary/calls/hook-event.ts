import { RuntimeError } from "../../foundation/errors.ts";
import type { AgentMessage, ToolCall } from "./agent-model.ts";
import type { DenyCode } from "./gateway.ts";
import type { CharacterId, MessageId, SessionId, TurnId } from "../ids.ts";
import type { PrincipalId } from "../principal.ts";
import type { ResultStatus } from "./session.ts";
import type { TurnStarter } from "./turn-ceilings.ts";

/** What a turn with tools tells of itself, in the order in which it happens first (CH-087). */
export const HOOK_NAMES = [
  "session_start",
  "before_turn",
  "before_generation",
  "generation_progress",
  "after_generation",
  "before_tool_call",
  "question_asked",
  "after_tool_call",
  "after_turn",
  "session_end",
] as const;
/** One of {@link HOOK_NAMES}. */
export type HookName = (typeof HOOK_NAMES)[number];

/** What every event says. */
export interface HookEventOf {
  readonly session: SessionId;
  readonly character: CharacterId;
  readonly turn: TurnId;
  /** The message that the turn is for. */
  readonly root: MessageId;
  readonly starter: TurnStarter;
  /** Who wrote the turn, where that is nobody of the operators (CH-094). */
  readonly author?: `p:${PrincipalId}`;
}

/** One thing that happened, as a hook hears of it (CH-088…CH-092). It holds words of the conversation: it goes to the operator's own code and nowhere else. */
export type HookEvent = HookEventOf & EventBody;

/** What an event says beside where it happened. */
export type EventBody =
  /** The first turn of a session since the process started. */
  | { readonly hook: "session_start" }
  | { readonly hook: "before_turn" }
  | { readonly hook: "before_generation"; readonly iteration: number; readonly messages: readonly AgentMessage[] }
  /** While the model writes: what is new since the last time. `restarted` once, when a stream broke off and was asked for again. */
  | {
      readonly hook: "generation_progress";
      readonly iteration: number;
      readonly thinking: string;
      readonly text: string;
      readonly thinkingChars: number;
      readonly textChars: number;
      readonly elapsedMs: number;
      readonly restarted: boolean;
    }
  | { readonly hook: "after_generation"; readonly iteration: number; readonly text: string; readonly calls: readonly ToolCall[] }
  /** Before the authority judges it; it has no messages. */
  | { readonly hook: "before_tool_call"; readonly iteration: number; readonly call: ToolCall }
  /** `question` is the frozen question as its card shows it; "" for one about no call. */
  | {
      readonly hook: "question_asked";
      readonly kind: "approval" | "continue";
      readonly text: string;
      readonly call: string | null;
      readonly question: string;
    }
  /** `output` is what the model gets; `result` the tool's own text, never cut; `elapsedMs` is null where it did not run. */
  | {
      readonly hook: "after_tool_call";
      readonly iteration: number;
      readonly call: ToolCall;
      readonly status: ResultStatus;
      readonly output: string;
      readonly result: string;
      readonly elapsedMs: number | null;
      readonly denied: DenyCode | "repeats" | null;
    }
  | { readonly hook: "after_turn"; readonly outcome: "reply" | "suspended" | "refused" | "interrupted" | "stopped" | "failed" }
  | { readonly hook: "session_end" };

/** What a hook wants after it heard something. */
export interface HookAnswer {
  /** Why the call is denied; for `before_tool_call` alone. */
  readonly block: string | null;
  /** What its person is asked: about the call, or whether the turn may go on. */
  readonly ask: string | null;
  /** Words for the operator. */
  readonly notify: readonly string[];
  /** Words into the turn. */
  readonly steer: readonly string[];
  readonly stopTurn: boolean;
  readonly stopGeneration: boolean;
  /** What is shown in place of the reply; for `after_turn` alone. */
  readonly present: string | null;
}

/** A hook that wants nothing. */
export const NO_WISH: HookAnswer = {
  block: null,
  ask: null,
  notify: [],
  steer: [],
  stopTurn: false,
  stopGeneration: false,
  present: null,
};

const MAX_REASON = 300;
const MAX_STEER = 2_000;
const MAX_LIST = 4;
/** Characters that may be shown in place of a reply (CH-096). */
export const MAX_PRESENT = 200_000;

/** Read what a hook gave back for an event. @throws RuntimeError `invalid_argument` for what is no answer, or none to this event. */
export function parseHookAnswer(value: unknown, hook: HookName): HookAnswer {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw refused("it is no object");
  const fields = new Map<string, unknown>(Object.entries(value));
  for (const name of fields.keys()) if (!Object.hasOwn(NO_WISH, name)) throw refused("it has a field that is none");
  const answer: HookAnswer = {
    block: textOrNull(fields.get("block"), MAX_REASON),
    ask: textOrNull(fields.get("ask"), MAX_REASON),
    notify: texts(fields.get("notify"), MAX_REASON),
    steer: texts(fields.get("steer"), MAX_STEER),
    stopTurn: fields.get("stopTurn") === true,
    stopGeneration: fields.get("stopGeneration") === true,
    present: textOrNull(fields.get("present"), MAX_PRESENT),
  };
  if (answer.block !== null && hook !== "before_tool_call") throw refused("only before_tool_call can be blocked");
  if (answer.present !== null && hook !== "after_turn") throw refused("only after_turn can present");
  return answer;
}

function textOrNull(value: unknown, most: number): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "string" || value.length > most) throw refused(`a text in it is none, or has over ${most} characters`);
  const text = value.toWellFormed().replaceAll("\0", "").trim();
  return text === "" ? "no reason was given" : text;
}

function texts(value: unknown, most: number): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > MAX_LIST) throw refused(`it says more than ${MAX_LIST} things at once`);
  return value.map((one: unknown) => textOrNull(one, most) ?? "");
}

function refused(why: string): RuntimeError {
  return new RuntimeError("invalid_argument", `Cannot take a hook's answer: ${why}`);
}
