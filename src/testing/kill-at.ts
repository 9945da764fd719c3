import { DatabaseSync } from "node:sqlite";

/**
 * `node --import <this file>`: kill the process with SIGKILL at its n-th commit, before or after it. Preloads run in worker
 * threads too, so the writer's commits are counted where they happen; the product holds no hook for it.
 * `TROUPE_KILL_AT_COMMIT` is n, `TROUPE_KILL_WHEN` is `before` or `after`; without n nothing happens.
 */
const n = Number(process.env["TROUPE_KILL_AT_COMMIT"] ?? "0");
const after = process.env["TROUPE_KILL_WHEN"] === "after";
let commits = 0;

if (n > 0) {
  const exec = Reflect.get(DatabaseSync.prototype, "exec");
  Reflect.set(DatabaseSync.prototype, "exec", function counted(this: DatabaseSync, sql: string): unknown {
    if (!/^\s*commit\b/i.test(sql)) return Reflect.apply(exec, this, [sql]);
    commits += 1;
    if (commits === n && !after) process.kill(process.pid, "SIGKILL");
    const result: unknown = Reflect.apply(exec, this, [sql]);
    if (commits === n && after) process.kill(process.pid, "SIGKILL");
    return result;
  });
}
