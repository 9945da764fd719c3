import type { PersonalAct } from "../../vocabulary/act.ts";
import type { PrincipalId, Role } from "../../vocabulary/principal.ts";

/** What somebody is where an act was done: an operator, a moderator of that server, or neither. */
export type Standing = "operator" | "moderator" | "nobody";

/** What standing is read from. */
export interface StandingNeeds {
  readonly roleOf: (person: PrincipalId) => Exclude<Role, "bot">;
  /** Roles that moderate, as `<server id>/<role id>`. */
  readonly moderators: (surface: PersonalAct["surface"]) => readonly string[];
}

/** The server in which an act was done; null in private. */
export function serverOf({ place, within }: Pick<PersonalAct, "place" | "within">): string | null {
  return place.kind === "public" ? (within.at(-1) ?? null) : null;
}

/**
 * Read somebody's standing from the act itself: the platform says with each which roles its person has at that moment, so a role that
 * was taken away counts no more, and one of another server never did (TR-015).
 */
export function standingOf(act: PersonalAct, { roleOf, moderators }: StandingNeeds): Standing {
  const role = roleOf(act.sender.principal);
  if (role === "operator") return "operator";
  const server = serverOf(act);
  if (role === "blocked" || server === null) return "nobody";
  const held = act.sender.groups ?? [];
  return moderators(act.surface).some((one) => one.startsWith(`${server}/`) && held.includes(one)) ? "moderator" : "nobody";
}
