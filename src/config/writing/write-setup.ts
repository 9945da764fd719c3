import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  rmdirSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { RuntimeError } from "../../foundation/errors.ts";
import { printable } from "../../foundation/printable.ts";
import { randomBytes } from "../../foundation/random-bytes.ts";
import { stampOf } from "../files/bounded-file.ts";
import type { Config } from "../config.ts";
import type { LoadOptions } from "../load.ts";
import { loadConfig } from "../load.ts";
import { ConfigInvalid } from "../problem.ts";
import { ensureStateDirectory } from "../files/state-directory.ts";

/** Mode of whatever is new. */
const PRIVATE = 0o600;

/** A file of the state folder, private to its owner. */
export interface SetupFile {
  /** Below the state folder: `secrets/local.key`. */
  readonly name: string;
  readonly text: string;
  /** Whether one that is there may be replaced. */
  readonly replaces: boolean;
}

/** All that one setup writes. */
export interface Setup {
  /** Absolute path of the configuration file, and what is to stand in it. */
  readonly path: string;
  readonly text: string;
  /** The mark of the file that the text was made from; null where none was there. */
  readonly basedOn: string | null;
  /** Absolute; made if a file goes into it. */
  readonly stateDirectory: string;
  /** What must be there for the text to be read: keys. */
  readonly files: readonly SetupFile[];
  /** What follows from the text once it was read. */
  readonly derived: (config: Config) => readonly SetupFile[];
  /** How a start will read it. */
  readonly options: LoadOptions;
}

/** What came of it. `exists`: a file stands there (of any kind) that the text was not made from, and it was not touched. */
export interface SetupResult {
  readonly kind: "written" | "exists";
  readonly path: string;
}

/**
 * Write a configuration and the files that go with it: all of them or none. Everything is written aside and flushed, then the
 * files get their names, the new configuration is read as a start would read it, and it gets its name last. It is one
 * synchronous step, so no signal of this process falls between two of its parts; whatever fails in it is undone.
 * @throws ConfigInvalid when the new text breaks a rule; RuntimeError `state_unwritable`, `disk_full`.
 */
export function writeSetup(setup: Setup): SetupResult {
  const { path, basedOn } = setup;
  const changes = new Changes();
  try {
    if (stampOf(path) !== basedOn) return { kind: "exists", path };
    const publish = (files: readonly SetupFile[]): void => {
      if (files.length > 0) changes.makeState(setup.stateDirectory);
      for (const file of files) changes.publish(join(setup.stateDirectory, file.name), file);
    };
    publish(setup.files);
    const aside = changes.writeAside(path, setup.text, basedOn === null ? PRIVATE : (lstatSync(path).mode & 0o777) | PRIVATE);
    publish(setup.derived(readAside(aside, setup)));
    if (stampOf(path) !== basedOn || !changes.name(aside, path, basedOn !== null)) {
      changes.undo();
      return { kind: "exists", path };
    }
    changes.finish();
    return { kind: "written", path };
  } catch (error) {
    changes.undo();
    throw reasonOf(error, path);
  }
}

/** Write one file of the state folder, which is made if need be: whole or not at all. @throws RuntimeError `state_unwritable`, `disk_full`. */
export function writeStateFile(stateDirectory: string, file: SetupFile): void {
  const changes = new Changes();
  const path = join(stateDirectory, file.name);
  try {
    changes.makeState(stateDirectory);
    changes.publish(path, file);
    changes.finish();
  } catch (error) {
    changes.undo();
    throw reasonOf(error, path);
  }
}

/** What was changed so far, and how to take it back. */
class Changes {
  readonly #back: (() => void)[] = [];
  readonly #leftovers: string[] = [];

  /** Make the state folder if it is not there. */
  makeState(directory: string): void {
    let missing: string | null = null;
    for (let folder = directory; !isThere(folder) && dirname(folder) !== folder; folder = dirname(folder)) missing = folder;
    const first = missing;
    if (first !== null) this.#back.push(() => rmSync(first, { recursive: true, force: true }));
    ensureStateDirectory(directory);
  }

  /** Write a private file under its name, in a folder that is made if need be. */
  publish(path: string, { text, replaces }: SetupFile): void {
    const folder = dirname(path);
    if (!isThere(folder)) {
      mkdirSync(folder, { mode: 0o700 });
      this.#back.push(() => rmdirSync(folder));
    }
    if (!this.name(this.writeAside(path, text), path, replaces))
      throw new RuntimeError("state_unwritable", `Cannot write ${printable(path)}: it is there already`);
  }

  writeAside(path: string, text: string, mode: number = PRIVATE): string {
    const aside = besides(path);
    this.#back.push(() => rmSync(aside, { force: true }));
    const descriptor = openSync(aside, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, PRIVATE);
    try {
      if (mode !== PRIVATE) fchmodSync(descriptor, mode);
      writeSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    return aside;
  }

  /** Give what was written aside its name; false when one is there that may not be replaced. */
  name(aside: string, path: string, replaces: boolean): boolean {
    if (replaces && isThere(path)) {
      const before = besides(path);
      linkSync(path, before);
      this.#leftovers.push(before);
      this.#back.push(() => renameSync(before, path));
      renameSync(aside, path);
      return true;
    }
    try {
      // A link fails where a rename would replace.
      linkSync(aside, path);
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    }
    this.#back.push(() => rmSync(path, { force: true }));
    this.#leftovers.push(aside);
    return true;
  }

  finish(): void {
    for (const path of this.#leftovers) rmSync(path, { force: true });
  }

  undo(): void {
    for (const back of this.#back.toReversed()) back();
  }
}

/** Read the new text as a start would. The name that was only lent is none for people. */
function readAside(aside: string, { path, options, stateDirectory }: Setup): Config {
  try {
    return loadConfig({ ...options, path: aside, stateDirectory }).config;
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error;
    throw ConfigInvalid.of(basename(path), error.problems);
  }
}

function besides(path: string): string {
  return join(dirname(path), `.${basename(path)}.${Buffer.from(randomBytes(6)).toString("hex")}.tmp`);
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function reasonOf(error: unknown, path: string): unknown {
  if (error instanceof RuntimeError) return error;
  const shown = printable(path);
  if (codeOf(error) === "ENOSPC")
    return new RuntimeError("disk_full", `Cannot write ${shown}: the disk is full; make room and try again`, { cause: error });
  return new RuntimeError(
    "state_unwritable",
    `Cannot write ${printable(basename(path))}: the folder ${printable(dirname(path))} cannot be written; correct its owner and mode`,
    { cause: error },
  );
}
