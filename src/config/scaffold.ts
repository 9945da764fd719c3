import { closeSync, constants, fsyncSync, linkSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { RuntimeError } from "../foundation/errors.ts";
import { randomBytes } from "../foundation/random-bytes.ts";
import { printable } from "../foundation/printable.ts";
import { EXAMPLE_YAML } from "./example.ts";
import { CONFIG_FILE } from "./load.ts";

/** What came of it: a new file, or one (of any kind) that was there and was not touched. */
export type ScaffoldResult = { readonly kind: "written"; readonly path: string } | { readonly kind: "exists"; readonly path: string };

/**
 * Write a first, commented `troupe.yaml` into a folder, private (0600) and whole or not at all; never over anything that is there.
 * @throws RuntimeError `state_unwritable` when the folder cannot be written, `disk_full`.
 */
export function scaffoldConfig(directory: string): ScaffoldResult {
  const path = join(directory, CONFIG_FILE);
  const aside = join(directory, `.${CONFIG_FILE}.${Buffer.from(randomBytes(6)).toString("hex")}.tmp`);
  try {
    try {
      writeNew(aside, EXAMPLE_YAML);
      // A link fails where a rename would replace.
      linkSync(aside, path);
      return { kind: "written", path };
    } finally {
      rmSync(aside, { force: true });
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "EEXIST") return { kind: "exists", path };
    if (code === "ENOSPC")
      throw new RuntimeError("disk_full", `Cannot write ${printable(path)}: the disk is full; make room and try again`, { cause: error });
    throw new RuntimeError(
      "state_unwritable",
      `Cannot write ${CONFIG_FILE}: the folder ${printable(directory)} cannot be written; correct its owner and mode`,
      {
        cause: error,
      },
    );
  }
}

function writeNew(path: string, text: string): void {
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
