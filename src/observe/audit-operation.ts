import { z } from "zod";
import { columns, line } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import type { Declared, Operation } from "../operations/operation.ts";
import { OWNER_ONLY, declare } from "../operations/operation.ts";
import type { StoreReader } from "../store/store.ts";
import type { AuditEntry } from "../vocabulary/audit.ts";
import { AUDIT_ACTS } from "../vocabulary/audit.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";

/** Arguments of `audit`. */
export interface AuditArguments {
  readonly person?: string | undefined;
  readonly limit?: number | undefined;
}

/** Result of `audit`: newest first. */
export interface AuditAnswer {
  readonly acts: readonly (Omit<AuditEntry, "by" | "person"> & { readonly by: string; readonly person: string | null })[];
}

const STANDARD_LIMIT = 20;
const MAX_LIMIT = 200;

/** `troupe audit`. */
export const audit: Declared<AuditArguments, AuditAnswer> = declare<AuditArguments, AuditAnswer>({
  name: "audit",
  summary: "list what operators did: pauses, trust, blocks, private lines that were opened",
  arguments: z.strictObject({
    person: z.string().max(200).optional().describe("only what concerned this <realm>:<account>"),
    limit: z.int().min(1).max(MAX_LIMIT).optional().describe(`how many, ${STANDARD_LIMIT} without it`),
  }),
  positional: ["person"],
  who: OWNER_ONLY,
  result: z.object({
    acts: z.array(
      z.object({ atMs: z.number(), by: z.string(), act: z.enum(AUDIT_ACTS), person: z.string().nullable(), about: z.string() }),
    ),
  }),
  render: ({ acts }) =>
    acts.length === 0
      ? [line`nothing was done yet`]
      : columns(
          acts.map(({ atMs, by, act, person, about }) => [
            printable(new Date(atMs).toISOString().slice(0, 19)),
            printable(act.replaceAll("_", " ")),
            printable(person ?? "", 200),
            printable(about, 200),
            printable(`by ${by}`, 200),
          ]),
        ),
});

/** Bind `audit` to what the store kept. */
export function bindAudit(reader: Pick<StoreReader, "audits">): Operation {
  return audit.bind(({ person, limit = STANDARD_LIMIT }): Promise<AuditAnswer> => {
    const acts = person === undefined ? reader.audits(limit) : reader.audits(limit, parsePrincipalId(person));
    return Promise.resolve({ acts: [...acts] });
  });
}
