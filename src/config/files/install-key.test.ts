import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { Worker } from "node:worker_threads";
import { isRuntimeError } from "../../foundation/errors.ts";
import { INSTALL_KEY_FILE, ensureInstallKey } from "./install-key.ts";

function folder(): { path: string; key: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "troupe-key-"));
  return { path, key: join(path, INSTALL_KEY_FILE), [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

test("TR-033 the install key is 32 random bytes, 0600, the same at each start, with nothing left beside it", () => {
  using state = folder();
  using other = folder();
  const key = ensureInstallKey(state.path);
  assert.equal(key.length, 32);
  assert.deepEqual(ensureInstallKey(state.path), key);
  assert.deepEqual(new Uint8Array(readFileSync(state.key)), new Uint8Array(key));
  assert.equal(statSync(state.key).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(state.path), [INSTALL_KEY_FILE]);
  assert.notDeepEqual(ensureInstallKey(other.path), key);
});

test("a key of another size, open to others, a link or a folder is refused and left as it is", () => {
  using state = folder();
  const refused = (why: RegExp): void =>
    assert.throws(
      () => ensureInstallKey(state.path),
      (error) => isRuntimeError(error, "state_corrupt") && why.test(error.message),
    );
  for (const bytes of [0, 31, 33, 4_096]) {
    writeFileSync(state.key, Buffer.alloc(bytes, 7), { mode: 0o600 });
    refused(bytes > 32 ? /over 32 bytes/ : /must have 32 bytes/);
    assert.equal(statSync(state.key).size, bytes);
  }
  writeFileSync(state.key, Buffer.alloc(32, 7));
  for (const mode of [0o644, 0o640, 0o400]) {
    chmodSync(state.key, mode);
    refused(/chmod 600/);
  }
  chmodSync(state.key, 0o600);
  assert.equal(ensureInstallKey(state.path)[0], 7);
  renameSync(state.key, join(state.path, "real"));
  symlinkSync(join(state.path, "real"), state.key);
  refused(/symbolic link/);
  rmSync(state.key);
  mkdirSync(state.key);
  refused(/folder/);
});

test("a state folder that is missing is state_unwritable", () => {
  using state = folder();
  assert.throws(
    () => ensureInstallKey(join(state.path, "none")),
    (error) => isRuntimeError(error, "state_unwritable"),
  );
});

test("starts at the same moment agree on one key", async () => {
  const threads = 4;
  const code = `
    const { workerData, parentPort } = require("node:worker_threads");
    import(workerData.module).then(({ ensureInstallKey }) => {
      Atomics.add(workerData.gate, 0, 1);
      Atomics.notify(workerData.gate, 0);
      while (Atomics.load(workerData.gate, 0) < workerData.threads) Atomics.wait(workerData.gate, 0, Atomics.load(workerData.gate, 0), 5);
      parentPort.postMessage(Buffer.from(ensureInstallKey(workerData.path)).toString("hex"));
    });`;
  for (let round = 0; round < 3; round += 1) {
    using state = folder();
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const workerData = { module: new URL("./install-key.ts", import.meta.url).href, gate, threads, path: state.path };
    const keys = await Promise.all(
      Array.from({ length: threads }, () => {
        const worker = new Worker(code, { eval: true, workerData });
        return new Promise<string>((resolve, reject) => {
          worker.once("message", resolve);
          worker.once("error", reject);
        });
      }),
    );
    assert.equal(new Set(keys).size, 1);
    assert.equal(keys[0], readFileSync(state.key).toString("hex"));
    assert.deepEqual(readdirSync(state.path), [INSTALL_KEY_FILE]);
  }
});
