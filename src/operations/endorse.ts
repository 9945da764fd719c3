import { isAbsolute } from "node:path";
import { z } from "zod";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Line } from "../foundation/line.ts";
import { columns, line, toned } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { Declared, Operation } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";

const ACTS = ["list", "add", "remove"] as const;
const DIGEST = /^(?:import:)?([0-9a-f]{64})$/;

/** Arguments of `endorse`. */
export interface EndorseArguments {
  readonly act?: (typeof ACTS)[number] | undefined;
  readonly what?: string | undefined;
}

/** An import that counts as own words. */
export interface EndorsementView {
  readonly sha256: string;
  readonly name: string;
  readonly atMs: number;
}

/** Result of `endorse`: what was done, to which digest, and what counts as own words from now. */
export interface EndorseAnswer {
  readonly done: (typeof ACTS)[number];
  readonly sha256: string | null;
  readonly endorsements: readonly EndorsementView[];
}

/** Where endorsements are kept, and how a file's bytes are known. */
export interface EndorseLedger {
  list(): readonly EndorsementView[];
  add(row: EndorsementView & { readonly by: PrincipalId }): Promise<{ readonly endorsed: boolean }>;
  remove(row: { readonly sha256: string; readonly by: PrincipalId; readonly atMs: number }): Promise<{ readonly dropped: boolean }>;
  /** Of a file that there is, its bytes' digest and its name. @throws RuntimeError `not_found`, `capacity` */
  digestOf(path: string): { readonly sha256: string; readonly name: string };
}

/** `troupe endorse` (SE-080): a release of a label that a person makes, and the audit names. */
export const endorse: Declared<EndorseArguments, EndorseAnswer> = declare<EndorseArguments, EndorseAnswer>({
  name: "endorse",
  summary: "take the words of a card, lorebook or bundle as your own, by its exact bytes; list them, or take that back",
  arguments: z.strictObject({
    act: z.enum(ACTS).optional().describe("list, add or remove; list without it"),
    what: z.string().max(4_096).optional().describe("the file by its whole path, or its SHA-256 as a card shows it"),
  }),
  positional: ["act", "what"],
  who: OWNER_ONLY,
  result: z.object({
    done: z.enum(ACTS),
    sha256: z.string().nullable(),
    endorsements: z.array(z.object({ sha256: z.string(), name: z.string(), atMs: z.number() })),
  }),
  render: ({ done, sha256, endorsements }) => [...doneLines(done, sha256), ...listOf(endorsements)],
});

function doneLines(done: EndorseAnswer["done"], sha256: string | null): readonly Line[] {
  if (sha256 === null) return [];
  const digest = printable(`import:${sha256}`, 80);
  return done === "add"
    ? [toned("good", line`Its words count as yours: ${digest}`), line`Changed bytes are another import, and need it anew.`]
    : [toned("good", line`Its words are somebody else's again, also those that sessions hold: ${digest}`)];
}

function listOf(endorsements: readonly EndorsementView[]): readonly Line[] {
  if (endorsements.length === 0) return [line`No import counts as your own words.`];
  return [
    toned("strong", line`These count as your own words:`),
    ...columns(
      endorsements.map(({ sha256, name, atMs }) => [
        printable(`import:${sha256}`, 80),
        printable(name, 120),
        printable(new Date(atMs).toISOString().slice(0, 10)),
      ]),
    ),
  ];
}

/** Bind it to where endorsements are kept. */
export function bindEndorse(ledger: EndorseLedger, clock: Pick<Clock, "nowMs">): Operation {
  return endorse.bind(async ({ act = "list", what }, { actor }) => {
    if (act === "list") return { done: act, sha256: null, endorsements: ledger.list() };
    if (what === undefined) throw new RuntimeError("usage", `Cannot ${act}: name the file by its whole path, or its SHA-256`);
    const { sha256, name } = namedBy(what, act, ledger);
    const row = { sha256, by: actor.principal, atMs: clock.nowMs() };
    if (act === "remove") {
      const { dropped } = await ledger.remove(row);
      if (!dropped) throw new RuntimeError("not_found", "Cannot remove: no import of exactly these bytes is endorsed");
    } else {
      const isThere = ledger.list().some((one) => one.sha256 === sha256);
      const { endorsed } = isThere ? { endorsed: true } : await ledger.add({ ...row, name });
      if (!endorsed) throw new RuntimeError("capacity", "Cannot endorse: too many imports are endorsed already");
    }
    return { done: act, sha256, endorsements: ledger.list() };
  });
}

function namedBy(what: string, act: string, ledger: EndorseLedger): { readonly sha256: string; readonly name: string } {
  const sha256 = DIGEST.exec(what.trim())?.[1];
  if (sha256 !== undefined) return { sha256, name: "" };
  if (!isAbsolute(what)) throw new RuntimeError("usage", `Cannot ${act}: name the file by its whole path, or its SHA-256`);
  return ledger.digestOf(what);
}
