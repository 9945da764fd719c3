/**
 * `node --import <this file>`: whatever names a file of `src/` gets the built one of `dist/` instead, so that what is measured is
 * what ships while the bench is checked against the sources. Holds in the store's thread too.
 */
import { registerHooks } from "node:module";

const source = new URL("../src/", import.meta.url).href;
const built = new URL("../dist/", import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (!found.url.startsWith(source) || !found.url.endsWith(".ts")) return found;
    return { ...found, url: `${built}${found.url.slice(source.length, -".ts".length)}.js`, format: "module" };
  },
});
