import { fileURLToPath } from "node:url";
import type { InlineConfig } from "vite";

/** The files of the program that are started or imported by their names: all else goes into files that these share. */
export const PROGRAM = [
  "main",
  "index",
  "testing/index",
  "testing/demo",
  "testing/runtime-entry",
  "testing/kill-at",
  "testing/scripted-model-server",
  "agents/hooks/hook-worker",
  "store/sqlite/writer-worker",
  "store/sqlite/file/copier-worker",
] as const;

/**
 * The program as it ships: few files instead of hundreds, because most of a start is looking files up, and nothing else changed,
 * so that a stack trace reads as the source. Packages stay imports: they keep their licences and an audit sees them.
 */
export function programConfig(entries: Readonly<Record<string, string>>, outDir: string): InlineConfig {
  return {
    configFile: false,
    root: fileURLToPath(new URL("..", import.meta.url)),
    publicDir: false,
    clearScreen: false,
    logLevel: "warn",
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      target: "esnext",
      minify: false,
      rolldownOptions: {
        input: { ...entries },
        // `foundation/own-files.ts` counts on one folder between the shared files and the root. Without `topLevelVar: false` a
        // `using` at the top of a module becomes a `var`, and nothing is ever disposed.
        output: { format: "esm", topLevelVar: false, entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" },
      },
    },
  };
}

/** Where the sources of {@link PROGRAM} stand. */
export function programSources(): Record<string, string> {
  return Object.fromEntries(PROGRAM.map((name) => [name, fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url))]));
}

const config: InlineConfig = programConfig(programSources(), "dist");

export default config;
