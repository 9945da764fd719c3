import type { PersonOutcome } from "../vocabulary/outcome.ts";
import type { PlaceId } from "../vocabulary/place.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { Outcomes } from "./outcomes.ts";

/** People and places whose last line is remembered; the one longest unused goes first. */
const MAX_REMEMBERED = 8_192;

type Final = Exclude<PersonOutcome, "waiting">;

/** Remember what became of each person's last line in each place since the start, for that person alone (SE-094); it ends with the feed. */
export function followLastOutcomes(outcomes: Pick<Outcomes, "subscribe">): (person: PrincipalId, place: PlaceId) => Final | null {
  const last = new Map<string, Final>();
  outcomes.subscribe(({ person, place, outcome }) => {
    if (outcome === "waiting") return;
    const key = keyOf(person, place);
    last.delete(key);
    last.set(key, outcome);
    const oldest = last.keys().next();
    if (last.size > MAX_REMEMBERED && oldest.done !== true) last.delete(oldest.value);
  });
  return (person, place) => last.get(keyOf(person, place)) ?? null;
}

function keyOf(person: PrincipalId, place: PlaceId): string {
  return `${place}\n${person}`;
}
