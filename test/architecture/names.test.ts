import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { z } from "zod";
import { CONFIG_FILE } from "../../src/config/files/file-name.ts";
import { configKeys } from "../../src/config/schema/registry.ts";
import { outputContract } from "../../src/characters/packet/output-contract.ts";
import { readTree } from "./tree.ts";

/** Variables that are everybody's convention and no program's own. */
const SHARED: ReadonlySet<string> = new Set(["NO_COLOR", "TERM", "PATH", "NODE_COMPILE_CACHE"]);

test("TR-005 the command, the file and every variable have this program's own names, and fields that others read keep theirs", () => {
  const { bin } = z.object({ bin: z.record(z.string(), z.string()) }).parse(JSON.parse(readFileSync("package.json", "utf8")));
  assert.deepEqual(Object.keys(bin), ["troupe"]);
  assert.equal(CONFIG_FILE, "troupe.yaml");
  const named = configKeys().flatMap(({ environment }) => (environment === undefined ? [] : [environment]));
  const read = [...readTree().map(({ text }) => text), readFileSync("bin/troupe.cjs", "utf8")].flatMap((text) =>
    [...text.matchAll(/\b(?:env|environment)(?:\.|\[")([A-Z][A-Z0-9_]+)/g)].map((match) => match[1] ?? ""),
  );
  assert.ok(named.length > 0 && read.includes("TROUPE_STATE"));
  assert.deepEqual(
    [...named, ...read].filter((name) => !name.startsWith("TROUPE_") && !SHARED.has(name)),
    [],
  );
  assert.deepEqual(outputContract("lean", ["speak"]).required_fields, ["action_label", "visible_action", "spoken_text"]);
});
