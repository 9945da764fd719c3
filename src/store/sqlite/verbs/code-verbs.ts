import type { ApprovalId } from "../../../vocabulary/ids.ts";
import type { TriedCode } from "../../call-store.ts";
import type { SuspendRow } from "../../store.ts";
import { textIn } from "../rows/columns.ts";
import type { VerbContext } from "./verbs.ts";

/** Keep what tells the right code of a question; those of questions that are over go with it. */
export function keepCode({ sql, generation }: VerbContext, approval: ApprovalId, code: NonNullable<SuspendRow["code"]>): void {
  sql.run("delete from answer_code where approval not in (select id from approval where state = 'pending')");
  sql.run(
    `insert into answer_code(approval, hash, salt, generation, expires_at_ms, tries)
     values (:approval, :hash, :salt, :generation, :expiresAtMs, :tries)`,
    { approval, generation, ...code },
  );
}

/** Use one try up and give what tells the right code; nothing where it counts no more, or is of an earlier start. */
export function tryCode(
  { sql, generation }: VerbContext,
  { approval, atMs }: { readonly approval: ApprovalId; readonly atMs: number },
): { readonly tried: TriedCode | null } {
  const row = sql.get(
    `update answer_code set tries = tries - 1 where approval = :approval and tries > 0 and expires_at_ms > :atMs and generation = :generation
     returning hash, salt`,
    { approval, atMs, generation },
  );
  return { tried: row === null ? null : { hash: textIn(row, "hash"), salt: textIn(row, "salt") } };
}
