import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { loadConfig } from "../../config/load.ts";
import { protectsOf } from "./protects.ts";

const folder = mkdtempSync(join(tmpdir(), "troupe-protects-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("TR-045 the database, every file with a key, the configuration, hooks and the launcher are protected as this installation has them", () => {
  const at = (name: string): string => join(folder, name);
  for (const name of ["host.key", "bot.token", "spans.key"])
    writeFileSync(at(name), "sk-0123456789abcdefghijkl-AAAA.bbbbbb.cccccccccccccccccccccccccccc\n", { mode: 0o600 });
  writeFileSync(at("hook.mjs"), "");
  writeFileSync(
    at("troupe.yaml"),
    `
characters:
  mirelle: { name: Mirelle }
surfaces:
  parlour: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
models:
  hosts: { near: { api: openai, url: "http://127.0.0.1:9/v1", models: [tiny], key_file: host.key } }
traces: { otlp_url: "http://127.0.0.1:9/v1/traces", key_file: spans.key }
`,
  );
  const { config } = loadConfig({ cwd: folder, environment: {} });
  const protects = protectsOf(() => config);
  const told = (name: string, reach: "itself" | "below" = "itself"): string => protects(at(name), reach);
  for (const name of [".troupe/troupe.db", ".troupe/troupe.db-wal", "host.key", "spans.key"]) assert.equal(told(name), "deny", name);
  assert.equal(told("troupe.yaml"), "ask");
  assert.equal(told("notes.md"), "open");
  assert.equal(told("", "below"), "deny", "and the folder that they lie in, for what changes all of it");
  assert.equal(protects(join(import.meta.dirname, "../../../bin/troupe.cjs"), "itself"), "ask");
});
