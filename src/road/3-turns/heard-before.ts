import type { Surface } from "../../surfaces/surface.ts";
import type { HeardBefore } from "../../vocabulary/heard-before.ts";
import type { SurfaceName } from "../../vocabulary/ids.ts";
import type { Turn } from "../../vocabulary/turn.ts";

const NOTHING: readonly HeardBefore[] = [];

/** Ask a turn's surface what was said in its place before: only for talk in public, and only where the surface can tell (VS-029). */
export function askBefore(
  surface: (name: SurfaceName) => Pick<Surface, "before"> | undefined,
): (turn: Turn, signal: AbortSignal) => Promise<readonly HeardBefore[]> {
  return (turn, signal) => {
    const { place, trigger } = turn;
    const from = surface(place.surface);
    if (turn.class !== "talk" || place.kind !== "public" || trigger.deliveryId === null || from?.before === undefined)
      return Promise.resolve(NOTHING);
    return from.before(place, trigger.deliveryId, signal);
  };
}
