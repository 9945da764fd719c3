import type { PrincipalId } from "../vocabulary/principal.ts";
import { LOCAL_OWNER } from "../vocabulary/principal.ts";
import type { Role } from "../vocabulary/principal.ts";

/** What the authority must know about people: the configured operators, and the owner-edited list in the store. */
export interface People {
  /** Configured operators, immutable at run time (TR-011); read anew for each message. */
  operators(): ReadonlySet<PrincipalId>;
  /** The stored word on a person: `guest` when there is none. */
  trust(person: PrincipalId): "trusted" | "guest" | "blocked";
}

/**
 * The role of a person (TR-011). Operators come from configuration alone, whatever the store says; a `room:` member can never
 * be one, also when configuration was bent to name it (SE-087); an empty list makes nobody anything.
 */
export function roleOf(person: PrincipalId, people: People): Exclude<Role, "bot"> {
  if (person === LOCAL_OWNER) return "operator";
  if (person.startsWith("room:")) {
    const stored = people.trust(person);
    return stored === "blocked" ? "blocked" : "guest";
  }
  if (people.operators().has(person)) return "operator";
  return people.trust(person);
}
