import { randomBytes } from "node:crypto";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { copyDatabase } from "./copy-database.ts";

const NAME = /^(?:before-format-\d+|copy-[0-9a-f]{16})\.db(?:-journal)?$/;

/** A name for one more copy beside the database. */
export function newCopyName(): string {
  return `copy-${randomBytes(8).toString("hex")}.db`;
}

/** Copy a database aside before it is brought to another version (TR-095). An older copy under the name is replaced. */
export function copyBeforeMigration(path: string, directory: string, change: { readonly to: number; readonly nowMs: number }): void {
  const aside = join(directory, `before-format-${change.to}.db`);
  rmSync(aside, { force: true });
  copyDatabase(path, aside, change.nowMs);
}

/** A copy is for going back or for packing at once, and it holds people's words: remove those that were last written before a moment; all of them when somebody is forgotten. */
export function dropEarlierCopies(directory: string, beforeMs: number): void {
  for (const name of readdirSync(directory)) {
    if (!NAME.test(name)) continue;
    const path = join(directory, name);
    if (statSync(path).mtimeMs < beforeMs) rmSync(path, { force: true });
  }
}
