import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { programConfig, programSources } from "../tools/program.config.ts";
import { MEASUREMENTS } from "./measurements.ts";

const FOLDER = fileURLToPath(new URL("../node_modules/.cache/troupe/bench/", import.meta.url));
/** Started by their names, so they must stand where a build has them. */
const THREADS = ["store/sqlite/writer-worker", "store/sqlite/file/copier-worker"] as const;

/** Build the measurements with the program in them as the program itself is built, so that what is measured is what ships. */
export async function buildScripts(): Promise<void> {
  await rm(FOLDER, { recursive: true, force: true });
  const sources = programSources();
  const scripts = MEASUREMENTS.map(({ script }) => [script, fileURLToPath(new URL(`${script}.ts`, import.meta.url))]);
  await build(programConfig(Object.fromEntries([...scripts, ...THREADS.map((name) => [name, sources[name]])]), FOLDER));
}

/** Where {@link buildScripts} puts one. */
export function builtScript(name: string): string {
  return `${FOLDER}${name}.js`;
}
