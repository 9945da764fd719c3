import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
  closeSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../../foundation/clock.ts";
import { scratchRoot } from "../../../testing/scratch-root.ts";
import { STORE_TIME_MS } from "../../../testing/store-rows.ts";
import type { Recovery } from "../../store.ts";
import { Writer } from "../writer.ts";

const CHILD = fileURLToPath(new URL("../../../testing/store-child.ts", import.meta.url));
const HEADER_BYTES = 32;
const FRAME_BYTES = 24 + 4_096;
const never = new AbortController().signal;
/** Frames to cut at in a quick run; `all` cuts at each. */
const SAMPLED = 40;

function folder(context: TestContext): string {
  const made = mkdtempSync(join(scratchRoot(), "troupe-cut-"));
  context.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Database and journal of a process that was killed while it wrote, 64 messages under way. */
async function killedRun(directory: string, ledger: string): Promise<void> {
  writeFileSync(ledger, "");
  const child = spawn(process.execPath, [CHILD, "write", directory, ledger, "0"], { stdio: ["pipe", "pipe", "inherit"] });
  const exit = once(child, "exit");
  await once(child.stdout, "data");
  // Below the journal's first fold, so that it holds the whole run.
  const journal = join(directory, "troupe.db-wal");
  while ((statSync(journal, { throwIfNoEntry: false })?.size ?? 0) < 350 * FRAME_BYTES) await systemClock.sleep(1, never);
  child.kill("SIGKILL");
  await exit;
}

/** Open what a cut leaves, recover it, and hold it to what must be so at any moment; gives how many messages are there. */
function openCut(directory: string): number {
  const path = join(directory, "troupe.db");
  const writer = new Writer({ path, owner: "o-test", nowMs: STORE_TIME_MS, maxPageCount: null });
  const row = { nowMs: STORE_TIME_MS + 1_000, maxInboxAgeMs: 600_000, maxPartAgeMs: 900_000, maxAttempts: 2 };
  const [outcome] = writer.commit([{ verb: "recover", row }]);
  assert.equal(outcome?.kind, "done");
  const { recovery } = (outcome?.kind === "done" ? outcome.result : null) as { readonly recovery: Omit<Recovery, "open"> };
  writer.close();
  const db = new DatabaseSync(path, { readOnly: true });
  const count = (what: string): number => Number(db.prepare(`select count(*) as n from ${what}`).get()?.["n"]);
  assert.equal(db.prepare("pragma integrity_check").get()?.["integrity_check"], "ok");
  const messages = count("event where author_kind = 'person'");
  assert.deepEqual(
    [count("inbox"), count("decision"), count("event where delivery is not null")],
    [messages, messages, messages],
    "whole or not at all",
  );
  const answers = count("inbox where end = 'answered'");
  assert.deepEqual([count("event where author_kind = 'character'"), count("part")], [answers, answers]);
  // What was settled is over; what may have been sent is asked about; nothing is both answered and run again.
  assert.equal(recovery.sending.length, count("part where state = 'sending'"));
  assert.equal(count("inbox where state = 'running'"), 0);
  assert.equal(count("part where state = 'delivered' and body <> ''"), 0);
  assert.equal(count("event where state = 'said' and author_kind = 'character'"), count("part where state = 'delivered'"));
  db.close();
  return messages;
}

test("TR-042 TR-085 a database whose journal is cut at any frame, or within one, opens, is sound and recovers what is there", async (context) => {
  const root = folder(context);
  const run = join(root, "run");
  await killedRun(run, join(root, "ledger"));
  const journal = readFileSync(join(run, "troupe.db-wal"));
  const frames = Math.floor((journal.length - HEADER_BYTES) / FRAME_BYTES);
  assert.ok(frames >= 350);
  const step = process.env["TROUPE_TEST_DEPTH"] === "all" ? 1 : Math.ceil(frames / SAMPLED);
  let before = 0;
  for (let frame = 0; frame <= frames; frame += step) {
    for (const within of frame % (3 * step) === 0 ? [0, 1, 24, 2_000] : [0]) {
      const cut = join(root, "cut");
      mkdirSync(cut);
      copyFileSync(join(run, "troupe.db"), join(cut, "troupe.db"));
      // The second file stays away: it knows of the run's start, and a cut before that is an older copy (SE-099).
      const file = openSync(join(cut, "troupe.db-wal"), "w", 0o600);
      writeSync(file, journal, 0, Math.min(journal.length, HEADER_BYTES + frame * FRAME_BYTES + within));
      closeSync(file);
      const messages = openCut(cut);
      assert.ok(messages >= before, "a longer journal holds no less");
      before = messages;
      rmSync(cut, { recursive: true });
    }
  }
  const acknowledged = readFileSync(join(root, "ledger"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("h ")).length;
  assert.ok(acknowledged > 50);
  assert.ok(before >= acknowledged, "the whole journal holds everything that was acknowledged");
});
