import type { CharacterId, MessageId, SurfaceName, TurnId } from "./ids.ts";
import type { Labels } from "./label.ts";
import type { PlaceId } from "./place.ts";
import type { PrincipalId } from "./principal.ts";

/** Who did it: a person, or a character by name. */
export type Author =
  | { readonly kind: "person"; readonly principal: PrincipalId; readonly name: string }
  | { readonly kind: "character"; readonly character: CharacterId };

/**
 * Something said or done, stored once (TR-036). A person's line is `said` at once. A character's line is `pending` from the
 * turn's commit, then `said` when a part of it arrived or `unsaid` when none did; only `said` lines enter a prompt (TR-042).
 */
export interface ChronicleEvent extends Labels {
  readonly id: MessageId;
  readonly place: PlaceId;
  /** Order within the place, from 1; 0 until it is committed. */
  readonly seq: number;
  readonly atMs: number;
  readonly author: Author;
  /** What was said; may be empty when only something was done. */
  readonly text: string;
  /** What was visibly done; empty when nothing was. */
  readonly action: string;
  readonly state: "said" | "pending" | "unsaid";
  /** The delivery it came in by; absent for characters' lines. */
  readonly delivery?: { readonly surface: SurfaceName; readonly id: string };
  /** The turn that produced it; absent for people's lines. */
  readonly turn?: TurnId;
}
