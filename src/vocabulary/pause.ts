import type { CharacterId, SurfaceName } from "./ids.ts";
import type { PlaceId } from "./place.ts";
import type { PrincipalId } from "./principal.ts";

/** An operator's word that somebody or some place is not answered for now. It outlives the process. */
export interface Pause {
  /** The character that is silent; null for all. */
  readonly character: CharacterId | null;
  /** The surface it is silent on, or one place of it; null for everywhere. */
  readonly place: SurfaceName | PlaceId | null;
  readonly by: PrincipalId;
  readonly atMs: number;
  /** When it ends by itself; null until somebody resumes. */
  readonly untilMs: number | null;
}

/** Where a line was heard, and whom it is for. */
export interface PauseQuestion {
  readonly surface: SurfaceName;
  readonly place: PlaceId;
  readonly character: CharacterId;
}

/** The pause that keeps this from being answered; null where none does. Of several the one that lasts longest. */
export function pauseOver(pauses: readonly Pause[], { surface, place, character }: PauseQuestion): Pause | null {
  const over = pauses.filter(
    (pause) =>
      (pause.character === null || pause.character === character) &&
      (pause.place === null || pause.place === surface || pause.place === place),
  );
  return over.toSorted((a, b) => endOf(b) - endOf(a))[0] ?? null;
}

function endOf({ untilMs }: Pause): number {
  return untilMs ?? Number.POSITIVE_INFINITY;
}
