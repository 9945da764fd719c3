/** `node --import <this file>`: the engine is set up as the launcher sets it up. */
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  const flags: unknown = JSON.parse(readFileSync(new URL("../bin/engine-flags.json", import.meta.url), "utf8"));
  if (Array.isArray(flags)) for (const flag of flags) setFlagsFromString(String(flag));
}
