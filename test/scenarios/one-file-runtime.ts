import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { build } from "vite";

/** Modules of a runtime that a test starts and kills: put into one file each, so that a life starts in half the time. */
export interface OneFileRuntime extends AsyncDisposable {
  /** Loaded before the program: counts commits and kills. */
  readonly killAt: string;
  readonly entry: string;
}

const MODULES = ["testing/runtime-entry", "testing/kill-at", "store/sqlite/writer-worker"] as const;

/** A package that a dependency would use if it were installed stays an import, which fails as it would in the program itself. */
const leaveAbsent: Plugin = {
  name: "leave-absent",
  enforce: "pre",
  async resolveId(source, importer, options) {
    if (importer === undefined || /^[./\0]|^node:/.test(source)) return null;
    return (await this.resolve(source, importer, { ...options, skipSelf: true })) ?? { id: source, external: true };
  },
};

/**
 * Bundle the build with `TROUPE_TEST_DIST=1`, the sources otherwise: the same modules in the same order, nothing rewritten or left
 * out. `instead` is the file of a test that is run in place of the runtime's own entry; it stands on the sources.
 */
export async function bundleRuntime(instead?: URL): Promise<OneFileRuntime> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-runtime-"));
  const built = process.env["TROUPE_TEST_DIST"] === "1" && instead === undefined;
  const module = (name: string): string =>
    fileURLToPath(new URL(built ? `../../dist/${name}.js` : `../../src/${name}.ts`, import.meta.url));
  await build({
    configFile: false,
    root: folder,
    logLevel: "error",
    ssr: { noExternal: true },
    plugins: [leaveAbsent],
    build: {
      ssr: true,
      outDir: join(folder, "out"),
      target: "node24",
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries([
          ...MODULES.map((name) => [name, module(name)]),
          ...(instead === undefined ? [] : [["instead", fileURLToPath(instead)]]),
        ]),
        output: { format: "esm", entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" },
      },
    },
  });
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  const file = (name: string): string => join(folder, "out", `${name}.js`);
  return {
    killAt: file("testing/kill-at"),
    entry: file(instead === undefined ? "testing/runtime-entry" : "instead"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
