/**
 * `node --import <this file>`: whatever names a file of `src/` gets the built one of `dist/` instead, so that what is measured is
 * what ships while the bench is checked against the sources. Holds in the store's thread too. The engine runs as the launcher has it.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { setFlagsFromString } from "node:v8";
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  const flags: unknown = JSON.parse(readFileSync(new URL("../bin/engine-flags.json", import.meta.url), "utf8"));
  if (Array.isArray(flags)) for (const flag of flags) setFlagsFromString(String(flag));
}

const source = new URL("../src/", import.meta.url).href;
const built = new URL("../dist/", import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (!found.url.startsWith(source) || !found.url.endsWith(".ts")) return found;
    return { ...found, url: `${built}${found.url.slice(source.length, -".ts".length)}.js`, format: "module" };
  },
});
