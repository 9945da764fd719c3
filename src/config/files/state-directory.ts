import { dirname } from "node:path";
import { accessSync, chmodSync, constants, lstatSync, mkdirSync, statSync } from "node:fs";
import type { Stats } from "node:fs";
import { RuntimeError } from "../../foundation/errors.ts";
import { printable } from "../../foundation/printable.ts";

const ANOTHER = "name another folder with --state or TROUPE_STATE";
const IN_THE_WAY = "a file stands in the way";
const LINK = "it is a symbolic link; name the real folder";
const WORLD_WRITABLE = "everyone on this computer can write to it; run chmod 700 on it";

/**
 * Make sure that the state folder is there, a folder, private and writable. A new one is 0700; one that others can write to
 * is refused, since whoever can replace the database owns the runtime.
 * @throws RuntimeError `state_unwritable`
 */
export function ensureStateDirectory(path: string): void {
  const refuse = (why: string, cause?: unknown): RuntimeError =>
    new RuntimeError("state_unwritable", `Cannot use the state folder ${printable(path)}: ${why}`, { cause });
  const found = inspectStateDirectory(path);
  if (found.kind === "refused") throw refuse(found.cure === "" ? found.why : `${found.why}; ${found.cure}`);
  try {
    if (mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(path, 0o700);
  } catch (error) {
    throw refuse(`it cannot be made here; ${ANOTHER}`, error);
  }
}

/** What {@link inspectStateDirectory} finds. */
export type StateDirectory =
  | { readonly kind: "there" | "can_be_made" }
  /** `cure` is "" where `why` names it. */
  | { readonly kind: "refused"; readonly why: string; readonly cure: string };

/** Tell whether a state folder is there and can be used, could be made, or cannot be; changes nothing. */
export function inspectStateDirectory(path: string): StateDirectory {
  try {
    return inspect(path);
  } catch {
    // Something on the way to it cannot be looked at.
    return { kind: "refused", why: "this user may not look at it", cure: ANOTHER };
  }
}

function inspect(path: string): StateDirectory {
  let folder = path;
  while (statOf(folder) === undefined && dirname(folder) !== folder) folder = dirname(folder);
  const stats = statOf(folder);
  if (stats?.isDirectory() !== true) return { kind: "refused", why: IN_THE_WAY, cure: ANOTHER };
  const unsafe = folder === path ? unsafeOf(path, stats) : null;
  if (unsafe !== null) return { kind: "refused", why: unsafe, cure: "" };
  if (mayWrite(folder)) return { kind: folder === path ? "there" : "can_be_made" };
  return { kind: "refused", why: `this user may not write to ${folder === path ? "it" : "the folder around it"}`, cure: ANOTHER };
}

/** Why a folder that is there must not hold the state; null when nothing speaks against it. */
function unsafeOf(path: string, stats: Stats): string | null {
  if (lstatSync(path).isSymbolicLink()) return LINK;
  return process.platform !== "win32" && (stats.mode & 0o002) !== 0 ? WORLD_WRITABLE : null;
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A path through a file leads nowhere, like one that is not there. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return undefined;
    throw error;
  }
}
