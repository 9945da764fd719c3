import fs, { existsSync, readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync } from "node:sqlite";

/**
 * `node --import <this file>`: while the file named by `TROUPE_TEST_FULL` exists, no database of the process may grow by a page, as
 * on a disk without room. Preloads run in worker threads too, so the writer's own connection is the one that is full. Where the
 * file holds `files`, every other file that is written to is full as well.
 */
const mark = process.env["TROUPE_TEST_FULL"];

if (mark !== undefined) {
  const exec = Reflect.get(DatabaseSync.prototype, "exec");
  Reflect.set(DatabaseSync.prototype, "exec", function bounded(this: DatabaseSync, sql: string): unknown {
    // One page is always below what there is: SQLite then takes the present size as the most it may be.
    if (/^\s*begin\b/i.test(sql) && existsSync(mark)) Reflect.apply(exec, this, ["pragma max_page_count = 1"]);
    return Reflect.apply(exec, this, [sql]);
  });
  const write = Reflect.get(fs, "writeSync");
  Reflect.set(fs, "writeSync", (...args: readonly unknown[]): unknown => {
    if (existsSync(mark) && readFileSync(mark, "utf8") === "files")
      throw Object.assign(new RangeError("no space left on device"), { code: "ENOSPC" });
    return Reflect.apply(write, fs, args);
  });
  syncBuiltinESMExports();
}
