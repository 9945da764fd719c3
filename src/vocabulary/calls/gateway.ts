import type { AgentMessage, ModelTool, ToolCall } from "./agent-model.ts";
import type { ApprovalAnswer } from "./approval-answer.ts";
import type { AuthorizedAction } from "./authorized-action.ts";
import type { CharacterId, GrantId, MessageId, SessionId, TurnId } from "../ids.ts";
import type { Labels } from "../label.ts";
import type { Origin } from "../origin.ts";
import type { Place } from "../place.ts";
import type { Question } from "../reply.ts";
import type { TextLabel } from "./text-label.ts";
import type { TurnStarter } from "./turn-ceilings.ts";

/** Why a call is denied. */
export const DENY_CODES = [
  "unknown_tool",
  "malformed",
  "not_allowed",
  "no_approver",
  "denied",
  "asks_spent",
  "budget",
  "bits",
  "ceiling",
  "destination",
  "protected",
  "changed",
  "used",
  "repeated",
  "stopped",
  "guardrail",
  "hook",
] as const;
/** One of {@link DENY_CODES}. */
export type DenyCode = (typeof DENY_CODES)[number];

/** What the authority is told of the turn that asks. Nothing of it is what a model wrote. */
export interface CallContext {
  readonly turn: TurnId;
  /** The message that began it all: the same before and after a question, so that bounds of one turn hold across it. */
  readonly root: MessageId;
  readonly session: SessionId;
  readonly character: CharacterId;
  readonly place: Place;
  readonly starter: TurnStarter;
  /** Of the line that made the turn run. */
  readonly origin: Origin;
  /** Of every line that was steered in or joined since. */
  readonly lines: readonly Origin[];
  /** The join of everything in the prompt: history, notes, tool output, memory, persona, context (TR-014). */
  readonly label: TextLabel;
  /** Ids that the turn was given or the operator typed; a destination must be among them. */
  readonly destinations: ReadonlySet<string>;
  /** What a scheduled turn may do; null for every other. */
  readonly grant: GrantId | null;
}

/** Calls of one answer of the model, judged as one. Each call's id is unique within its session: whoever runs the loop sees to it. */
export interface CallBatch extends CallContext {
  readonly calls: readonly ToolCall[];
  /** What the model wrote beside them; shown last on a card, as its words. */
  readonly words: Extract<AgentMessage, { role: "assistant" }>["text"];
  /** What the operator's own hooks say of calls, in their order. They vote first, and like every vote can only tighten (CH-071). */
  readonly hooks?: readonly HookVote[];
}

/** What a hook says of a call. */
export interface HookVote {
  /** The call's id. */
  readonly call: string;
  readonly hook: string;
  readonly verdict: "ask" | "deny";
  readonly reason: string;
  /** The reason is the runtime's fixed text, and no word of the hook is in it. */
  readonly fixed?: true;
}

/** What becomes of one call. */
export type Verdict =
  | { readonly kind: "allow"; readonly call: string; readonly action: AuthorizedAction }
  /** The turn has to suspend with this question and its own state; the answer comes back with the resumed turn. */
  | { readonly kind: "ask"; readonly call: string; readonly question: Omit<Question, "state"> }
  /** `text` is the call's result for the model (CH-078). */
  | { readonly kind: "deny"; readonly call: string; readonly code: DenyCode; readonly text: string };

/** The one door to every effect: what a turn may do is decided here and nowhere else (CH-070, MC-039). */
export interface Gateway {
  /** The tools that this turn's model is told of: none that could only be denied (MC-033). In an order that never changes. */
  tools(context: CallContext): readonly ModelTool[];
  /** Judge calls as one batch: a verdict for each, in their order. Charged and noted in one commit before it resolves. */
  judge(batch: CallBatch, signal: AbortSignal): Promise<readonly Verdict[]>;
  /**
   * Judge a call again whose question was answered, by what holds now (TR-014). An approved one is used up in the store before
   * this resolves: after a kill it is never run again, and its verdict is then a denial with code `used`.
   */
  answered(batch: CallBatch, answer: ApprovalAnswer, signal: AbortSignal): Promise<Verdict>;
  /** Where labels come from. */
  readonly labels: LabelSource;
}

/** Labels by where a text came from (SE-080); nobody sets one otherwise. */
export interface LabelSource {
  /** A line that somebody said in a place. */
  ofLine(origin: Origin, place: Place): TextLabel;
  /** Something the chronicle keeps. */
  ofEvent(labels: Pick<Labels, "audience" | "influence">): TextLabel;
  /** What a tool gave back: everything that went into the call, and the tool itself. */
  ofToolOutput(tool: string, into: TextLabel): TextLabel;
  /** What a hook says into a turn: everything that it heard, and the hook itself (SE-100). */
  ofHook(hook: string, into: TextLabel): TextLabel;
  /** A card, lore or prompt from a file or bundle, by its digest; foreign as long as no operator's endorsement of exactly that stands. */
  ofImport(sha256: string): TextLabel;
  /** The runtime's own words, and those that the operator's configuration holds. */
  ofRuntime(): TextLabel;
  /** A label as it was kept; what cannot be read is foreign and for nobody. */
  read(text: string): TextLabel;
}
