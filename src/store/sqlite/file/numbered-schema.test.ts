import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { scratchRoot } from "../../../testing/scratch-root.ts";
import type { DirectStore } from "../../../testing/store-writer.ts";
import { directStoreOver } from "../../../testing/store-writer.ts";
import { STORE_TIME_MS, personOf, turnIdOf } from "../../../testing/store-rows.ts";
import { parseApprovalId, parseCharacterId, parseMessageId, parseSurfaceName } from "../../../vocabulary/ids.ts";
import type { Explanation } from "../../store.ts";
import { placeIdOf } from "../rows/place-codec.ts";
import { MIGRATIONS, SCHEMA_VERSION, migrate } from "./schema.ts";
import { prepareStateFolder } from "./state-folder.ts";
import { Statements } from "../rows/statements.ts";

const value = z.union([z.string(), z.number(), z.null()]);
const anything = z.record(z.string(), z.unknown());
/**
 * A database of format 5 with rows of every kind, as the program of that format wrote them, and what its reader and its recovery said of
 * them: nothing of that may change with the form.
 */
const FORMAT_5 = z
  .object({
    tables: z.record(z.string(), z.object({ columns: z.array(z.string()), rows: z.array(z.array(value)) })),
    reads: z.object({
      explain: anything,
      inbox: anything,
      events: anything,
      heard: anything,
      recent: z.array(z.string()),
      turns: z.array(anything),
      tally: anything,
      people: z.array(anything),
      counts: anything,
      lines: z.unknown(),
      delivered: z.unknown(),
      told: z.unknown(),
      approvals: z.unknown(),
      deliveries: z.unknown(),
    }),
    recovery: z.unknown(),
    setAside: z.number(),
  })
  .parse(JSON.parse(readFileSync(new URL("./format-5.json", import.meta.url), "utf8")));

/** Write it as a file. */
function fill(path: string): void {
  using db = new DatabaseSync(path);
  db.exec("begin");
  migrate(new Statements(db), MIGRATIONS.slice(0, 5));
  for (const [table, { columns, rows }] of Object.entries(FORMAT_5.tables)) {
    const insert = db.prepare(`insert into ${table}(${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`);
    for (const row of rows) insert.run(...row);
  }
  // Of the second opening.
  db.exec("update lease set generation = 2; commit");
}

/** What stands in it now, in the shape of what stood in it then. */
function readsOf({ read }: DirectStore): unknown {
  const { explain, events } = FORMAT_5.reads;
  const ids = Object.keys(explain).map((id) => parseMessageId(id));
  const places = Object.keys(events).map((id) => placeIdOf(id));
  const [room, mirelle, anselm] = [parseSurfaceName("parlour"), parseCharacterId("mirelle"), parseCharacterId("anselm")];
  return {
    explain: Object.fromEntries(ids.map((id) => [id, withoutEnd(read.explain(id))])),
    inbox: Object.fromEntries(ids.map((id) => [id, read.inbox(id)])),
    events: Object.fromEntries(places.map((place) => [place, read.events(place, 100)])),
    heard: Object.fromEntries(
      places.map((place) => [place, [true, mirelle, anselm].map((by) => read.events(place, 100, undefined, by).map(({ seq }) => seq))]),
    ),
    recent: read.recentDecisions(100),
    // A turn stands where it ended; before, where it began.
    turns: read.turns(100).toSorted((a, b) => (a.turn < b.turn ? -1 : 1)),
    tally: read.tally(0),
    people: read.people(0, 0),
    counts: read.counts(),
    lines: [1, 2, 7].map((number) => read.directLines(personOf(number))),
    delivered: [1, 36, 37, 99].map((number) => read.delivered(room, `d-${number}`)),
    told: [1, 2].map((number) => read.told(personOf(number), mirelle)),
    approvals: ["a-000001", "a-000002"].map((id) => read.pendingApproval(parseApprovalId(id))),
    deliveries: [1, 2, 3, 36].map((number) => read.deliveryOf(turnIdOf(number))),
  };
}

/** When a row ended was not told then; it is told of exactly those that have. */
function withoutEnd(explanation: Explanation | null): unknown {
  if (explanation === null) return null;
  const { endedAtMs, ...rest } = explanation;
  assert.equal(endedAtMs !== null, rest.inboxState === "ended");
  return rest;
}

const plain = (what: unknown): unknown => JSON.parse(JSON.stringify(what));

test("TR-095 a database of the form before is read as before, row by row, and recovers as before", () => {
  using store = directStoreOver(fill);
  const turns = FORMAT_5.reads.turns.toSorted((a, b) => (String(a["turn"]) < String(b["turn"]) ? -1 : 1));
  assert.deepEqual(plain(readsOf(store)), { ...FORMAT_5.reads, turns });
  store.restart();
  const row = { nowMs: STORE_TIME_MS + 200, maxInboxAgeMs: 1e9, maxPartAgeMs: 1e9, maxAttempts: 2 };
  assert.deepEqual(plain(store.recover(row)), { recovery: FORMAT_5.recovery, setAside: FORMAT_5.setAside });
  using db = new DatabaseSync(store.path, { readOnly: true });
  assert.equal(db.prepare("pragma integrity_check").get()?.["integrity_check"], "ok");
  assert.ok(existsSync(join(dirname(store.path), `before-format-${SCHEMA_VERSION}.db`)));
});

test("TR-095 a migration that is killed just before or after its commit leaves one form or the other, whole", async (context) => {
  const [preload, child] = ["kill-at", "store-child"].map((name) => fileURLToPath(new URL(`../../../testing/${name}.ts`, import.meta.url)));
  assert.ok(preload !== undefined && child !== undefined);
  for (const when of ["before", "after"]) {
    const folder = mkdtempSync(join(scratchRoot(), "troupe-migrate-"));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    const path = prepareStateFolder(folder);
    fill(path);
    const killed: ChildProcess = spawn(process.execPath, ["--import", preload, child, "hold", folder], {
      env: { ...process.env, TROUPE_KILL_AT_COMMIT: "1", TROUPE_KILL_WHEN: when },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const [, signal]: unknown[] = await once(killed, "exit");
    assert.equal(signal, "SIGKILL");
    const db = new DatabaseSync(path, { readOnly: true });
    const version = db.prepare("select value from meta where key = 'schema'").get()?.["value"];
    const lines = db.prepare("select count(*) as count from event").get()?.["count"];
    db.close();
    assert.deepEqual([version, lines], [when === "before" ? "5" : String(SCHEMA_VERSION), FORMAT_5.tables["event"]?.rows.length]);
  }
});
