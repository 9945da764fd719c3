import { CEILINGS } from "../../../vocabulary/limits.ts";
import type { PrincipalId } from "../../../vocabulary/principal.ts";
import type { CallVerbs } from "../../call-store.ts";
import { writeAudit } from "./operator-verbs.ts";
import type { VerbContext } from "./verbs.ts";

/** Imports that an operator took as own words. Who did stands in the audit. */
export const ENDORSED = `
create table endorsed(
  sha256 text primary key check (length(sha256) = 64 and sha256 not glob '*[^0-9a-f]*'), name text not null, at_ms integer not null
) strict, without rowid;
`;

/** Take an import as own words (SE-080); those that stand are bounded. */
export function endorse({ sql }: VerbContext, row: Parameters<CallVerbs["endorse"]>[0]): { readonly endorsed: boolean } {
  const { sha256, name, by, atMs } = row;
  const endorsed = sql.run(
    `insert into endorsed(sha256, name, at_ms) select :digest, :name, :atMs where (select count(*) from endorsed) < :most
     on conflict(sha256) do nothing`,
    { digest: sha256, name, atMs, most: CEILINGS.endorsements },
  );
  if (endorsed === 1) writeAudit(sql, { atMs, by, act: "endorse", person: null, about: `import:${sha256}` });
  return { endorsed: endorsed === 1 };
}

/** Take that back: from the next judgement on its words are somebody else's. */
export function unendorse(
  { sql }: VerbContext,
  { sha256, by, atMs }: { readonly sha256: string; readonly by: PrincipalId; readonly atMs: number },
): { readonly dropped: boolean } {
  const dropped = sql.run("delete from endorsed where sha256 = :digest", { digest: sha256 });
  if (dropped === 1) writeAudit(sql, { atMs, by, act: "unendorse", person: null, about: `import:${sha256}` });
  return { dropped: dropped === 1 };
}
