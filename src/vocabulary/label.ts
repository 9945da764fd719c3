import type { CharacterId } from "./ids.ts";
import type { Place, PlaceId } from "./place.ts";
import type { PrincipalId } from "./principal.ts";

/** One kind of reader, compared by identity and never computed from member lists, roles or names (TR-030). */
export type Reader = "anyone" | "operators" | `person:${PrincipalId}` | `place:${PlaceId}`;

/** Those who may receive text derived from an item: any of these. Empty means nobody. */
export type Audience = readonly Reader[];

/** Someone or something whose words may have shaped a text (SE-080). */
export type Influence =
  | PrincipalId
  | `import:${string}`
  | `character:${CharacterId}`
  /** A tool's output. Whether it counts as somebody else's words is the class of that tool. */
  | `tool:${string}`
  /** A configured source of context. */
  | `source:${string}`
  /** A bundle of hooks and prompts. */
  | `bundle:${string}`
  /** Of unreadable or missing origin: foreign everywhere. */
  | "unknown:origin";

/** The three labels, fixed when an item is written (TR-030, SE-080). */
export interface Labels {
  /** Characters that perceived it. */
  readonly witnesses: readonly CharacterId[];
  readonly audience: Audience;
  /** Sorted, without repeats. */
  readonly influence: readonly Influence[];
}

/** What an item gets whose labels are missing or malformed: no witness, operators only (TR-030). */
export const SEALED: Labels = { witnesses: [], audience: ["operators"], influence: [] };

/** Who reads what is sent to a place: those in it, or the one person of a direct line. */
export function readersOf(place: Place): Reader {
  return place.kind === "public" ? `place:${place.id}` : `person:${place.person}`;
}

/** Whether every reader of a destination may receive text of this audience. */
export function mayRead(audience: Audience, reader: Reader): boolean {
  return audience.includes("anyone") || audience.includes(reader);
}
