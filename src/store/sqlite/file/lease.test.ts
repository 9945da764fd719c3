import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { STALE_MS, holdsLease, releaseLease, renewLease, takeLease } from "./lease.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import { currentProcess } from "./process-identity.ts";
import { MIGRATIONS, SCHEMA_VERSION, migrate } from "./schema.ts";
import { Statements } from "../rows/statements.ts";

const NOW_MS = 1_800_000_000_000;
const self = currentProcess();

function fresh(): Statements {
  const sql = new Statements(new DatabaseSync(":memory:"));
  migrate(sql);
  return sql;
}

/** Whether the lease of a holder with this identity can be taken after a silence. */
function taken(holder: Partial<ProcessIdentity>, silentMs: number): boolean {
  const sql = fresh();
  assert.equal(takeLease(sql, { owner: "o-a", self: { ...self, ...holder }, nowMs: NOW_MS }).kind, "held");
  const outcome = takeLease(sql, { owner: "o-b", self, nowMs: NOW_MS + silentMs });
  if (outcome.kind === "busy") {
    assert.equal(outcome.pid, holder.pid ?? self.pid);
    assert.ok(holdsLease(sql, "o-a"));
    return false;
  }
  assert.deepEqual(outcome, { kind: "held", generation: 2, tookOver: true });
  assert.ok(holdsLease(sql, "o-b") && !holdsLease(sql, "o-a"));
  return true;
}

const LATER = STALE_MS + 1;
/** Above every pid this machine gives. */
const NOBODY = 2 ** 22 + 1;

test("TR-041 a living holder keeps the lease however long it was silent", () => {
  assert.equal(taken({}, 0), false);
  assert.equal(taken({}, 100 * LATER), false);
});

test("TR-041 a holder that is gone loses it at once: no such process, its pid given anew, or the machine restarted", () => {
  assert.equal(taken({ pid: NOBODY }, 0), true);
  assert.equal(taken({ started: "1" }, 0), true);
  assert.equal(taken({ boot: "another" }, 0), true);
});

test("TR-041 a holder that cannot be seen keeps it while it says that it lives: another host, a container, a system without start times", () => {
  for (const holder of [{ host: "elsewhere" }, { namespace: "pid:[1]" }, { started: "" }]) {
    assert.equal(taken(holder, STALE_MS - 1), false, JSON.stringify(holder));
    assert.equal(taken(holder, LATER), true, JSON.stringify(holder));
    // A clock that was put back does not lock the folder for ever.
    assert.equal(taken(holder, -LATER), true, JSON.stringify(holder));
  }
});

test("TR-041 renewing counts from then; only the holder renews and gives back; the generation stays", () => {
  const sql = fresh();
  const elsewhere = { ...self, host: "elsewhere" };
  takeLease(sql, { owner: "o-a", self: elsewhere, nowMs: NOW_MS });
  renewLease(sql, "o-b", NOW_MS + LATER);
  renewLease(sql, "o-a", NOW_MS + 10);
  assert.equal(takeLease(sql, { owner: "o-b", self, nowMs: NOW_MS + STALE_MS + 9 }).kind, "busy");
  releaseLease(sql, "o-b");
  assert.ok(holdsLease(sql, "o-a"));
  releaseLease(sql, "o-a");
  assert.ok(!holdsLease(sql, "o-a"));
  assert.deepEqual(takeLease(sql, { owner: "o-b", self, nowMs: NOW_MS }), { kind: "held", generation: 2, tookOver: false });
});

test("TR-085 a database is brought from any older version to the newest, each step once, and never below", () => {
  const sql = fresh();
  sql.run("insert into setting(key, value) values ('a', 'kept')");
  const next = [
    ...MIGRATIONS,
    { version: SCHEMA_VERSION + 1, sql: "create table later(id text primary key) strict" },
    { version: SCHEMA_VERSION + 2, sql: "insert into later values ('x')" },
  ];
  const newest = String(SCHEMA_VERSION + 2);
  for (let time = 0; time < 2; time += 1) migrate(sql, next);
  assert.equal(sql.get("select count(*) as n from later")?.["n"], 1);
  assert.equal(sql.get("select value from meta where key = 'schema'")?.["value"], newest);
  assert.equal(sql.get("select value from setting where key = 'a'")?.["value"], "kept");
  migrate(sql);
  assert.equal(sql.get("select value from meta where key = 'schema'")?.["value"], newest);
  assert.deepEqual(
    MIGRATIONS.map((migration) => migration.version),
    MIGRATIONS.map((_, index) => index + 1),
  );
});
