/**
 * `node --import <this file>`: times each commit of the store's thread, and makes it longer where {@link watchCommits} said so.
 * The product holds no hook for it: the database's own method is wrapped, and only in threads.
 */
import { DatabaseSync } from "node:sqlite";
import { isMainThread } from "node:worker_threads";
import { commitWatch, noteCommit } from "./commit-times.ts";

const watch = isMainThread ? null : commitWatch();

if (watch !== null) {
  const exec = Reflect.get(DatabaseSync.prototype, "exec");
  const pause = new Int32Array(new SharedArrayBuffer(4));
  Reflect.set(DatabaseSync.prototype, "exec", function timed(this: DatabaseSync, sql: string): unknown {
    if (!/^\s*commit\b/i.test(sql)) return Reflect.apply(exec, this, [sql]);
    const fromMs = performance.now();
    if (watch.delayMs > 0) Atomics.wait(pause, 0, 0, watch.delayMs);
    const result: unknown = Reflect.apply(exec, this, [sql]);
    noteCommit(watch, performance.now() - fromMs);
    return result;
  });
}
