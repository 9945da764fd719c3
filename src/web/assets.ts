import { readFile, readdir } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { throwIfAborted } from "../foundation/cancellation.ts";
import { RuntimeError } from "../foundation/errors.ts";

const MAX_FILES = 64;
const MAX_BYTES = 4 * 1024 * 1024;

/** One file of the shell. */
export interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The shell's files by exact path (`/`, `/assets/x.js`), all in memory: a request never becomes a file name. */
export type Assets = ReadonlyMap<string, Asset>;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};

/**
 * Read a built page into memory: at most 64 files of known types and 4 MiB in all; `index.html` becomes `/`. A folder that is
 * not there, or has no `index.html`, gives one plain page that says how to build it.
 * @throws RuntimeError `capacity` when the folder holds more.
 */
export async function loadAssets(folder: string, signal: AbortSignal): Promise<Assets> {
  const names = await listFiles(folder);
  if (!names.includes("index.html")) return unbuilt();
  if (names.length > MAX_FILES) throw new RuntimeError("capacity", `Cannot load the page's files: there are over ${MAX_FILES}`);
  const assets = new Map<string, Asset>();
  let total = 0;
  for (const name of names) {
    throwIfAborted(signal);
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const bytes = await readFile(join(folder, name));
    total += bytes.length;
    if (total > MAX_BYTES) throw new RuntimeError("capacity", `Cannot load the page's files: they are over ${MAX_BYTES} bytes`);
    assets.set(name === "index.html" ? "/" : `/${name.split(sep).join("/")}`, { type, bytes });
  }
  return assets;
}

async function listFiles(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(join(folder, sep).length));
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return [];
    throw new RuntimeError("not_found", "Cannot read the page's files: the folder cannot be listed", { cause: error });
  }
}

function unbuilt(): Assets {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Troupe</title><body><h1>The page is not built yet</h1><p>Run <code>npm run build</code>, then start again. The terminal (<code>troupe chat</code>) works without it.</p></body></html>`;
  return new Map([["/", { type: "text/html; charset=utf-8", bytes: Buffer.from(page) }]]);
}
