import type { ChronicleEvent } from "../vocabulary/event.ts";
import type { CharacterId } from "../vocabulary/ids.ts";
import { parseMessageId, parseSurfaceName } from "../vocabulary/ids.ts";
import { publicPlace } from "../vocabulary/place.ts";
import type { PublicPlace } from "../vocabulary/place.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";
import type { Visible } from "../vocabulary/visible.ts";
import { mintVisible } from "../vocabulary/visible.ts";

/** Where a rehearsal takes place: no surface has that name, and nobody is there. */
export const REHEARSAL_PLACE: PublicPlace = publicPlace(parseSurfaceName("rehearsal"));
/** Who speaks in it: an account that no platform has. */
export const REHEARSAL_VISITOR: PrincipalId = parsePrincipalId("scripted:rehearsal");
const LINE_EVERY_MS = 20_000;

/**
 * Talk that nobody had, as a character would see it: for packets that try a model out. It takes words and makes the labels
 * itself, so nothing that was ever said can come in by it, and nothing of it is stored.
 */
export function rehearse(character: CharacterId, lines: readonly string[], nowMs: number): Visible {
  const events = lines.map((text, at): ChronicleEvent => ({
    id: parseMessageId(`m-rehearsal${String(at).padStart(4, "0")}`),
    place: REHEARSAL_PLACE.id,
    seq: at + 1,
    atMs: nowMs - (lines.length - at) * LINE_EVERY_MS,
    author: { kind: "person", principal: REHEARSAL_VISITOR, name: "Visitor" },
    text,
    action: "",
    state: "said",
    witnesses: [character],
    audience: [`place:${REHEARSAL_PLACE.id}`],
    influence: [REHEARSAL_VISITOR],
  }));
  return mintVisible(character, REHEARSAL_PLACE, events);
}
