import type { ErrorCode } from "../foundation/errors.ts";
import type { Influence } from "./label.ts";

/** What a character may do besides speaking (AE-044). */
export const ACTION_LABELS = [
  "speak",
  "silence",
  "gesture",
  "movement",
  "inspect_object",
  "show_object",
  "withhold_object",
  "transfer_object",
  "set_condition",
  "refuse",
  "wait",
  "withdraw",
  "attack",
] as const;
/** One of {@link ACTION_LABELS}. */
export type ActionLabel = (typeof ACTION_LABELS)[number];

/** What a turn cost. `costMicros` is millionths of the configured currency, null when no price is known. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costMicros: number | null;
}

/** What is remembered of a packet without its words: enough for `why`, nothing to leak. */
export interface PacketRecord {
  /** Keyed hash of the visible inputs. */
  readonly id: string;
  readonly bytes: number;
  /** What it was made of: how many pieces of each kind, in order of first appearance. */
  readonly segments: readonly { readonly kind: string; readonly count: number; readonly bytes: number }[];
  /** How many items of each class the destination may not see; none of them is named. */
  readonly withheld: readonly { readonly class: string; readonly count: number }[];
}

/** How a voice came to what it says, for `why`. */
export interface VoiceRecord {
  readonly voice: "responder" | "operation" | "agent";
  /** `host/model`, `understudy`, or the operation's name. */
  readonly by: string;
  readonly packet: PacketRecord | null;
  readonly usage: Usage;
  /** Milliseconds of the model call to its first token; null where there was none. */
  readonly firstTokenMs: number | null;
  /** Hosts that could not answer before the one that did, with the reason; absent when there was none. */
  readonly skipped?: readonly { readonly by: string; readonly reason: string }[];
  /** How many candidates the model proposed. None is ever applied by a reply (AE-049). */
  readonly candidates: number;
}

/** Words and a gesture for the delivery gate. */
export interface Reply {
  readonly label: ActionLabel;
  readonly action: string;
  readonly speech: string;
  /** Whose words may have shaped it (SE-080): the influence of everything in the prompt. */
  readonly influence: readonly Influence[];
  /** Text of the prompt's own scaffold: the gate looks for echoes of it. Never stored. */
  readonly scaffold: readonly string[];
  /** Fence tokens and other canaries of this prompt (SE-093). Never stored. */
  readonly canaries: readonly string[];
  /** The visible conversation the speaker had, as one text: what stands there is never a finding (SE-093). Never stored. */
  readonly visibleText: string;
}

/** A question that a suspended turn asks a person. */
export interface Question {
  readonly digest: string;
  /** Canonical JSON of the call that waits. */
  readonly call: string;
  /** What it asks, where it asks about no call; a call's card is drawn from the call. */
  readonly text?: string;
  /** What the resumed run needs: canonical JSON. */
  readonly state: string;
  readonly expiresAtMs: number;
}

/** What a voice ends with. It throws a RuntimeError when it fails; the road turns the code into the row's reason. */
export type VoiceOutcome =
  | { readonly kind: "reply"; readonly reply: Reply; readonly record: VoiceRecord }
  | { readonly kind: "silence"; readonly record: VoiceRecord }
  | { readonly kind: "suspended"; readonly question: Question; readonly record: VoiceRecord }
  | { readonly kind: "refused"; readonly reason: ErrorCode; readonly record: VoiceRecord }
  /** Its person stopped it. */
  | { readonly kind: "stopped"; readonly record: VoiceRecord }
  /** An earlier start was cut off while it changed something, and nobody can tell whether that took effect (TR-044). */
  | { readonly kind: "interrupted"; readonly record: VoiceRecord };
