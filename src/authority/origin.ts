import type { InboundEvent } from "../vocabulary/inbound.ts";
import type { OriginFacts } from "../vocabulary/origin.ts";
import { Origin, mintOrigin } from "../vocabulary/origin.ts";
import type { Place } from "../vocabulary/place.ts";
import type { Assurance, PrincipalId, Role } from "../vocabulary/principal.ts";
import type { People } from "./people.ts";
import { isInvited, roleOf } from "./people.ts";

/** The origin of an inbound line: from account, surface and channel alone; its text is not even given to this function (MC-031). */
export function originOfLine(event: Omit<InboundEvent, "text">, people: People): Origin {
  const own = roleOf(event.sender.principal, people);
  // A blocked bot stays blocked where bots are answered; beyond that a bot is nobody's trusted person (TR-023).
  const role: Role = event.sender.kind === "bot" && own !== "blocked" ? "bot" : own;
  const { principal, assurance } = event.sender;
  return mintOrigin({ principal, role, assurance, channel: event.place.kind, ...invitation(principal, role, people) });
}

/** Of a kept row what its origin depends on; `heardIn` where the answer goes elsewhere. */
export interface KeptLine {
  readonly person: PrincipalId;
  readonly role: Role;
  readonly assurance: Assurance;
  readonly place: Place;
  readonly heardIn?: Place;
}

/**
 * The origin of a row that was kept across a restart: the role it had, cut to the role its person has now (TR-015). Assurance
 * is what the surface asserted when the line was heard. What was said in public stays so, wherever its answer goes (TR-021).
 */
export function originOfKept(kept: KeptLine, people: People): Origin {
  const now = roleOf(kept.person, people);
  const role: Role = kept.role === "bot" ? "bot" : lesser(kept.role, now);
  const { person: principal, assurance } = kept;
  return mintOrigin({ principal, role, assurance, channel: (kept.heardIn ?? kept.place).kind, ...invitation(principal, role, people) });
}

function invitation(person: PrincipalId, role: Role, people: People): { readonly invited?: true } {
  return role === "guest" && isInvited(person, people) ? { invited: true } : {};
}

/** What an origin says now: the role it had, cut to the role its person has at this moment (TR-015). */
export function factsNow(origin: Origin, people: People): OriginFacts {
  const facts = Origin.factsOf(origin);
  return facts.role === "bot" ? facts : { ...facts, role: lesser(facts.role, roleOf(facts.principal, people)) };
}

const RANK: Readonly<Record<Exclude<Role, "bot">, number>> = { blocked: 0, guest: 1, trusted: 2, operator: 3 };

function lesser(a: Exclude<Role, "bot">, b: Exclude<Role, "bot">): Exclude<Role, "bot"> {
  return RANK[a] <= RANK[b] ? a : b;
}
