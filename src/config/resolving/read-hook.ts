import { printable } from "../../foundation/printable.ts";
import { sha256Hex } from "../../foundation/ids.ts";
import { readBounded } from "../files/bounded-file.ts";
import type { HookConfig } from "./resolve-hooks.ts";

/** Longest hook, in bytes. */
const MAX_HOOK_BYTES = 262_144;

/** What came of reading a hook's file; `why` and `cure` are for people. */
export type HookFile =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "unusable"; readonly why: string; readonly cure: string };

/** Read exactly the bytes that the configuration names, once: what is checked is what is run (CH-084, TR-071). */
export function readHook({ file, sha256 }: Pick<HookConfig, "file" | "sha256">): HookFile {
  const shown = printable(file, 200);
  const read = readBounded(file, MAX_HOOK_BYTES);
  switch (read.kind) {
    case "missing":
      return { kind: "unusable", why: `${shown} does not exist`, cure: "put it there, or take the hook out" };
    case "refused":
      return { kind: "unusable", why: `${shown} cannot be read: ${read.why}`, cure: "put a regular file there that this user may read" };
    case "too_large":
      return { kind: "unusable", why: `${shown} is over ${MAX_HOOK_BYTES} bytes`, cure: "make it shorter" };
    case "read":
      break;
  }
  const text = Buffer.from(read.bytes).toString("utf8");
  const found = sha256Hex(read.bytes);
  if (found === sha256) return { kind: "text", text };
  return {
    kind: "unusable",
    why: `${shown} is not the file that was named: its SHA-256 is ${found}`,
    cure: "look at what changed in it, then write that as sha256",
  };
}
