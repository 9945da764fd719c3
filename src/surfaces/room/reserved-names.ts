import { foldName } from "./names.ts";
import type { RoomConfig } from "./ports.ts";

/** Names that would pass for the room's own voice, or for nobody in particular. */
const OWN_NAMES = ["troupe", "operator", "everyone", "system", "understudy", "you", "guest", "admin", "moderator", "host"] as const;

/** What no guest may be called here, folded: the room's own words, its characters, its operators (SE-087). */
export function reservedNames({ characters, reservedNames: more }: Pick<RoomConfig, "characters" | "reservedNames">): ReadonlySet<string> {
  const own = characters.flatMap(({ id, name }) => [id, name]);
  return new Set([...OWN_NAMES, ...own, ...more].map(foldName));
}
