import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { resolveNotify } from "./resolve-notify.ts";

const TOKEN = "abcdefghijklmnop";

function resolved(
  notify: { webhook_url_env?: string; webhook_file?: string },
  value?: string,
): { rules: readonly string[]; address: string | null } {
  const rules: string[] = [];
  const directory = mkdtempSync(join(tmpdir(), "troupe-notify-"));
  try {
    if (value !== undefined) writeFileSync(join(directory, "hook"), `${value}\n`, { mode: 0o600 });
    const environment = value === undefined ? {} : { HOOK: value };
    const { webhook } = resolveNotify({ notify }, { directory, environment }, (path, rule) => rules.push(`${path.join(".")} ${rule}`));
    return { rules, address: webhook?.reveal() ?? null };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test("TR-093 the address for notices comes from a variable or a private file, https or this computer's own", () => {
  for (const address of [
    `https://hooks.example/x/${TOKEN}`,
    `http://127.0.0.1:8/${TOKEN}`,
    `http://localhost/${TOKEN}`,
    `http://[::1]:9/${TOKEN}`,
  ]) {
    assert.deepEqual(resolved({ webhook_url_env: "HOOK" }, address), { rules: [], address });
    assert.deepEqual(resolved({ webhook_file: "hook" }, address), { rules: [], address });
  }
  assert.deepEqual(resolved({}), { rules: [], address: null });
});

test("MC-105 TR-093 any other address is refused, and no rule repeats it", () => {
  for (const address of [
    `http://hooks.example/x/${TOKEN}`,
    `https://user:pass@hooks.example/${TOKEN}`,
    `https://hooks.example/${TOKEN}#part`,
    `ftp://hooks.example/${TOKEN}`,
    `http://127.0.0.1.evil.example/${TOKEN}`,
    "not an address at all, but long",
    "short",
  ]) {
    const { rules, address: taken } = resolved({ webhook_url_env: "HOOK" }, address);
    assert.equal(taken, null);
    assert.equal(rules.length, 1);
    assert.ok(rules.every((rule) => rule.startsWith("notify.webhook_url_env ") && !rule.includes(TOKEN) && !rule.includes("evil")));
  }
  assert.equal(resolved({ webhook_url_env: "HOOK" }).rules.length, 1);
  assert.equal(resolved({ webhook_url_env: "HOOK", webhook_file: "hook" }, `https://hooks.example/${TOKEN}`).rules.length, 1);
});
