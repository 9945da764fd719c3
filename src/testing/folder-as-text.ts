import { lstatSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** A folder with all that is in it, as one text: names, kinds, modes and contents. Two that differ in a byte differ in it. */
export function folderAsText(folder: string): string {
  return describe(folder, "").join("\n");
}

function describe(folder: string, name: string): readonly string[] {
  const path = join(folder, name);
  const stats = lstatSync(path);
  const mode = (stats.mode & 0o7777).toString(8);
  if (stats.isSymbolicLink()) return [`${name} link ${readlinkSync(path)}`];
  if (!stats.isDirectory()) return [`${name} ${mode} ${stats.isFile() ? JSON.stringify(readFileSync(path, "latin1")) : "special"}`];
  const inner = readdirSync(path).toSorted();
  return [`${name}/ ${mode}`, ...inner.flatMap((one) => describe(folder, join(name, one)))];
}
