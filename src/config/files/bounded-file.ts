import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import type { Stats } from "node:fs";

/** What came of reading a file that must be regular, no symbolic link, and small (MC-088). */
export type BoundedRead =
  | { readonly kind: "read"; readonly bytes: Uint8Array; readonly mode: number; readonly stamp: string }
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "too_large" };

/** Read a whole file of at most `maxBytes`. Type and size are checked on the opened file, before a byte is read; nothing blocks on a pipe. */
export function readBounded(path: string, maxBytes: number): BoundedRead {
  const before = look(path);
  if (before.kind !== "file") return before;
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return refusal(error);
  }
  try {
    return readOpened(descriptor, maxBytes);
  } catch (error) {
    return refusal(error);
  } finally {
    closeSync(descriptor);
  }
}

/** A word that changes when the file does, or null when there is none. */
export function stampOf(path: string): string | null {
  try {
    return stamp(lstatSync(path));
  } catch (error) {
    return refusal(error).kind === "missing" ? null : "unreadable";
  }
}

function readOpened(descriptor: number, maxBytes: number): BoundedRead {
  const stats = fstatSync(descriptor);
  if (!stats.isFile()) return { kind: "refused", why: "it is no regular file" };
  if (stats.size > maxBytes) return { kind: "too_large" };
  // One byte more than allowed, so that a file that grows meanwhile is noticed.
  const buffer = new Uint8Array(maxBytes + 1);
  let length = 0;
  for (let got = -1; got !== 0 && length < buffer.length; length += got)
    got = readSync(descriptor, buffer, length, buffer.length - length, null);
  if (length > maxBytes) return { kind: "too_large" };
  return { kind: "read", bytes: buffer.subarray(0, length), mode: stats.mode & 0o777, stamp: stamp(stats) };
}

function look(path: string): { kind: "file" } | Exclude<BoundedRead, { kind: "read" }> {
  try {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) return { kind: "refused", why: "it is a symbolic link" };
    if (stats.isDirectory()) return { kind: "refused", why: "it is a folder" };
    return stats.isFile() ? { kind: "file" } : { kind: "refused", why: "it is no regular file" };
  } catch (error) {
    return refusal(error);
  }
}

function stamp(stats: Stats): string {
  return [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(" ");
}

function refusal(error: unknown): { kind: "missing" } | { kind: "refused"; why: string } {
  const code = error instanceof Error && "code" in error ? error.code : "";
  if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
  if (code === "ELOOP") return { kind: "refused", why: "it is a symbolic link" };
  if (code === "EACCES" || code === "EPERM") return { kind: "refused", why: "this user may not read it" };
  return { kind: "refused", why: "it cannot be read" };
}
