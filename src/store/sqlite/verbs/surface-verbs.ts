import type { SurfaceStateRow } from "../../surface-store.ts";
import type { VerbContext } from "./verbs.ts";

/** Keep where a surface's stream stands. */
export function keepSurfaceState({ sql }: VerbContext, { surface, state, atMs }: SurfaceStateRow): null {
  sql.run(
    `insert into surface_state(surface, state, at_ms) values (:surface, :state, :atMs)
     on conflict(surface) do update set state = excluded.state, at_ms = excluded.at_ms`,
    { surface, state, atMs },
  );
  return null;
}
