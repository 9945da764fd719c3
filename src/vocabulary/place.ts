import type { Branded } from "./branded.ts";
import type { CharacterId, SurfaceName } from "./ids.ts";
import type { PrincipalId } from "./principal.ts";

/** Identity of a place, compared as a whole: `public:<surface>` or `direct:<character>:<principal>`. */
export type PlaceId = Branded<string, "PlaceId">;

/** Where something is said and where an answer goes. Group and conference lines have no value of this type (MC-066). */
export type Place = PublicPlace | DirectPlace;

/** A room, channel or thread that everyone in it reads. */
export interface PublicPlace {
  readonly kind: "public";
  readonly id: PlaceId;
  readonly surface: SurfaceName;
}

/** The line between one person and one character, the same one from whichever of the person's surfaces it is used. */
export interface DirectPlace {
  readonly kind: "direct";
  readonly id: PlaceId;
  readonly surface: SurfaceName;
  readonly character: CharacterId;
  readonly person: PrincipalId;
}

/** The public place of a surface, or a named channel of it. */
export function publicPlace(surface: SurfaceName, channel?: string): PublicPlace {
  // oxlint-disable-next-line no-unsafe-type-assertion -- the brand's own mint
  return { kind: "public", id: `public:${surface}${channel === undefined ? "" : `:${channel}`}` as PlaceId, surface };
}

/** The direct line of a person and a character, reached through `surface`. */
export function directPlace(surface: SurfaceName, character: CharacterId, person: PrincipalId): DirectPlace {
  // oxlint-disable-next-line no-unsafe-type-assertion -- the brand's own mint
  return { kind: "direct", id: `direct:${character}:${person}` as PlaceId, surface, character, person };
}
