import { dirname } from "node:path";
import { accessSync, chmodSync, constants, mkdirSync, statSync } from "node:fs";
import { RuntimeError } from "../foundation/errors.ts";
import { printable } from "../foundation/printable.ts";

/**
 * Make sure that the state folder is there, a folder, private and writable. A new one is 0700; one that others can write to
 * is refused, since whoever can replace the database owns the runtime.
 * @throws RuntimeError `state_unwritable`
 */
export function ensureStateDirectory(path: string): void {
  const refuse = (why: string, cause?: unknown): RuntimeError =>
    new RuntimeError("state_unwritable", `Cannot use the state folder ${printable(path)}: ${why}`, { cause });
  try {
    if (mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(path, 0o700);
  } catch (error) {
    throw refuse("it cannot be made here", error);
  }
  try {
    if (!statSync(path).isDirectory()) throw refuse("it is no folder");
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw error instanceof RuntimeError ? error : refuse("this user may not write to it", error);
  }
  if (process.platform !== "win32" && (statSync(path).mode & 0o002) !== 0)
    throw refuse("everyone on this computer can write to it; run chmod 700 on it");
}

/** Tell whether a state folder is there and writable, could be made, or cannot be; changes nothing. */
export function inspectStateDirectory(
  path: string,
): { readonly kind: "there" | "can_be_made" } | { readonly kind: "refused"; readonly why: string } {
  let folder = path;
  while (statSync(folder, { throwIfNoEntry: false }) === undefined && dirname(folder) !== folder) folder = dirname(folder);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return { kind: "refused", why: "a file stands in the way" };
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return { kind: folder === path ? "there" : "can_be_made" };
  } catch {
    return { kind: "refused", why: `this user may not write to ${folder === path ? "it" : "the folder around it"}` };
  }
}
