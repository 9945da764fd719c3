import type { Surface } from "../surfaces/surface.ts";
import type { SurfaceName } from "../vocabulary/ids.ts";
import { isNamed } from "../vocabulary/principal.ts";
import type { Turn } from "../vocabulary/turn.ts";
import type { RoadNeeds } from "./road.ts";

type Surfaces = (name: SurfaceName) => Pick<Surface, "within" | "groupsNow"> | undefined;

/**
 * Whether a turn's person may still be answered where they spoke, asked once the answer is there: who was let in by a role of the place
 * alone is looked up anew, since a role that was taken away meanwhile counts no more (TR-015). What cannot be found out is no.
 */
export function createStillLet(needs: RoadNeeds, surface: Surfaces): (turn: Turn, signal: AbortSignal) => Promise<boolean> {
  const { authority, policy } = needs;
  return async (turn, signal) => {
    const { person } = turn;
    const place = turn.heardIn ?? turn.place;
    const from = surface(place.surface);
    // Only where places lie in something are there roles that let anybody in; and they open no private line.
    if (turn.class !== "talk" || place.kind !== "public" || from?.within === undefined) return true;
    const role = authority.roleOf(person);
    if (role === "blocked") return false;
    const space = policy.space({ surface: place.surface, within: from.within(place) });
    const allowedBy = (groups: readonly string[]): boolean =>
      space.allows?.({ sender: { principal: person, displayName: "", kind: "person", assurance: "platform", groups }, place }) ?? false;
    if (space.mode !== "trusted" || isNamed(role) || allowedBy([])) return true;
    return allowedBy((await from.groupsNow?.(person, place, signal)) ?? []);
  };
}
