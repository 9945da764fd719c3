import type { ErrorCode } from "../../../foundation/errors.ts";
import { RuntimeError } from "../../../foundation/errors.ts";

/** Codes that end a store: nothing can be written after them (V4). */
export type StoreFailureCode = Extract<
  ErrorCode,
  "disk_full" | "state_unwritable" | "state_corrupt" | "state_newer" | "state_older" | "state_busy"
>;

const BY_RESULT: ReadonlyMap<number, StoreFailureCode> = new Map([
  [3, "state_unwritable"], // SQLITE_PERM
  [5, "state_busy"], // SQLITE_BUSY: another program holds the file locked for longer than the wait
  [7, "state_unwritable"], // SQLITE_NOMEM
  [8, "state_unwritable"], // SQLITE_READONLY
  [10, "state_unwritable"], // SQLITE_IOERR
  [11, "state_corrupt"], // SQLITE_CORRUPT
  [13, "disk_full"], // SQLITE_FULL
  [14, "state_unwritable"], // SQLITE_CANTOPEN
  [22, "state_unwritable"], // SQLITE_NOLFS
  [26, "state_corrupt"], // SQLITE_NOTADB
]);
/** SQLITE_IOERR_SHMSIZE: the journal's index, which lies beside it, could not grow. */
const NO_ROOM_FOR_INDEX = 4_874;
const BY_ERRNO: ReadonlyMap<string, StoreFailureCode> = new Map([
  ["ENOSPC", "disk_full"],
  ["EDQUOT", "disk_full"],
]);

/** The code of an error that comes from the file or its disk; null when the statement or its values were at fault. */
export function storeFailureOf(error: unknown): StoreFailureCode | null {
  if (!(error instanceof Error)) return null;
  if (!("errcode" in error) || typeof error.errcode !== "number") return null;
  if (error.errcode === NO_ROOM_FOR_INDEX) return "disk_full";
  return BY_RESULT.get(error.errcode & 0xff) ?? null;
}

/** The code of a failed file operation. */
export function fileFailureOf(error: unknown): StoreFailureCode {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  return BY_ERRNO.get(code) ?? "state_unwritable";
}

const CURES: Readonly<Record<StoreFailureCode, string>> = {
  disk_full: "the disk is full, or the database has reached its page limit; make room and start again",
  state_unwritable: "it cannot be read and written by this user; correct its owner and mode, or name another folder with TROUPE_STATE",
  state_corrupt: "it is damaged or not a database of this program; put a backup in its place, or move it away to begin anew",
  state_newer: "a newer version wrote it; start that version, or name another folder with TROUPE_STATE",
  state_older:
    "it is an older copy, and what was forgotten, forbidden or sent since would come back; put the newer one in its place, or start with --restored, which takes all authority from it",
  state_busy: "another program holds it locked; end that program, or name another folder with TROUPE_STATE",
};

/** One line that names the path, what is wrong and what helps (TR-085). */
export function storeFailure(code: StoreFailureCode, path: string, options: { why?: string; cause?: unknown } = {}): RuntimeError {
  return new RuntimeError(code, `Cannot use ${path}: ${options.why ?? CURES[code]}`, { cause: options.cause });
}
