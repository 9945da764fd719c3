import type { InboxRow } from "../../store/store.ts";
import type { SurfaceProfile } from "../../surfaces/surface.ts";
import type { SurfaceName } from "../../vocabulary/ids.ts";

/**
 * Where a message stands in the order of its platform; null where that gives none. What goes on from a question stands where its line
 * was said.
 */
export function createPositions(
  profileOf: (surface: SurfaceName) => Pick<SurfaceProfile, "positionOf"> | undefined,
): (message: { readonly row: InboxRow }) => bigint | null {
  return ({ row }) => {
    const { deliveryId } = row.trigger;
    return deliveryId === null ? null : (profileOf(row.place.surface)?.positionOf?.(deliveryId) ?? null);
  };
}
