/**
 * Where the program's own files lie: `src/` of a checkout, `dist/` of a build. This module is one folder below it in both (a build
 * puts whatever entries share into `dist/chunks/`), so a name that holds for the one holds for the other.
 */
export const OWN_ROOT: URL = new URL("../", import.meta.url);

/** A file that is started by its name instead of being imported, a thread's or a process's: `path` from the root, without its ending. */
export function ownFile(path: string): URL {
  return new URL(`${path}${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, OWN_ROOT);
}
