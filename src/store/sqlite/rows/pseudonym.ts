import { keyedId } from "../../../foundation/ids.ts";
import type { PrincipalId } from "../../../vocabulary/principal.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";

const REALM = "forgotten:";

/** Gives what stands for a person in rows that outlive their being forgotten: a keyed hash of the id (TR-043). */
export type PseudonymOf = (person: PrincipalId) => PrincipalId;

/** Pseudonyms that are kept at hand: each message asks for its sender's. */
const MAX_KEPT = 1_024;

/** Make pseudonyms under a key: equal for the same person, and nothing without the key tells whose. */
export function pseudonymsOf(key: Uint8Array): PseudonymOf {
  const kept = new Map<PrincipalId, PrincipalId>();
  return (person) => {
    if (isPseudonym(person)) return person;
    const known = kept.get(person);
    if (known !== undefined) return known;
    const pseudonym = parsePrincipalId(`${REALM}${keyedId(key, `forgotten ${person}`)}`);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(person, pseudonym);
    return pseudonym;
  };
}

/** Whether an id stands for somebody forgotten. */
export function isPseudonym(person: PrincipalId): boolean {
  return person.startsWith(REALM);
}
