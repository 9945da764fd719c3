import { defineConfig } from "vite";

/**
 * The page: static files with hashed names and nothing inline, because its policy (SE-086) allows neither inline code nor
 * `data:` addresses. `light-dark()` reaches the browser as it is written: lowering it would turn a theme into a class.
 */
export default defineConfig({
  root: "src/console/ui",
  base: "/",
  publicDir: false,
  clearScreen: false,
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../../../dist/ui",
    emptyOutDir: true,
    target: ["chrome123", "firefox121", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
    sourcemap: false,
  },
});
