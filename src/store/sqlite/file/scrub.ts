import type { DatabaseSync } from "node:sqlite";
import type { Statements } from "../rows/statements.ts";

/**
 * Drive erased bytes out of the files (TR-043). `secure_delete` overwrites what is deleted where it stands, but a page that was
 * split or balanced keeps copies of rows in its unused space, and nothing overwrites those: so the file is built anew, and the
 * journal, which holds older pages, is folded in and cut to nothing. Takes about 10 ms a MiB; nothing is written meanwhile.
 */
export function scrub(db: DatabaseSync, sql: Statements): void {
  db.exec("vacuum");
  sql.run("delete from meta where key = 'scrub_due'");
  const row = sql.get("pragma wal_checkpoint(truncate)");
  if (row?.["busy"] === 0) return;
  // A reader held the journal for longer than a statement waits. It is still due.
  sql.run("insert into meta(key, value) values ('scrub_due', '1') on conflict(key) do nothing");
}
