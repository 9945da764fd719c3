import { z } from "zod";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Line } from "../foundation/line.ts";
import { columns, line, toned } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import type { GrantId } from "../vocabulary/ids.ts";
import { parseGrantId } from "../vocabulary/ids.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { Declared, Operation } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";

const ACTS = ["list", "revoke"] as const;

/** Arguments of `grants`. */
export interface GrantsArguments {
  readonly act?: (typeof ACTS)[number] | undefined;
  readonly id?: string | undefined;
}

/** An operator's word that a schedule may call a tool, as data. */
export interface GrantView {
  readonly id: string;
  readonly by: string;
  readonly character: string;
  readonly tool: string;
  /** SHA-256 of the one call it names; null for any call of the tool that needs no question. */
  readonly digest: string | null;
  readonly atMs: number;
  readonly expiresAtMs: number;
  readonly usesLeft: number;
  /** The schedule that acts on it; null when that is gone. */
  readonly schedule: string | null;
}

/** Result of `grants`: what was done, and what stands from now. */
export interface GrantsAnswer {
  readonly done: (typeof ACTS)[number];
  readonly grants: readonly GrantView[];
}

/** Where grants are kept. */
export interface GrantsLedger {
  /** Those that stand, newest first. */
  list(nowMs: number): readonly GrantView[];
  revoke(row: { readonly grant: GrantId; readonly by: PrincipalId; readonly atMs: number }): Promise<{ readonly revoked: boolean }>;
}

/** `troupe grants` (MC-043, TR-015). */
export const grants: Declared<GrantsArguments, GrantsAnswer> = declare<GrantsArguments, GrantsAnswer>({
  name: "grants",
  summary: "list what schedules may call without a question, and take one back",
  arguments: z.strictObject({
    act: z.enum(ACTS).optional().describe("list or revoke; list without it"),
    id: z.string().max(40).optional().describe("with revoke: which one, as the list shows it"),
  }),
  positional: ["act", "id"],
  who: OWNER_ONLY,
  result: z.object({
    done: z.enum(ACTS),
    grants: z.array(
      z.object({
        id: z.string(),
        by: z.string(),
        character: z.string(),
        tool: z.string(),
        digest: z.string().nullable(),
        atMs: z.number(),
        expiresAtMs: z.number(),
        usesLeft: z.int(),
        schedule: z.string().nullable(),
      }),
    ),
  }),
  render: ({ done, grants: standing }) => [
    ...(done === "revoke" ? [toned("good", line`Taken back: its schedule goes on, and may call nothing unasked.`)] : []),
    ...listOf(standing),
  ],
});

function listOf(standing: readonly GrantView[]): readonly Line[] {
  if (standing.length === 0)
    return [line`No schedule may call anything unasked. One may with: troupe schedule add WHEN --session WORDS --may TOOL`];
  return [
    ...columns(
      standing.map(({ id, schedule, character, tool, digest, usesLeft, expiresAtMs, by }) => [
        printable(id),
        printable(digest === null ? tool : `${tool}, exactly ${digest.slice(0, 12)}`),
        printable(`${character}${schedule === null ? ", no schedule" : ` by ${schedule}`}`),
        printable(`${usesLeft} times, until ${new Date(expiresAtMs).toISOString().slice(0, 10)}`),
        printable(`said by ${by}`, 200),
      ]),
      0,
    ),
    toned("faint", line`Take one back: troupe grants revoke ID`),
  ];
}

/** Bind it to where grants are kept. */
export function bindGrants(ledger: GrantsLedger, clock: Pick<Clock, "nowMs">): Operation {
  return grants.bind(async ({ act = "list", id }, { actor }) => {
    if (act === "revoke") {
      if (id === undefined) throw new RuntimeError("usage", "Cannot revoke: say which one; troupe grants lists what there is");
      const { revoked } = await ledger.revoke({ grant: parseGrantId(id.trim()), by: actor.principal, atMs: clock.nowMs() });
      if (!revoked) throw new RuntimeError("not_found", "Cannot revoke: no grant of that id stands");
    }
    return { done: act, grants: ledger.list(clock.nowMs()) };
  });
}
