#!/usr/bin/env node
// The launcher, in syntax and calls that Node 14 knows: it must reach the one line that says what is missing.
"use strict";

const NEEDED = [24, 12];

function isOld(version) {
  const have = version.split(".").map(Number);
  return have[0] < NEEDED[0] || (have[0] === NEEDED[0] && have[1] < NEEDED[1]);
}

if (isOld(process.versions.node)) refuse();
else start();

function refuse() {
  const fs = require("fs");
  const path = require("path");
  const pinned = path.join(__dirname, "..", "node_modules", ".bin", "node");
  const cure = fs.existsSync(pinned) ? "; here, `npm start` brings its own" : "";
  process.stderr.write(
    "troupe: needs Node.js " + NEEDED.join(".") + " or newer, this is " + process.version + " (" + process.execPath + ")" + cure + "\n",
  );
  process.exitCode = 2;
}

function start() {
  const path = require("path");
  const url = require("url");
  // Most of an idle runtime's memory would be room for short-lived objects it never fills. The growth factor makes the running
  // heap keep to the bound too; the writer's thread inherits both. Smaller code would save 5 MB more and costs a third of the speed.
  const v8 = require("v8");
  for (const flag of require("./engine-flags.json")) v8.setFlagsFromString(flag);
  useCompileCache();
  const entry = entryOf(path.join(__dirname, ".."));
  if (entry === null) return;
  const started = import(url.pathToFileURL(entry).href).then(function (program) {
    return typeof program.main === "function" ? program.main() : undefined;
  });
  started.catch(function (error) {
    process.stderr.write(
      "troupe: cannot start: " + (error && error.message ? String(error.message).split("\n")[0] : "unknown reason") + "\n",
    );
    process.exitCode = 1;
  });
}

/** The built entry; in a checkout without a build, what a build just made, or else the sources themselves. */
function entryOf(root) {
  const fs = require("fs");
  const path = require("path");
  const built = path.join(root, "dist", "main.js");
  const source = path.join(root, "src", "main.ts");
  if (fs.existsSync(built)) return built;
  const prepare = path.join(root, "tools", "prepare.mjs");
  if (fs.existsSync(prepare)) {
    // Standard output stays free for what the command itself prints.
    require("child_process").spawnSync(process.execPath, [prepare, "--if-missing"], { cwd: root, stdio: ["ignore", 2, 2] });
    if (fs.existsSync(built)) return built;
  }
  if (fs.existsSync(source)) {
    process.stderr.write("troupe: no build here, running the sources (slower to start)\n");
    return source;
  }
  process.stderr.write("troupe: cannot start: this copy has neither dist/ nor src/\n");
  process.exitCode = 1;
  return null;
}

/**
 * Keep compiled code in the state folder, private to its owner. Only a start is faster with it, so whatever goes wrong here is
 * no reason not to start. A folder under /proc makes `enableCompileCache` spin for ever (Node 24.21): never asked for.
 */
function useCompileCache() {
  const fs = require("fs");
  const path = require("path");
  const state = stateFolder();
  if (state === null) return;
  const cache = path.join(state, "cache");
  try {
    const real = fs.realpathSync(state);
    if (/^\/(proc|sys|dev)(\/|$)/.test(real) || !isOwn(fs.statSync(real))) return;
    if (!fs.existsSync(cache)) fs.mkdirSync(cache, { mode: 0o700 });
    // Code in a folder that others can write to would be their code.
    if (!isOwn(fs.lstatSync(cache))) return;
    require("module").enableCompileCache(cache);
  } catch {
    return;
  }
}

/** Whether it is a folder of this user that nobody else can write to. */
function isOwn(found) {
  if (!found.isDirectory() || (process.getuid && found.uid !== process.getuid())) return false;
  return process.platform === "win32" || (found.mode & 0o022) === 0;
}

/**
 * The state folder, found as the runtime finds it: `--state`, `TROUPE_STATE`, else `.troupe` beside the configuration or here.
 * Only the command that runs the characters makes it (0700, in a folder that exists); for every other one a missing one stays so.
 */
function stateFolder() {
  const fs = require("fs");
  const words = process.argv.slice(2);
  const folder = stateNamedBy(words);
  if (fs.existsSync(folder)) return folder;
  if (words.indexOf("--help") !== -1 || words.indexOf("-h") !== -1 || words.indexOf("--version") !== -1 || words.indexOf("-V") !== -1)
    return null;
  const command = words.filter(function (word, at) {
    return word.charAt(0) !== "-" && words[at - 1] !== "--config" && words[at - 1] !== "--state";
  })[0];
  if (command !== undefined && command !== "run") return null;
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
    return folder;
  } catch {
    return null;
  }
}

function stateNamedBy(words) {
  const path = require("path");
  const named = optionOf(words, "--state") || process.env.TROUPE_STATE;
  if (named) return path.resolve(named);
  const config = optionOf(words, "--config") || process.env.TROUPE_CONFIG;
  return path.join(config ? path.dirname(path.resolve(config)) : process.cwd(), ".troupe");
}

function optionOf(words, name) {
  for (let index = 0; index < words.length; index += 1) {
    if (words[index] === name) return words[index + 1] === undefined ? null : words[index + 1];
    if (words[index].indexOf(name + "=") === 0) return words[index].slice(name.length + 1);
  }
  return null;
}
