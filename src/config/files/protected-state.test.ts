import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ProtectedLayout } from "./protected-state.ts";
import { protectionOf } from "./protected-state.ts";

/** An installation on disk, with links that lead into it. */
function installed(): { readonly at: (path: string) => string; readonly layout: ProtectedLayout } & Disposable {
  const home = mkdtempSync(join(tmpdir(), "troupe-protected-"));
  const at = (path: string): string => join(home, path);
  for (const folder of ["town/.troupe/captures", "town/hooks", "town/notes", "bundles/guard", "keys"])
    mkdirSync(at(folder), { recursive: true });
  for (const file of ["town/.troupe/troupe.db", "town/troupe.yaml", "town/launch", "keys/host.key", "bundles/guard/index.mjs"])
    writeFileSync(at(file), "");
  symlinkSync(at("town/.troupe"), at("town/notes/state"));
  symlinkSync(at("keys/host.key"), at("town/notes/harmless.txt"));
  symlinkSync(at("town/troupe.yaml"), at("town/notes/settings"));
  symlinkSync("../.troupe/troupe.db-journal", at("town/notes/to-be"));
  symlinkSync(at("town/notes/round"), at("town/notes/round"));
  const layout = {
    stateDirectory: at("town/.troupe"),
    sealed: [at("keys/host.key"), at("bundles")],
    guarded: [at("town/troupe.yaml"), at("town/hooks"), at("town/launch")],
  };
  return { at, layout, [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }) };
}

test("TR-045 state, secrets, captures and bundles are denied and what steers the program is asked for, by where a path really leads", () => {
  using one = installed();
  const told = (path: string, reach?: "below"): string => protectionOf(one.at(path), one.layout, reach);
  for (const path of [
    "town/.troupe",
    "town/.troupe/troupe.db",
    "town/.troupe/troupe.db-wal",
    "town/.troupe/troupe.db-shm",
    "town/.troupe/captures/one.json",
    "keys/host.key",
    "bundles/guard/index.mjs",
    "bundles/new/file.mjs",
    "town/notes/../.troupe/troupe.db",
    "town/notes/state/troupe.db",
    "town/notes/state/not-there-yet",
    "town/notes/harmless.txt",
    "town/notes/to-be",
  ])
    assert.equal(told(path), "deny", path);
  for (const path of ["town/troupe.yaml", "town/hooks", "town/hooks/new.mjs", "town/launch", "town/notes/settings"])
    assert.equal(told(path), "ask", path);
  for (const path of [
    "town",
    "town/notes",
    "town/notes/a.md",
    "town/notes/round",
    "town/.troupe-of-another",
    "town/troupe.yaml.bak",
    "keys",
    "elsewhere/x",
  ])
    assert.equal(told(path), "open", path);
  assert.deepEqual([told("town", "below"), told("keys", "below"), told("town/notes", "below")], ["deny", "deny", "open"]);
  assert.equal(protectionOf("/", one.layout, "below"), "deny");
});
