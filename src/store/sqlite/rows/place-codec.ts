import { RuntimeError } from "../../../foundation/errors.ts";
import { parseCharacterId, parseSurfaceName } from "../../../vocabulary/ids.ts";
import type { Pause } from "../../../vocabulary/pause.ts";
import type { Place, PlaceId } from "../../../vocabulary/place.ts";
import { directPlace, publicPlace } from "../../../vocabulary/place.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { Row } from "./columns.ts";
import { textIn } from "./columns.ts";

const PUBLIC = /^public:([^:]+)(?::(.+))?$/s;
const DIRECT = /^direct:([^:]+):(.+)$/s;

/** A place from its id and the surface it was used through. @throws RuntimeError `state_corrupt`, `invalid_argument`. */
export function placeOf(id: string, surface: string): Place {
  const open = PUBLIC.exec(id);
  if (open?.[1] !== undefined) return publicPlace(parseSurfaceName(open[1]), open[2]);
  const line = DIRECT.exec(id);
  if (line?.[1] !== undefined && line[2] !== undefined)
    return directPlace(parseSurfaceName(surface), parseCharacterId(line[1]), parsePrincipalId(line[2]));
  throw new RuntimeError("state_corrupt", "Cannot read a place: its id has no known form");
}

/** The place of a row with the columns `place` and `surface`. */
export function placeIn(row: Row): Place {
  return placeOf(textIn(row, "place"), textIn(row, "surface"));
}

/** Check and brand a stored place id. */
export function placeIdOf(id: string): PlaceId {
  // Any surface does: the id of a direct line does not depend on it.
  return placeOf(id, "any").id;
}

/** Whose line a direct line is, as its id says; null for a public place. The parts are not checked. */
export function lineOf(id: PlaceId): { readonly character: string; readonly person: string } | null {
  const start = "direct:".length;
  if (!id.startsWith("direct:")) return null;
  const end = id.indexOf(":", start);
  return { character: id.slice(start, end), person: id.slice(end + 1) };
}

/** Where a stored pause holds: a surface by its name, or a public place by its id. @throws RuntimeError `state_corrupt`, `invalid_argument`. */
export function pausedPlaceOf(text: string): NonNullable<Pause["place"]> {
  if (!text.includes(":")) return parseSurfaceName(text);
  if (!PUBLIC.test(text)) throw new RuntimeError("state_corrupt", "Cannot read a pause: only a public place can be paused by its id");
  return placeIdOf(text);
}
