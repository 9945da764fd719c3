import { RuntimeError } from "../foundation/errors.ts";
import type { Branded } from "./branded.ts";

/**
 * Who: `<realm>:<account>` with the platform's immutable account id (TR-010). `local:owner` is the terminal and the exchanged
 * console; `room:<member>` a browser; `discord:<snowflake>`; `grid:<grid>:<uuid>`; `mcp:<name>`. Never a display name. `forgotten:<keyed hash>` stands in rows that
 * outlive somebody who asked to be forgotten; nobody is ever heard under it (TR-043).
 */
export type PrincipalId = Branded<string, "PrincipalId">;

const PRINCIPAL = /^(?:local:owner|(?:room|discord|mcp|scripted|forgotten):[A-Za-z0-9_-]{1,120}|grid:[a-z0-9_-]{1,40}:[0-9a-f-]{36})$/;

/** Check and brand a principal. @throws RuntimeError `invalid_argument` when it is no `<realm>:<account>` of a known realm. */
export function parsePrincipalId(text: string): PrincipalId {
  if (!PRINCIPAL.test(text))
    throw new RuntimeError("invalid_argument", "Cannot read a principal: it must be <realm>:<account> with a known realm");
  // oxlint-disable-next-line no-unsafe-type-assertion -- the brand's own mint
  return text as PrincipalId;
}

/** The person at the terminal and in the exchanged console. */
export const LOCAL_OWNER: PrincipalId = parsePrincipalId("local:owner");

/** What someone is to the runtime (TR-011). */
export type Role = "operator" | "trusted" | "guest" | "bot" | "blocked";

/** Whether an operator knows who that is: everyone else's identity is free, and free ones share what they may use (SE-090). */
export function isNamed(role: Role): boolean {
  return role === "operator" || role === "trusted";
}

/** How well the surface knows who wrote a line, least first (SE-081). */
export const ASSURANCES = ["anonymous", "relayed", "platform", "local"] as const;
/** One of {@link ASSURANCES}. */
export type Assurance = (typeof ASSURANCES)[number];

/** Whether `held` is at least `needed`. */
export function assuranceReaches(held: Assurance, needed: Assurance): boolean {
  return ASSURANCES.indexOf(held) >= ASSURANCES.indexOf(needed);
}
