import type { Surface } from "../surfaces/surface.ts";
import type { SurfaceName } from "../vocabulary/ids.ts";
import type { Turn } from "../vocabulary/turn.ts";
import { heldIn } from "./3-turns/held-reply.ts";
import type { RoadNeeds } from "./road.ts";

/** Whether what a turn says waits for somebody's yes: talk in a place that holds replies, once, and not with an operator. */
export function holds(
  { authority, policy }: RoadNeeds,
  turn: Turn,
  surface: (name: SurfaceName) => Pick<Surface, "within"> | undefined,
): boolean {
  if (turn.class !== "talk" || heldIn(turn) !== null || authority.roleOf(turn.person) === "operator") return false;
  const place = turn.heardIn ?? turn.place;
  return policy.space({ surface: place.surface, within: surface(place.surface)?.within?.(place) ?? [] }).holds === true;
}
