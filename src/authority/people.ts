import type { PrincipalId } from "../vocabulary/principal.ts";
import { LOCAL_OWNER, isNamed } from "../vocabulary/principal.ts";
import type { Role } from "../vocabulary/principal.ts";

/** What the authority must know about people: the configured operators, and the owner-edited list in the store. */
export interface People {
  /** Configured operators, immutable at run time (TR-011); read anew for each message. */
  operators(): ReadonlySet<PrincipalId>;
  /** The stored word on a person: `guest` when there is none. */
  trust(person: PrincipalId): "trusted" | "guest" | "blocked";
  /** How a room's member came in: by an invite that stands, by one that has ended, or by a name alone. */
  stay(person: PrincipalId): "invited" | "ended" | "uninvited";
}

/**
 * The role of a person (TR-011). Operators come from configuration alone, whatever the store says; a `room:` member can never
 * be one, also when configuration was bent to name it (SE-087); an empty list makes nobody anything. A guest whose invite was
 * revoked or has run out is as one who is blocked: what still waits of theirs is not answered either (TR-015, TR-094).
 */
export function roleOf(person: PrincipalId, people: People): Exclude<Role, "bot"> {
  if (person === LOCAL_OWNER) return "operator";
  if (person.startsWith("room:")) {
    const stored = people.trust(person);
    return stored === "blocked" || people.stay(person) === "ended" ? "blocked" : "guest";
  }
  if (people.operators().has(person)) return "operator";
  return people.trust(person);
}

/** Whether an operator named this person: operators, trusted people and invited guests have a part of their own (SE-090). */
export function isNamedPerson(person: PrincipalId, people: People): boolean {
  return isNamed(roleOf(person, people)) || isInvited(person, people);
}

/** Whether this is a room's guest whose invite stands. */
export function isInvited(person: PrincipalId, people: People): boolean {
  return person.startsWith("room:") && people.stay(person) === "invited";
}
