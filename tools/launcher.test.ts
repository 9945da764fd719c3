import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

interface Home {
  readonly folder: string;
  run(
    words: readonly string[],
    options?: { readonly state?: string; readonly preload?: string },
  ): { readonly status: number | null; readonly stdout: string; readonly stderr: string };
}

/** A copy of the launcher in a folder of its own, with whatever stands beside it. */
function withHome(files: Readonly<Record<string, string>>, body: (home: Home) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "troupe-launcher-"));
  try {
    for (const [name, text] of Object.entries({ ...files, "cwd/keep": "" })) {
      mkdirSync(join(folder, name, ".."), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    mkdirSync(join(folder, "bin"), { recursive: true });
    copyFileSync("bin/troupe.cjs", join(folder, "bin", "troupe.cjs"));
    copyFileSync("bin/engine-flags.json", join(folder, "bin", "engine-flags.json"));
    body({
      folder,
      run(words, { state, preload } = {}) {
        const env = { PATH: process.env["PATH"] ?? "", ...(state === undefined ? {} : { TROUPE_STATE: state }) };
        const args = [...(preload === undefined ? [] : ["--require", join(folder, preload)]), join(folder, "bin", "troupe.cjs"), ...words];
        return spawnSync(process.execPath, args, { cwd: join(folder, "cwd"), encoding: "utf8", env, timeout: 30_000 });
      },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const MAIN = {
  "package.json": '{ "type": "module" }',
  "dist/main.js": 'export const main = async () => console.log("started", ...process.argv.slice(2));',
};
const pretend = (version: string): string =>
  `Object.defineProperty(process, "version", { value: "v${version}" }); Object.defineProperty(process, "versions", { value: { node: "${version}" } });`;

test("TR-086 the launcher starts what was built, with the words it was given", () => {
  withHome(MAIN, (home) => {
    const { status, stdout, stderr } = home.run(["run", "--config", "x.yaml"]);
    assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: "started run --config x.yaml\n", stderr: "" });
  });
});

for (const version of ["14.21.3", "20.20.2", "24.11.9"]) {
  test(`the launcher refuses Node ${version} in one line with exit 2, and starts nothing`, () => {
    withHome({ ...MAIN, "old.cjs": pretend(version) }, (home) => {
      const { status, stdout, stderr } = home.run([], { preload: "old.cjs" });
      assert.equal(status, 2);
      assert.equal(stdout, "");
      assert.equal(stderr, `troupe: needs Node.js 24.12 or newer, this is v${version} (${process.execPath})\n`);
    });
  });
}

test("the launcher names the cure on an old Node in a checkout, and takes 24.12 and newer", () => {
  withHome(
    { ...MAIN, "old.cjs": pretend("20.0.0"), "just.cjs": pretend("24.12.0"), "next.cjs": pretend("26.1.0"), "node_modules/.bin/node": "" },
    (home) => {
      assert.match(home.run([], { preload: "old.cjs" }).stderr, /; here, `npm start` brings its own\n$/);
      assert.equal(home.run([], { preload: "just.cjs" }).status, 0);
      assert.equal(home.run([], { preload: "next.cjs" }).status, 0);
    },
  );
});

test("without a build the launcher builds and says so; where that fails it runs the sources; where there are none it says that", () => {
  const sources = {
    "package.json": '{ "type": "module" }',
    "src/main.ts": 'export const main = (): void => console.log("from source" as string);',
  };
  const building = `import { mkdirSync, writeFileSync } from "node:fs"; console.log("Building"); mkdirSync("dist"); writeFileSync("dist/main.js", 'export const main = () => console.log("built", process.argv[2]);');`;
  withHome({ ...sources, "tools/prepare.mjs": building }, (home) => {
    assert.deepEqual(home.run(["check"]).stdout, "built check\n");
    assert.match(home.run(["check"]).stdout, /^built check$/m);
  });
  withHome({ ...sources, "tools/prepare.mjs": 'console.log("Building"); process.exitCode = 1;' }, (home) => {
    const { status, stdout, stderr } = home.run([]);
    assert.deepEqual({ status, stdout }, { status: 0, stdout: "from source\n" });
    assert.match(stderr, /Building\ntroupe: no build here, running the sources/);
  });
  withHome({ "package.json": "{}" }, (home) => {
    const { status, stderr } = home.run([]);
    assert.equal(status, 1);
    assert.equal(stderr, "troupe: cannot start: this copy has neither dist/ nor src/\n");
  });
});

test("a start that fails is one line and exit 1", () => {
  withHome({ ...MAIN, "dist/main.js": 'import "./nowhere.js";' }, (home) => {
    const { status, stderr } = home.run([]);
    assert.equal(status, 1);
    assert.match(stderr, /^troupe: cannot start: [^\n]+\n$/);
  });
});

test("compiled code is kept in the state folder, private to its owner", () => {
  withHome(MAIN, (home) => {
    const state = join(home.folder, "cwd", ".troupe");
    home.run(["--help"]);
    home.run(["check"]);
    assert.ok(!existsSync(state), "only run makes the state folder");
    home.run(["run"]);
    assert.equal(statSync(state).mode & 0o777, 0o700);
    assert.equal(statSync(join(state, "cache")).mode & 0o777, 0o700);
    assert.ok(readdirSync(join(state, "cache"), { recursive: true }).length > 0);
  });
});

test("the state folder is beside the configuration, or where TROUPE_STATE says", () => {
  withHome({ ...MAIN, "there/troupe.yaml": "" }, (home) => {
    home.run(["run", "--config", "../there/troupe.yaml"]);
    assert.ok(existsSync(join(home.folder, "there", ".troupe", "cache")));
    home.run(["run", "--config=../there/troupe.yaml"], { state: join(home.folder, "elsewhere") });
    assert.ok(existsSync(join(home.folder, "elsewhere", "cache")));
    home.run(["--state", "../named"], { state: join(home.folder, "unused") });
    assert.ok(existsSync(join(home.folder, "named", "cache")) && !existsSync(join(home.folder, "unused")));
    home.run(["--config", "x.yaml", "check"]);
    assert.ok(!existsSync(join(home.folder, "cwd", ".troupe")));
  });
});

test("a cache that can't be had is no reason not to start", () => {
  withHome({ ...MAIN, "a-file": "", "open/keep": "", "theirs/keep": "" }, (home) => {
    const starts = (state: string): void => assert.equal(home.run(["run"], { state }).stdout, "started run\n", state);
    starts("/proc/self");
    starts("/proc/1/root/proc");
    starts(join(home.folder, "a-file"));
    starts(join(home.folder, "no", "such", "parent"));
    mkdirSync(join(home.folder, "open", "cache"));
    chmodSync(join(home.folder, "open", "cache"), 0o777);
    starts(join(home.folder, "open"));
    assert.deepEqual(readdirSync(join(home.folder, "open", "cache")), [], "code others could write is not used");
    symlinkSync(join(home.folder, "open"), join(home.folder, "theirs", "cache"));
    starts(join(home.folder, "theirs"));
    assert.deepEqual(readdirSync(join(home.folder, "open")), ["cache", "keep"]);
  });
});
