import assert from "node:assert/strict";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { SCHEMA_VERSION } from "../../src/store/sqlite/file/schema.ts";
import { silentLog } from "../../src/foundation/log.ts";
import { openStore } from "../../src/store/sqlite/sqlite.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { ANN, MIRELLE, PARLOUR, inboundLine } from "../../src/testing/road-fixtures.ts";
import { directPlace } from "../../src/vocabulary/place.ts";
import { openComposed } from "./composed.ts";
import { inFolder, openHarness, says } from "./road-harness.ts";

const WORDS = "the ledger lies under the third stair";
const NAME = "Annabelle";
const YAML = `
characters:
  mirelle: { name: Mirelle, description: "Keeps the inn at the ferry." }
surfaces:
  inn: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
log: { level: debug }
`;

/** Every file under a folder, by its path from there. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test("MC-073 cases D29 what is kept of talk lies in one private database with a version; no name of a file and no line of the log holds a person or a word", async () => {
  const state = await mkdtemp(join(tmpdir(), "troupe-kept-"));
  let written: unknown;
  try {
    await using one = await openComposed(YAML, { state });
    const line = inboundLine({ atMs: Date.now(), displayName: NAME, text: WORDS, direct: MIRELLE });
    const heard = await one.surface.inbox?.hear(line, new AbortController().signal);
    assert.equal(heard?.kind, "admitted");
    await one.runtime.idle();
    const holding = filesIn(state).filter((path) => readFileSync(path).includes(WORDS));
    assert.ok(holding.length > 0 && holding.every((path) => /troupe\.db(?:-wal|-shm)?$/.test(path)), holding.join());
    for (const path of filesIn(state)) {
      assert.equal(statSync(path).mode & 0o077, 0, path);
      assert.doesNotMatch(path.slice(state.length), /ann|ledger|stair|direct:/i);
    }
    assert.equal(statSync(state).mode & 0o077, 0);
    const database = new DatabaseSync(join(state, "troupe.db"), { readOnly: true });
    written = database.prepare("select value from meta where key = 'schema'").get()?.["value"];
    database.close();
    assert.ok(one.log.length > 0);
    assert.doesNotMatch(one.log.join("\n"), new RegExp(`${WORDS}|${NAME}|${ANN}`));
  } finally {
    await rm(state, { recursive: true, force: true });
  }
  assert.equal(written, String(SCHEMA_VERSION));
});

test("MC-072 an orderly end keeps all that was handed over before it, whether anybody waited for it or not", () =>
  inFolder(async (folder) => {
    const clock = new ManualClock();
    const ids: string[] = [];
    const told: Promise<string>[] = [];
    {
      await using one = await openHarness({ folder, clock, voice: () => Promise.resolve(says("Aye.")) });
      await one.hear({ deliveryId: "answered", direct: MIRELLE, text: "the first line" });
      await one.settle();
      for (let at = 0; at < 40; at += 1) {
        const heard = one.hear({ deliveryId: `late-${at}`, direct: MIRELLE, text: `line ${at}` });
        told.push(
          heard.then(
            ({ id }) => id,
            () => "refused",
          ),
        );
      }
      ids.push(...one.issued.filter((id) => id.startsWith("m-")));
    }
    const acknowledged = (await Promise.all(told)).filter((id) => id !== "refused");
    await using store = await openStore({ directory: folder, clock, log: silentLog }, new AbortController().signal);
    const kept = store.read.events(directPlace(PARLOUR, MIRELLE, ANN).id, 100).map(({ text }) => text);
    for (const text of ["the first line", "Aye.", ...Array.from({ length: 40 }, (_, at) => `line ${at}`)])
      assert.ok(kept.includes(text), text);
    for (const id of acknowledged) assert.ok(ids.includes(id));
  }));
