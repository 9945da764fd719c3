import { accessSync, chmodSync, closeSync, constants, lstatSync, mkdirSync, openSync } from "node:fs";
import type { Stats } from "node:fs";
import { join, resolve } from "node:path";
import { fileFailureOf, storeFailure } from "./failure.ts";

/** Name of the database in the state folder. */
export const DATABASE_NAME = "troupe.db";
const OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * Make the state folder (0700) and an empty database (0600) where there is none, and make both private where they are not;
 * gives the database's path. Nothing that exists is emptied or replaced.
 * @throws RuntimeError `state_unwritable`, `disk_full`: one line with the path and the cure.
 */
export function prepareStateFolder(directory: string): string {
  const folder = resolve(directory);
  guarded(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
  const stats = guarded(folder, () => lstatSync(folder));
  if (stats.isSymbolicLink())
    throw storeFailure("state_unwritable", folder, { why: "it is a symbolic link; name the real folder with TROUPE_STATE" });
  if (!stats.isDirectory())
    throw storeFailure("state_unwritable", folder, { why: "it is not a folder; name another one with TROUPE_STATE" });
  if ((stats.mode & STICKY) !== 0)
    throw storeFailure("state_unwritable", folder, { why: "it is a folder that everyone shares; name one of your own with TROUPE_STATE" });
  makePrivate(folder, stats, 0o700);
  guarded(folder, () => accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK));
  return prepareFile(join(folder, DATABASE_NAME));
}

/** The journal files take the database's mode, so only the database itself has to be right. */
function prepareFile(path: string): string {
  const stats = guarded(path, () => lstatSync(path, { throwIfNoEntry: false }));
  if (stats === undefined) {
    guarded(path, () => closeSync(openSync(path, constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW, 0o600)));
    return path;
  }
  if (!stats.isFile()) throw storeFailure("state_unwritable", path, { why: "it is not a regular file; move it away to begin anew" });
  makePrivate(path, stats, 0o600);
  guarded(path, () => accessSync(path, constants.R_OK | constants.W_OK));
  return path;
}

function makePrivate(path: string, stats: Stats, mode: number): void {
  if ((stats.mode & OTHERS) !== 0) guarded(path, () => chmodSync(path, mode));
}

function guarded<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "EEXIST" || error.code === "ENOTDIR"))
      throw storeFailure("state_unwritable", path, { why: "it is not a folder; name another one with TROUPE_STATE", cause: error });
    throw storeFailure(fileFailureOf(error), path, { cause: error });
  }
}
