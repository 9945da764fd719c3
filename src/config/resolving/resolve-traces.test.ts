import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import type { Config } from "../config.ts";
import { loadConfig } from "../load.ts";

const KEY = "k-0123456789abcdefghij";

function loadWith(lines: string, files: Readonly<Record<string, string>> = {}): Config {
  const cwd = mkdtempSync(join(tmpdir(), "troupe-traces-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text, { mode: 0o600 });
    writeFileSync(join(cwd, "troupe.yaml"), `characters: { a: {} }\n${lines}\n`);
    return loadConfig({ cwd, environment: { TRACE_KEY: KEY, SHORT: "short" } }).config;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

test("TR-072 spans go nowhere unless an exact address is written, whose key comes from the environment or a private file", () => {
  assert.equal(loadWith("").traces, null);
  const url = 'otlp_url: "https://collector.example/v1/traces?tenant=secret"';
  assert.equal(loadWith(`traces: { ${url} }`).traces?.key, null);
  assert.equal(loadWith(`traces: { ${url}, key_env: TRACE_KEY }`).traces?.key?.reveal(), KEY);
  const { traces } = loadWith(`traces: { ${url}, key_file: ./trace.key }`, { "trace.key": `${KEY}\n` });
  assert.equal(traces?.key?.reveal(), KEY);
  assert.equal(JSON.stringify(traces), '{"url":"https://collector.example/v1/traces?[hidden]","key":"[secret]"}');
});

test("MC-104 a key without an address, two keys, a key beside credentials and a key that is none refuse the start", () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ["traces: { key_env: TRACE_KEY }", /:2:\d+ traces\.key_env: needs `otlp_url`/],
    ['traces: { otlp_url: "http://x/", key_env: TRACE_KEY, key_file: f }', /traces\.key_file: either `key_env` or `key_file`/],
    ['traces: { otlp_url: "http://u:p@x/", key_env: TRACE_KEY }', /traces\.otlp_url: the address and a key cannot both/],
    ['traces: { otlp_url: "http://x/", key_env: SHORT }', /traces\.key_env: .*shorter than 20/],
    ['traces: { otlp_url: "gopher://x/" }', /traces\.otlp_url: must begin with http/],
  ];
  for (const [lines, words] of refused)
    assert.throws(
      () => loadWith(lines),
      (error: Error) => words.test(error.message) && !error.message.includes(KEY),
      lines,
    );
});

test("MC-104 a log file stands in the state folder unless its path is whole; size and number have bounds", () => {
  assert.equal(loadWith("").log.file, null);
  const { log, stateDirectory } = loadWith("log: { file: troupe.log, max_kib: 16, keep: 0 }");
  assert.deepEqual(log.file, { path: join(stateDirectory, "troupe.log"), maxBytes: 16_384, keep: 0 });
  assert.equal(loadWith("log: { file: /var/log/troupe.log }").log.file?.path, "/var/log/troupe.log");
  for (const lines of ["log: { file: x, max_kib: 15 }", "log: { file: x, keep: 100 }", "log: { file: '' }"])
    assert.throws(() => loadWith(lines));
});
