import { closeSync, constants, openSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { connectReader, LOCK_WAIT_MS } from "./connect.ts";
import { epochOf } from "./epoch.ts";
import { COPY_MARK } from "./restored.ts";
import { schemaVersion } from "./schema.ts";
import { Statements } from "../rows/statements.ts";

/** What a copy is of. */
export interface DatabaseCopy {
  readonly epoch: number;
  readonly schema: number;
}

/**
 * Copy a database, as one committed moment of it, into a new file that only this user may read. Writers go on meanwhile. The copy
 * is marked: it opens only as a restored one (SE-099). It waits for nothing but blocks its thread while it works (about 10 ms a MiB).
 */
export function copyDatabase(from: string, to: string, atMs: number): DatabaseCopy {
  closeSync(openSync(to, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0), 0o600));
  try {
    const source = connectReader(from);
    try {
      source.prepare("vacuum into :to").run({ to });
    } finally {
      source.close();
    }
    return mark(to, atMs);
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  }
}

function mark(path: string, atMs: number): DatabaseCopy {
  const copy = new DatabaseSync(path, { timeout: LOCK_WAIT_MS });
  try {
    // No file beside it, not even while it is marked.
    copy.exec("pragma journal_mode = memory; pragma synchronous = full");
    const sql = new Statements(copy);
    const schema = schemaVersion(sql);
    if (schema > 0) {
      // Whoever holds the original does not hold the copy.
      sql.run("update lease set owner = '', pid = 0");
      sql.run("insert into meta(key, value) values (:key, :atMs) on conflict(key) do update set value = excluded.value", {
        key: COPY_MARK,
        atMs: String(atMs),
      });
    }
    return { epoch: schema === 0 ? 0 : epochOf(sql), schema };
  } finally {
    copy.close();
  }
}
