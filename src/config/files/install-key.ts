import { closeSync, constants, fsyncSync, linkSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { RuntimeError } from "../../foundation/errors.ts";
import { printable } from "../../foundation/printable.ts";
import { randomBytes } from "../../foundation/random-bytes.ts";
import { readBounded } from "./bounded-file.ts";

/** Name of the key's file in the state folder. */
export const INSTALL_KEY_FILE: string = "install.key";
/** Length of the key. */
export const INSTALL_KEY_BYTES: number = 32;

/**
 * Read the install key, made of 32 random bytes at the first start: what keyed hashes of this installation hang on (TR-033). The file is
 * written aside, flushed and linked into place, so it is there whole or not at all, and of two processes that start at once
 * both get the same key.
 * @throws RuntimeError `state_corrupt` when the file is a link, of another size or open to others; `state_unwritable`, `disk_full`.
 */
export function ensureInstallKey(stateDirectory: string): Uint8Array {
  const path = join(stateDirectory, INSTALL_KEY_FILE);
  const known = readKey(path);
  if (known !== null) return known;
  publish(path);
  const made = readKey(path);
  if (made === null) throw new RuntimeError("state_unwritable", "Cannot make the install key: its file vanished");
  return made;
}

function readKey(path: string): Uint8Array | null {
  const refuse = (why: string): RuntimeError =>
    new RuntimeError("state_corrupt", `Cannot use ${INSTALL_KEY_FILE} in the state folder: ${why}`);
  const read = readBounded(path, INSTALL_KEY_BYTES);
  switch (read.kind) {
    case "missing":
      return null;
    case "refused":
      throw refuse(read.why);
    case "too_large":
      throw refuse(`it is over ${INSTALL_KEY_BYTES} bytes`);
    case "read":
      if (read.bytes.length !== INSTALL_KEY_BYTES) throw refuse(`it must have ${INSTALL_KEY_BYTES} bytes`);
      if (process.platform !== "win32" && read.mode !== 0o600)
        throw refuse("it must be readable and writable by its owner alone; run chmod 600 on it");
      return read.bytes;
  }
}

/** Put a new key where there is none; whoever comes second leaves the first one's in place. */
function publish(path: string): void {
  const aside = `${path}.${Buffer.from(randomBytes(8)).toString("hex")}.tmp`;
  try {
    try {
      writeNew(aside, randomBytes(INSTALL_KEY_BYTES));
      linkSync(aside, path);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    } finally {
      rmSync(aside, { force: true });
    }
    syncFolder(join(path, ".."));
  } catch (error) {
    const what = `Cannot make the install key ${printable(path)}`;
    if (codeOf(error) === "ENOSPC")
      throw new RuntimeError("disk_full", `${what}: the disk is full; make room and start again`, { cause: error });
    throw new RuntimeError("state_unwritable", `${what}: the state folder cannot be written; correct its owner and mode`, { cause: error });
  }
}

function writeNew(path: string, bytes: Uint8Array): void {
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0), 0o600);
  try {
    writeSync(descriptor, bytes);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the new name survive a power cut; systems that cannot open a folder have no need of it. */
function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
