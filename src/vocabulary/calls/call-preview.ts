import type { ToolCall } from "./agent-model.ts";
import type { AskScope } from "./tool-definition.ts";

/** A call that somebody wants to know about. */
export interface CallWish {
  readonly call: Pick<ToolCall, "name" | "arguments">;
  /** As if somebody else's words were in the turn. */
  readonly others: boolean;
}

/** What would become of a call, and why. */
export interface CallPreview {
  readonly verdict: "allow" | "ask" | "deny";
  /** The rule that decides. */
  readonly rule: string;
  /** Its author's words; null for rules of the code. */
  readonly reason: string | null;
  /** What its card would offer. */
  readonly scopes: readonly AskScope[];
  /** Every vote, in the order in which they name themselves. */
  readonly votes: readonly { readonly verdict: "ask" | "deny"; readonly rule: string }[];
  /** The frozen call; null for what is none. */
  readonly bytes: string | null;
  /** What the model would be told of a denial. */
  readonly text: string | null;
}
