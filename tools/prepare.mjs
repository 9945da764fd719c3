// Builds dist/ and dist/ui/. Run by npm's `prepare`, by `npm run build`, and by bin/troupe.cjs when dist/ is not there.
//
//   node tools/prepare.mjs               build; leave without a word where the build tools are not installed (omit=dev)
//   node tools/prepare.mjs --force       build; fail where the build tools are not installed
//   node tools/prepare.mjs --if-missing  build only if there is no whole dist/, and say so
//
// The types are not checked here (`npm run types` does): a build takes seconds, and a type error never stops an install.
// Everything is built beside dist/ and moved into its place at the end, so that a build that fails leaves the old one.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const source = join(root, "src");
const page = join(source, "console", "ui");
const flags = new Set(process.argv.slice(2));

function main() {
  for (const flag of flags) if (flag !== "--force" && flag !== "--if-missing") return fail(`Cannot build: unknown option ${flag}`, 2);
  if (flags.has("--if-missing") && isWhole()) return 0;
  if (!areToolsInstalled()) {
    if (flags.size === 0) return 0;
    return fail("Cannot build: the build tools are not installed. Run npm ci first.", 1);
  }
  if (Number.parseInt(process.versions.node, 10) < 22) return runAgainWithPinnedNode();
  if (flags.has("--if-missing")) process.stderr.write("Building dist/ first (a few seconds, once) ...\n");
  return build();
}

/** The last file that a build puts in place is the page's; with the entry beside it the build is whole. */
function isWhole() {
  return existsSync(join(dist, "main.js")) && existsSync(join(dist, "ui", "index.html"));
}

function areToolsInstalled() {
  const resolveFrom = createRequire(join(root, "package.json"));
  try {
    resolveFrom.resolve("vite/package.json");
    resolveFrom.resolve("typescript/package.json");
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") return false;
    throw error;
  }
}

/** Vite and the compiler need Node 22; the machine's own may be older. */
function runAgainWithPinnedNode() {
  const pinned = join(root, "node_modules", ".bin", "node");
  if (!existsSync(pinned))
    return fail(`Cannot build: Node ${process.versions.node} is too old and node_modules/.bin/node is not there. Run npm ci first.`, 1);
  return spawnSync(pinned, [fileURLToPath(import.meta.url), ...flags], { stdio: "inherit" }).status ?? 1;
}

function build() {
  const target = join(root, "node_modules", ".troupe-build", String(process.pid));
  try {
    mkdirSync(target, { recursive: true });
    const failed = runTool("typescript/bin/tsc", ["-p", "tsconfig.build.json", "--outDir", target]);
    if (failed !== 0) return fail("Cannot build: the compiler failed.", failed);
    const program = ["build", "--config", "tools/program.config.ts", "--outDir", target];
    const programFailed = runTool("vite/bin/vite.js", program);
    if (programFailed !== 0) return fail("Cannot build: the program's bundler failed.", programFailed);
    rewriteDeclarations(target);
    copyData(target);
    const pageFailed = runTool("vite/bin/vite.js", ["build", "--outDir", join(target, "ui"), "--emptyOutDir"]);
    if (pageFailed !== 0) return fail("Cannot build: the page's bundler failed.", pageFailed);
    replaceDist(target);
    return 0;
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    return fail(`Cannot build: ${error.message}. The folder of the checkout must be writable.`, 1);
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
}

function runTool(script, args) {
  const resolveFrom = createRequire(join(root, "package.json"));
  const [name, ...rest] = script.split("/");
  const file = join(dirname(resolveFrom.resolve(`${name}/package.json`)), ...rest);
  return (
    spawnSync(process.execPath, [file, ...args], { cwd: root, stdio: "inherit", env: { ...process.env, NODE_ENV: "production" } }).status ??
    1
  );
}

/** The compiler leaves `.ts` in the specifiers of declarations (TypeScript#61037). */
function rewriteDeclarations(folder) {
  for (const file of filesUnder(folder)) {
    if (!file.endsWith(".d.ts")) continue;
    const text = readFileSync(file, "utf8");
    const rewritten = text.replace(/((?:from|import)\s*\(?\s*["']\.{1,2}\/[^"']+)\.ts(["'])/g, "$1.js$2");
    if (rewritten !== text) writeFileSync(file, rewritten);
  }
}

/** Packaged data (example configuration, cards) stands beside its TypeScript and goes along as it is. */
function copyData(target) {
  for (const file of filesUnder(source)) {
    if (/\.tsx?$|\.md$/.test(file) || file.startsWith(page + sep)) continue;
    cpSync(file, join(target, relative(source, file)), { recursive: true });
  }
}

function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** Two renames: no moment has a mixture of the old and the new build. */
function replaceDist(target) {
  const old = `${target}-old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(target, dist);
  rmSync(old, { recursive: true, force: true });
}

function fail(message, status) {
  process.stderr.write(`${message}\n`);
  return status;
}

process.exitCode = main();
