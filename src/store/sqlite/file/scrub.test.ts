import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connectWriter } from "./connect.ts";
import { dueScrub, isScrubDue } from "./epoch.ts";
import { migrate } from "./schema.ts";
import { scrub } from "./scrub.ts";
import { prepareStateFolder } from "./state-folder.ts";
import { Statements } from "../rows/statements.ts";

test("TR-043 what pages keep of deleted rows in their unused space is gone after a scrub, and so is the journal", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-scrub-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = prepareStateFolder(join(folder, "state"));
  const db = connectWriter(path, null);
  const sql = new Statements(db);
  sql.script("begin");
  migrate(sql);
  let state = 5;
  const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  for (let number = 0; number < 6_000; number += 1) {
    const own = random() < 0.3;
    const id = `${own ? "zebrawords" : "others"}${Math.floor(random() * 1e9)}-${number}-${"x".repeat(random() * 300)}`;
    sql.run("insert into delivery(surface, id, message, at_ms) values (:surface, :id, 'm', 0)", {
      surface: own ? "parlour" : `s${number % 50}`,
      id,
    });
  }
  sql.script("commit");
  sql.run("delete from delivery where surface = 'parlour'");
  dueScrub({ sql, due: { epoch: false, list: false, scrub: false, worked: false } });
  sql.get("pragma wal_checkpoint(truncate)");
  // Without this the test would show nothing: overwriting rows where they stand is not enough.
  assert.ok(readFileSync(path).includes("zebrawords"));
  scrub(db, sql);
  assert.ok(!readFileSync(path).includes("zebrawords"));
  assert.equal(statSync(`${path}-wal`).size, 0);
  assert.equal(isScrubDue(sql), false);
  assert.equal(
    sql.get("select count(*) as n from delivery")?.["n"],
    sql.get("select count(*) as n from delivery where id like 'others%'")?.["n"],
  );
  db.close();
});
