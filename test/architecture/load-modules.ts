/**
 * Run by `modules-load.test.ts` in a process of its own: import every file named on standard input, one a line, and print as JSON
 * what an import left behind. A module that is loaded does nothing; whoever opens a door does.
 */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const QUIET = new Set(["TTYWrap", "PipeWrap", "FSReqCallback", "FSReqPromise", "FileHandle", "TCPSocketWrap"]);

/** Libraries (and node's own fetch) keep a registry there; ours keep none. */
const OF_LIBRARIES = /^(?:__zod_|Symbol\(undici\.)/;

function stateOf(): { readonly globals: readonly string[]; readonly listeners: number } {
  const listeners = process.eventNames().reduce((count, name) => count + process.listenerCount(name), 0);
  return { globals: Reflect.ownKeys(globalThis).map(String), listeners };
}

const problems: string[] = [];
const files = readFileSync(0, "utf8")
  .split("\n")
  .filter((line) => line !== "");
for (const file of files) {
  const before = stateOf();
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    problems.push(`${file} does not load: ${String(error).split("\n")[0]}`);
  }
  const after = stateOf();
  const added = after.globals.filter((name) => !before.globals.includes(name) && !OF_LIBRARIES.test(name));
  if (added.length > 0) problems.push(`${file} adds ${added.join(", ")} to the global object`);
  if (after.listeners > before.listeners) problems.push(`${file} listens to events of the process`);
  const handles = process.getActiveResourcesInfo().filter((kind) => !QUIET.has(kind));
  if (handles.length > 0) problems.push(`${file} leaves ${handles.join(", ")} running`);
}
process.stdout.write(`${JSON.stringify({ loaded: files.length, problems })}\n`);
