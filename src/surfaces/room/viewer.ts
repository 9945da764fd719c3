import type { Assurance, PrincipalId } from "../../vocabulary/principal.ts";
import type { OperatorView, ViewerRole } from "./protocol.ts";

/**
 * Who reads a page and speaks through it, as the listener's code knows it: a guest of the room (`anonymous`), or the owner in
 * the console (`local`). Nothing a page sends can change it (SE-081).
 */
export interface Viewer {
  readonly principal: PrincipalId;
  readonly name: string;
  readonly role: ViewerRole;
  readonly assurance: Assurance;
  /** When the stay of an invited guest ends; null for everyone else. */
  readonly untilMs: number | null;
  /** What only an operator's page gets; the console brings it, so that a guest's handlers never hold it. Null for guests. */
  readonly operator: OperatorFacts | null;
  /** Called while a stream is open, so that an open page is no idle one; also looks whether the stay has ended. */
  readonly keep: (signal: AbortSignal) => Promise<Stay>;
}

/** Whether somebody may still be here: an invite's end is told by name, any other end is not. */
export type Stay = "stays" | "expired" | "revoked" | "ended";

/** Facts that the console adds to its own pages. */
export interface OperatorFacts {
  readonly view: OperatorView;
  /** `host/model` and its last time to the first token; null while none is configured. */
  readonly model: { readonly model: string; readonly firstTokenMs: number | null } | null;
}
