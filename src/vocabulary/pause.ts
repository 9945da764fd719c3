import type { CharacterId, SurfaceName } from "./ids.ts";
import type { PlaceId } from "./place.ts";
import { publicPlace } from "./place.ts";
import type { PrincipalId } from "./principal.ts";

/** An operator's word that somebody or some place is not answered for now. It outlives the process. */
export interface Pause {
  /** The character that is silent; null for all. */
  readonly character: CharacterId | null;
  /** The surface it is silent on, or one place of it with all that lies in it, as a channel's threads; null for everywhere. */
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
  /** Ids of what a public place is and lies in; none where that is not known or there is nothing. */
  readonly within: readonly string[];
  readonly character: CharacterId;
}

/** The pause that keeps this from being answered; null where none does. Of several the one that lasts longest. */
export function pauseOver(pauses: readonly Pause[], { surface, place, within, character }: PauseQuestion): Pause | null {
  const places: readonly Pause["place"][] = [null, surface, place, ...within.map((id) => publicPlace(surface, id).id)];
  const over = pauses.filter((pause) => (pause.character === null || pause.character === character) && places.includes(pause.place));
  return over.toSorted((a, b) => endOf(b) - endOf(a))[0] ?? null;
}

/** Whether a pause names a place of a surface: then it matters where the places of that surface lie. */
export function pausesPlaceOf(pauses: readonly Pause[], surface: SurfaceName): boolean {
  return pauses.some(({ place }) => place?.startsWith(`${publicPlace(surface).id}:`) === true);
}

function endOf({ untilMs }: Pause): number {
  return untilMs ?? Number.POSITIVE_INFINITY;
}
