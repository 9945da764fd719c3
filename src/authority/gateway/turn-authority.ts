import type { CharacterId } from "../../vocabulary/ids.ts";
import type { Influence } from "../../vocabulary/label.ts";
import type { OriginFacts } from "../../vocabulary/origin.ts";
import type { Assurance, PrincipalId } from "../../vocabulary/principal.ts";
import { ASSURANCES } from "../../vocabulary/principal.ts";
import type { ToolClasses } from "../../vocabulary/calls/tool-definition.ts";

/** How far something may go, least first. */
export const LEVELS = ["deny", "ask", "allow"] as const;
/** One of {@link LEVELS}. */
export type Level = (typeof LEVELS)[number];

/** What a turn may do by itself: for calls that change nothing, that change something, and that reach others. */
export interface TurnAuthority {
  readonly assurance: Assurance;
  readonly nothing: Level;
  readonly state: Level;
  readonly outward: Level;
}

/** No bound: what a contributor says of whom it knows nothing ill. */
export const UNBOUND: TurnAuthority = { assurance: "local", nothing: "allow", state: "allow", outward: "allow" };
/** Nothing at all. */
export const POWERLESS: TurnAuthority = { assurance: "anonymous", nothing: "deny", state: "deny", outward: "deny" };
/** Somebody else's words are in it: reading stays, everything with an effect is asked (TR-014). */
export const SHAPED: TurnAuthority = { assurance: "local", nothing: "allow", state: "ask", outward: "ask" };

/** What a line lets its turn do, by who wrote it and how well that is known (TR-013, SE-081). Nobody but an operator on a direct line has any tool. */
export function authorityOfLine({ role, channel, assurance }: OriginFacts): TurnAuthority {
  if (role !== "operator" || channel !== "direct" || assurance === "anonymous") return POWERLESS;
  // Whoever carries such a line could have written it: each change is asked of its person with a code, and nothing speaks for them.
  if (assurance === "relayed") return { assurance, nothing: "allow", state: "ask", outward: "deny" };
  return { ...UNBOUND, assurance };
}

/** Whose turn it is, and what is known of the tools whose output is in it. */
export interface Standpoint {
  readonly person: PrincipalId;
  /** Null where no character speaks. */
  readonly character: CharacterId | null;
  readonly classesOf: (tool: string) => ToolClasses | null;
  /** Whether an operator took an import of this digest as own words, at this moment. */
  readonly endorsed: (sha256: string) => boolean;
}

/**
 * Whether words of this origin are somebody else's (TR-014): written by another principal, even another operator's, or fetched
 * from outside. The turn's own person, its own character, tools that read only the operator's own things, and imports that an
 * operator endorsed are not. It is asked anew each time, so that an endorsement that was taken back counts no more.
 */
export function isForeign(influence: Influence, { person, character, classesOf, endorsed }: Standpoint): boolean {
  if (influence === person || (character !== null && influence === `character:${character}`)) return false;
  if (influence.startsWith("import:")) return !endorsed(influence.slice("import:".length));
  const tool = influence.startsWith("tool:") ? classesOf(influence.slice("tool:".length)) : null;
  return tool === null || tool.untrusted;
}

/** The least of all that contributed: more can only lessen it (SE-080, SE-081). */
export function authorityOf(lines: readonly OriginFacts[], influence: readonly Influence[], standpoint: Standpoint): TurnAuthority {
  // A turn without any line is nobody's.
  if (lines.length === 0) return POWERLESS;
  const bounds = [...lines.map(authorityOfLine), ...influence.map((one) => (isForeign(one, standpoint) ? SHAPED : UNBOUND))];
  return bounds.reduce(least, UNBOUND);
}

/** The lesser of two, in each respect. */
export function least(one: TurnAuthority, other: TurnAuthority): TurnAuthority {
  return {
    assurance: lesser(ASSURANCES, one.assurance, other.assurance),
    nothing: lesser(LEVELS, one.nothing, other.nothing),
    state: lesser(LEVELS, one.state, other.state),
    outward: lesser(LEVELS, one.outward, other.outward),
  };
}

function lesser<Word extends string>(order: readonly Word[], one: Word, other: Word): Word {
  return order.indexOf(one) <= order.indexOf(other) ? one : other;
}
