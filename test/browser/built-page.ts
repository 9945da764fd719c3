import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { build } from "vite";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** One file of the page. */
export interface BuiltFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Build the page as it stands in the sources, and give its files by path; nothing stays on the disk. */
export async function buildPage(): Promise<ReadonlyMap<string, BuiltFile>> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-page-"));
  try {
    await build({ configFile: "vite.config.ts", mode: "production", build: { outDir: folder, emptyOutDir: true } });
    const files = new Map<string, BuiltFile>();
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(folder.length);
      files.set(name === "/index.html" ? "/" : name, {
        type: TYPES[extname(name)] ?? "application/octet-stream",
        bytes: await readFile(path),
      });
    }
    return files;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
