import { closeSync, constants, fchmodSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { RuntimeError } from "../foundation/errors.ts";
import { printable } from "../foundation/printable.ts";

/** Where log lines go when they go into a file, and how much of them is kept. */
export interface LogFileOptions {
  /** Absolute. Older files stand beside it as `<path>.1`, `<path>.2`, …, the newest first. */
  readonly path: string;
  /** Bytes of one file, at most; a longer single line is left out and counted. */
  readonly maxBytes: number;
  /** Older files that are kept beside the present one. */
  readonly keep: number;
}

/** A log file and what became of lines. Disposing it closes the file. */
export interface LogFile extends Disposable {
  /** Write one whole line with its end. Never throws: a line that cannot be written is counted, and goes to `otherwise`. */
  write(line: string): void;
  /** Lines that could not be written since the start. */
  readonly dropped: number;
  /** How often a full file was put aside since the start. */
  readonly rotations: number;
}

/**
 * Open a log file that puts itself aside when it is full: private (0600) whatever it was before, never over its size, never
 * more of them than `keep` and the present one. Lines are written at once, so that the last one before a crash is there.
 * @throws RuntimeError `state_unwritable` when it is no regular file, a link, or cannot be opened.
 */
export function openLogFile(options: LogFileOptions, otherwise: (line: string) => void): LogFile {
  return new RotatingFile(options, otherwise);
}

class RotatingFile implements LogFile {
  readonly #options: LogFileOptions;
  readonly #otherwise: (line: string) => void;
  #descriptor: number | null;
  #bytes = 0;
  dropped = 0;
  rotations = 0;

  constructor(options: LogFileOptions, otherwise: (line: string) => void) {
    this.#options = options;
    this.#otherwise = otherwise;
    try {
      mkdirSync(dirname(options.path), { recursive: true, mode: 0o700 });
      this.#descriptor = this.#open();
    } catch (cause) {
      if (cause instanceof RuntimeError) throw cause;
      throw new RuntimeError(
        "state_unwritable",
        `Cannot open the log file ${printable(options.path)}: it must be a regular file that this user may write; correct log.file`,
        { cause },
      );
    }
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    try {
      if (bytes > this.#options.maxBytes) throw new RuntimeError("capacity", "Cannot log a line: it is longer than a whole file");
      if (this.#bytes + bytes > this.#options.maxBytes) this.#rotate();
      this.#descriptor ??= this.#open();
      writeSync(this.#descriptor, line);
      this.#bytes += bytes;
    } catch {
      // Whoever logs can do nothing about it; that it happened is counted, and the line is not lost if somebody reads the other way.
      this.dropped += 1;
      this.#otherwise(line);
    }
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #open(): number {
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    const descriptor = openSync(this.#options.path, flags, 0o600);
    try {
      const found = fstatSync(descriptor);
      if (!found.isFile())
        throw new RuntimeError("state_unwritable", `Cannot log to ${printable(this.#options.path)}: it is no regular file`);
      if (process.platform !== "win32" && (found.mode & 0o777) !== 0o600) fchmodSync(descriptor, 0o600);
      this.#bytes = found.size;
      return descriptor;
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  /** Put the full file aside, and each older one a place further; what has no place any more goes. */
  #rotate(): void {
    const { path, keep } = this.#options;
    this[Symbol.dispose]();
    if (keep === 0) rmSync(path, { force: true });
    else {
      rmSync(`${path}.${keep}`, { force: true });
      for (let at = keep - 1; at >= 1; at -= 1) moveIfThere(`${path}.${at}`, `${path}.${at + 1}`);
      moveIfThere(path, `${path}.1`);
    }
    this.rotations += 1;
    this.#descriptor = this.#open();
  }
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}
