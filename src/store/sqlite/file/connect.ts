import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { RuntimeError } from "../../../foundation/errors.ts";
import { storeFailure, storeFailureOf } from "./failure.ts";
import { SCHEMA_VERSION, schemaVersion } from "./schema.ts";
import { Statements } from "../rows/statements.ts";

/** How long a statement waits for another program's lock. */
export const LOCK_WAIT_MS = 5_000;
/** Databases up to this size are checked page by page at each start (about 1 ms a MiB); larger ones where they are read. */
const MAX_CHECKED_BYTES = 16 * 1024 * 1024;

/**
 * Open the writer's connection. What is there is first looked at through a connection that cannot write, so that a newer,
 * damaged or foreign file is left exactly as it is.
 * @throws RuntimeError `state_newer`, `state_corrupt`, `state_unwritable`, `state_busy`, `disk_full`.
 */
export function connectWriter(path: string, maxPageCount: number | null): DatabaseSync {
  return withCure(path, () => {
    inspect(path);
    const db = new DatabaseSync(path, { timeout: LOCK_WAIT_MS });
    try {
      db.exec("pragma journal_mode = wal");
      db.exec("pragma synchronous = full; pragma secure_delete = on; pragma wal_autocheckpoint = 1000; pragma trusted_schema = off");
      // After a flood the journal file shrinks again with the next checkpoint.
      db.exec("pragma journal_size_limit = 67108864");
      if (maxPageCount !== null) db.exec(`pragma max_page_count = ${Math.trunc(maxPageCount)}`);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

/** Open a connection that cannot write. */
export function connectReader(path: string): DatabaseSync {
  return withCure(path, () => new DatabaseSync(path, { readOnly: true, timeout: LOCK_WAIT_MS }));
}

/**
 * Without a journal the file alone is the whole truth, and it is read without one being made beside it; if another process opens
 * it meanwhile, a journal appears, and what was found counts only once it was found with it.
 */
function inspect(path: string): void {
  if (statSync(path).size === 0) return;
  const journal = `${path}-wal`;
  if (!existsSync(journal)) {
    const alone = pathToFileURL(path);
    alone.searchParams.set("immutable", "1");
    try {
      return look(path, alone);
    } catch (error) {
      if (!existsSync(journal)) throw error;
    }
  }
  look(path, path);
}

function look(path: string, at: string | URL): void {
  const bytes = statSync(path).size;
  const db = new DatabaseSync(at, { readOnly: true, timeout: LOCK_WAIT_MS });
  try {
    const sql = new Statements(db);
    const version = schemaVersion(sql);
    if (version > SCHEMA_VERSION)
      throw storeFailure("state_newer", path, {
        why: `a newer version wrote it (format ${version}, this one knows ${SCHEMA_VERSION}); start that version, or name another folder with TROUPE_STATE`,
      });
    if (bytes <= MAX_CHECKED_BYTES && sql.get("pragma quick_check(1)")?.["quick_check"] !== "ok") throw storeFailure("state_corrupt", path);
  } finally {
    db.close();
  }
}

/** Run an action on the file and turn what SQLite says of it into one line with the path and the cure. */
export function withCure<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const code = storeFailureOf(error);
    if (code !== null) throw storeFailure(code, path, { cause: error });
    if (error instanceof RuntimeError && error.code === "state_corrupt") throw storeFailure("state_corrupt", path, { cause: error });
    throw error;
  }
}
