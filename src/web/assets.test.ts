import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadAssets } from "./assets.ts";

const NEVER = new AbortController().signal;

test("SE-086 the shell is files by exact path, read once, and a page that says how to build it when it is not built", async () => {
  const folder = await mkdtemp(join(tmpdir(), "troupe-assets-"));
  try {
    const unbuilt = await loadAssets(join(folder, "missing"), NEVER);
    assert.deepEqual([...unbuilt.keys()], ["/"]);
    assert.match(Buffer.from(unbuilt.get("/")?.bytes ?? []).toString(), /npm run build/);
    await mkdir(join(folder, "assets"));
    await writeFile(join(folder, "index.html"), "page");
    await writeFile(join(folder, "assets", "a.js"), "script");
    await writeFile(join(folder, "assets", "a.map"), "not served");
    const assets = await loadAssets(folder, NEVER);
    assert.deepEqual([...assets.keys()].toSorted(), ["/", "/assets/a.js"]);
    assert.equal(assets.get("/assets/a.js")?.type, "text/javascript; charset=utf-8");
  } finally {
    await rm(folder, { recursive: true });
  }
});
