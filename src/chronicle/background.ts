import type { ChronicleEvent } from "../vocabulary/event.ts";
import type { HeardBefore } from "../vocabulary/heard-before.ts";
import type { CharacterId } from "../vocabulary/ids.ts";
import { parseMessageId } from "../vocabulary/ids.ts";
import type { Place } from "../vocabulary/place.ts";
import { labelsOfLine, labelsOfReply } from "./labels.ts";

/** Whose packet it is for, and what is in it already, oldest first. */
export interface BackgroundFacts {
  readonly character: CharacterId;
  readonly place: Place;
  readonly known: readonly ChronicleEvent[];
}

/**
 * What a platform has of a place, as events with labels (TR-030, TR-034): perceived by the one character, for those in the place, shaped
 * by whoever said it. What is kept already stays out, and so do the character's own lines since the kept talk began: it has those
 * whole, and the platform only in parts.
 */
export function backgroundEvents(before: readonly HeardBefore[], { character, place, known }: BackgroundFacts): readonly ChronicleEvent[] {
  if (before.length === 0) return [];
  const kept = new Set(known.flatMap(({ delivery }) => delivery?.id ?? []));
  const beganMs = known[0]?.atMs ?? Number.POSITIVE_INFINITY;
  return before.flatMap((one, at): readonly ChronicleEvent[] => {
    if (kept.has(one.deliveryId) || (one.who === null && one.atMs >= beganMs)) return [];
    const { who, name, text, atMs } = one;
    const base = {
      id: parseMessageId(`b-${String(at).padStart(4, "0")}`),
      place: place.id,
      seq: 0,
      atMs,
      text,
      action: "",
      state: "said",
    } as const;
    if (who === null)
      return [{ ...base, author: { kind: "character", character }, ...labelsOfReply({ character, place, present: [], influence: [] }) }];
    const author = { kind: "person", principal: who, name } as const;
    return [{ ...base, author, ...labelsOfLine({ author: who, place, characters: [character], ambient: false }) }];
  });
}
