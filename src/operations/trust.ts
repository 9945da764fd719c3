import { z } from "zod";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Line } from "../foundation/line.ts";
import { line, toned } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../vocabulary/principal.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { Declared, Operation } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";

const LEVELS = ["trusted", "guest", "blocked"] as const;
/** What somebody can be made to be. */
export type TrustLevel = (typeof LEVELS)[number];

/** Arguments of `trust` and `block`. */
export interface TrustArguments {
  readonly person: string;
  readonly remove?: boolean | undefined;
  readonly yes?: boolean | undefined;
}

/** Result of `trust` and `block`. */
export interface TrustAnswer {
  readonly person: string;
  /** The name last seen; null for somebody never seen here. Data, never identity. */
  readonly name: string | null;
  readonly from: TrustLevel;
  readonly to: TrustLevel;
  /** False while it waits to be confirmed. */
  readonly done: boolean;
}

/** Where trust is kept. */
export interface TrustLedger {
  trust(person: PrincipalId): TrustLevel;
  nameOf(person: PrincipalId): string | null;
  setTrust(row: {
    readonly person: PrincipalId;
    readonly role: TrustLevel;
    readonly by: PrincipalId;
    readonly atMs: number;
  }): Promise<void>;
}

function declareChange(name: "trust" | "block", summary: string): Declared<TrustArguments, TrustAnswer> {
  return declare<TrustArguments, TrustAnswer>({
    name,
    summary,
    arguments: z.strictObject({
      person: z.string().max(200).describe("<realm>:<account>, as why and People show it"),
      remove: z.boolean().optional().describe("take the person off the list instead"),
      yes: z.boolean().optional().describe("confirm; without it the change is only shown"),
    }),
    positional: ["person"],
    who: OWNER_ONLY,
    result: z.object({ person: z.string(), name: z.string().nullable(), from: z.enum(LEVELS), to: z.enum(LEVELS), done: z.boolean() }),
    render: (answer) => renderChange(name, answer),
    exit: ({ done }) => (done ? "done" : "question"),
  });
}

/** `troupe trust`: shown first, done with `--yes` (SE-096). */
export const trust: Declared<TrustArguments, TrustAnswer> = declareChange("trust", "put a person on the trust list, after showing whom");
/** `troupe block`: shown first, done with `--yes`. */
export const block: Declared<TrustArguments, TrustAnswer> = declareChange("block", "stop hearing a person, after showing whom");

function renderChange(command: string, { person, name, from, to, done }: TrustAnswer): readonly Line[] {
  const shown = name === null ? printable("never seen here") : printable(`last seen as "${printable(name, 80)}"`, 120);
  const change = line`${printable(person)} (${shown}): ${printable(from)} → ${printable(to)}`;
  const again = printable(`troupe ${command} ${person}${to === "guest" ? " --remove" : ""} --yes`);
  return done ? [toned("good", change)] : [change, toned("strong", line`Nothing is changed yet. To do it: ${again}`)];
}

/** Bind both to where trust is kept. */
export function bindTrust(ledger: TrustLedger, clock: Clock): readonly Operation[] {
  const bind = (declared: Declared<TrustArguments, TrustAnswer>, level: "trusted" | "blocked"): Operation =>
    declared.bind(async ({ person: written, remove, yes }, { actor }) => {
      const person = personOf(written, level);
      const change: TrustAnswer = {
        person,
        name: ledger.nameOf(person),
        from: ledger.trust(person),
        to: remove === true ? "guest" : level,
        done: yes === true,
      };
      if (change.done) await ledger.setTrust({ person, role: change.to, by: actor.principal, atMs: clock.nowMs() });
      return change;
    });
  return [bind(trust, "trusted"), bind(block, "blocked")];
}

/** A guest of a room never is more (SE-087), a client that a model drives neither (SE-082), and the owner stays the owner. */
function personOf(written: string, level: TrustLevel): PrincipalId {
  const person = parsePrincipalId(written);
  if (person === LOCAL_OWNER) throw new RuntimeError("usage", "Cannot change that: the owner stays the owner");
  if (level === "trusted" && /^(?:room|mcp):/.test(person))
    throw new RuntimeError("usage", "Cannot trust that: a room's member is always a guest, and a client is no person");
  return person;
}
