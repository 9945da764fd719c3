import type { InboxRow } from "../store/store.ts";
import type { Surface } from "../surfaces/surface.ts";
import type { SurfaceName } from "../vocabulary/ids.ts";
import { isNamed } from "../vocabulary/principal.ts";
import type { Admitted } from "./1-admission/admission.ts";
import type { Partition } from "./1-admission/partitioned-table.ts";
import type { GoneBy } from "./3-turns/turns.ts";
import type { RoadNeeds } from "./road.ts";

/** Surfaces by name, as far as they know where a place lies. */
type Surfaces = (name: SurfaceName) => Pick<Surface, "within"> | undefined;

/** Whether a line that waited is still to be run: meanwhile its writer may have been blocked, its words erased (TR-015, TR-043), or talk there paused, or its writer may have asked not to be heard (TR-091). */
export function goneBy(needs: RoadNeeds, { row, stands }: Admitted, surface: Surfaces): GoneBy | null {
  const { policy, ledger } = needs;
  const { person, character } = row;
  const place = row.heardIn ?? row.place;
  if (isBlocked(needs, { person, place }, surface)) return "blocked";
  if (row.class !== "command" && policy.optedOut?.(row.person) === true) return "opted_out";
  if (
    row.class === "talk" &&
    policy.paused?.({ surface: place.surface, place: place.id, within: within(surface, place), character }) === true
  )
    return "paused";
  return stands() && ledger.inbox(row.id) === null ? "forgotten" : null;
}

function within(surface: Surfaces, place: InboxRow["place"]): readonly string[] {
  return surface(place.surface)?.within?.(place) ?? [];
}

/** Blocked altogether, or, a guest, by the moderators of the server that the place lies in. */
function isBlocked({ authority, policy }: RoadNeeds, { person, place }: Pick<InboxRow, "person" | "place">, surface: Surfaces): boolean {
  const role = authority.roleOf(person);
  if (role !== "guest") return role === "blocked";
  const server = within(surface, place).at(-1);
  return server !== undefined && policy.barred?.({ surface: place.surface, server }, person) === true;
}

/** Whether an operator named whoever wrote a line, by configuration, trust or invite; the others share what is theirs (SE-090). */
export function isNamedBy({ authority }: RoadNeeds, { role, person }: Pick<InboxRow, "role" | "person">): boolean {
  return isNamed(role) || (role === "guest" && authority.isInvited(person));
}

/** The half of a table that somebody who is no bot fills, by who they are now. */
export function partitionOfPerson({ authority }: RoadNeeds, person: InboxRow["person"]): Partition {
  return isNamed(authority.roleOf(person)) || authority.isInvited(person) ? "named" : "free";
}
