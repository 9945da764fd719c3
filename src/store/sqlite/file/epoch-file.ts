import { closeSync, constants, fsyncSync, lstatSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileFailureOf, storeFailure } from "./failure.ts";

/** Name of the second file in the state folder. */
export const EPOCH_FILE = "epoch.json";
/** People on the forget list at most; the oldest go first. A line is about 45 bytes. */
const MAX_FORGOTTEN = 100_000;
const MAX_BYTES = 16 * 1024 * 1024;
const HASH = /^forgotten:[0-9a-z]{1,120}$/;

/** What the second file knows: how old the database beside it must at least be, and who was forgotten when (SE-099, TR-043). */
export interface EpochFile {
  readonly epoch: number;
  /** Pseudonym → moment, oldest first. */
  readonly forgotten: ReadonlyMap<string, number>;
}

/** What a folder without such a file knows. */
export const NO_EPOCH: EpochFile = { epoch: 0, forgotten: new Map() };

/**
 * Read the file; {@link NO_EPOCH} where there is none.
 * @throws RuntimeError `state_unwritable` when this user may not read it, `state_corrupt` when it is not what it must be: guessing
 * would let an old database pass.
 */
export function readEpochFile(directory: string): EpochFile {
  const path = join(directory, EPOCH_FILE);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return NO_EPOCH;
  const parsed = stats.isFile() && stats.size <= MAX_BYTES ? parse(read(path)) : null;
  if (parsed === null)
    throw storeFailure("state_corrupt", path, {
      why: "it cannot be read; put back the one that belongs to this folder, or move it away and start with --restored",
    });
  return parsed;
}

/** Replace the file as a whole: aside, flushed, renamed, so that it is the old one or the new one. @throws RuntimeError `disk_full`, `state_unwritable`. */
export function writeEpochFile(directory: string, file: EpochFile): void {
  const path = join(directory, EPOCH_FILE);
  const aside = `${path}.new`;
  const forgotten = [...file.forgotten].slice(-MAX_FORGOTTEN);
  try {
    const descriptor = openSync(aside, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0), 0o600);
    try {
      writeSync(descriptor, `${JSON.stringify({ epoch: file.epoch, forgotten })}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(aside, path);
    syncFolder(dirname(path));
  } catch (error) {
    throw storeFailure(fileFailureOf(error), path, { cause: error });
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw storeFailure(fileFailureOf(error), path, { cause: error });
  }
}

function parse(text: string): EpochFile | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("epoch" in value) || !("forgotten" in value)) return null;
    const { epoch, forgotten } = value;
    if (typeof epoch !== "number" || !Number.isSafeInteger(epoch) || epoch < 0 || !Array.isArray(forgotten)) return null;
    const entries = forgotten.flatMap((entry: unknown): [string, number][] => {
      const pair: readonly unknown[] = Array.isArray(entry) ? entry : [];
      const [hash, atMs] = pair;
      return typeof hash === "string" && HASH.test(hash) && typeof atMs === "number" ? [[hash, atMs]] : [];
    });
    return entries.length === forgotten.length ? { epoch, forgotten: new Map(entries) } : null;
  } catch {
    return null; // Not to be read is not to be trusted: the caller refuses.
  }
}

function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
