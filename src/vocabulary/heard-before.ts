import type { PrincipalId } from "./principal.ts";

/**
 * One thing that was said in a public place before a line, as its platform has it: somebody else's words, said to nobody here (TR-034).
 * It is data for one packet and is kept nowhere.
 */
export interface HeardBefore {
  /** The platform's id of it, so that what is kept already is not told twice. */
  readonly deliveryId: string;
  /** Who said it; null for the character itself. */
  readonly who: PrincipalId | null;
  /** As the platform shows it: data, never identity. */
  readonly name: string;
  readonly text: string;
  readonly atMs: number;
}
