import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { RuntimeError } from "../foundation/errors.ts";
import { sha256Hex } from "../foundation/ids.ts";
import type { EndorseLedger } from "../operations/endorse.ts";
import type { Store } from "../store/store.ts";

/** Bytes of a file that can be endorsed. */
const MAX_BYTES = 64 * 1_048_576;
const MAX_NAME = 120;

/** Endorsements as the operation sees them. */
export function endorseLedger({ calls, read }: Pick<Store, "calls" | "read">): EndorseLedger {
  return {
    list: () => read.calls.endorsements(),
    add: (row) => calls.endorse(row),
    remove: (row) => calls.unendorse(row),
    digestOf: (path) => ({ sha256: digestOf(path), name: basename(path).slice(0, MAX_NAME).toWellFormed().replaceAll("\0", "") }),
  };
}

function digestOf(path: string): string {
  let file: number | null = null;
  try {
    // A pipe would keep everything waiting for its other end.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const facts = fstatSync(file);
    if (!facts.isFile()) throw new RuntimeError("not_found", "Cannot endorse: that is no file");
    if (facts.size > MAX_BYTES) throw new RuntimeError("capacity", `Cannot endorse: the file is over ${MAX_BYTES} bytes`);
    return sha256Hex(readFileSync(file));
  } catch (error) {
    if (error instanceof RuntimeError) throw error;
    throw new RuntimeError("not_found", "Cannot endorse: the file cannot be read", { cause: error });
  } finally {
    if (file !== null) closeSync(file);
  }
}
