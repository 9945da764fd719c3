import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { modelFindings } from "./check-models.ts";
import { loadConfig } from "../load.ts";

function findingsIn(text: string): readonly string[] {
  const cwd = mkdtempSync(join(tmpdir(), "troupe-check-models-"));
  try {
    writeFileSync(join(cwd, "troupe.yaml"), `characters: { ann: {} }\nsurfaces: { s: { kind: room, port: 0, character: ann } }\n${text}`);
    const { config } = loadConfig({ cwd, environment: { KEY: "k-0123456789abcdefghijklmnop" } });
    return modelFindings(config).map(({ level, path, message }) => `${level} ${path.join(".")}: ${message}`);
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

const HOSTS = `models:
  hosts:
    near: { api: ollama, url: "http://127.0.0.1:11434", models: [tiny] }
    far: { api: anthropic, url: "https://ann:pw@example.org", models: { big: { price: { prompt: 3, completion: 15 } } } }
  default: [near/tiny, far/big]
`;

test("TR-086 check lists every model that may answer, in its order, without what an address hides", () => {
  assert.deepEqual(findingsIn(""), ["ok models: no model: the understudy stands in (fixed rules, offline)"]);
  assert.deepEqual(findingsIn(HOSTS), [
    "ok models.default: near/tiny at http://127.0.0.1:11434/, without a key",
    "ok models.default: while the one before is down: far/big at https://[hidden]@example.org/, without a key",
  ]);
});

test("TR-092 a bound of money that cannot hold, or lets no long question through, is warned of", () => {
  const found = findingsIn(`${HOSTS}budgets: { money_per_day_in_all: 1, money_per_day_per_space: 0.05 }\n`).slice(2);
  assert.deepEqual(found, [
    "warn budgets.money_per_day_in_all: cannot hold for near/tiny: its price is unknown",
    "warn budgets.money_per_day_per_space: cannot hold for near/tiny: its price is unknown",
    "warn budgets.money_per_day_per_space: one long question may have to set 0.0739 aside, which is more than this",
  ]);
  assert.equal(findingsIn(`${HOSTS.replace("[tiny]", "{ tiny: { price: free } }")}budgets: { money_per_day_in_all: 1 }\n`).length, 2);
});
