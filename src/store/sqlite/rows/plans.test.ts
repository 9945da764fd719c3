import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import {
  STORE_TIME_MS,
  answerRow,
  heard,
  messageIdOf,
  personOf,
  settleRow,
  startRow,
  suppressedRow,
  turnIdOf,
} from "../../../testing/store-rows.ts";
import { openDirectStore } from "../../../testing/store-writer.ts";
import type { DirectStore } from "../../../testing/store-writer.ts";
import { parseCharacterId, parseSurfaceName } from "../../../vocabulary/ids.ts";

/** What runs with every message: its verbs, and what its turn reads. */
function talk(store: DirectStore): void {
  for (let number = 1; number < 8; number += 1) {
    const row = heard({ number, person: number % 3, public: number % 2 === 0 });
    const parts = (number % 2) + 1;
    store.run({ verb: "hear", row });
    store.run({ verb: "start", row: startRow(row) });
    assert.ok(store.read.inbox(row.inbox.id));
    if (number === 7)
      store.run({ verb: "close", row: { inbox: row.inbox.id, turn: null, end: "failed", reason: "x", atMs: 1, record: null } });
    else {
      store.run({ verb: "answer", row: answerRow(row, parts) });
      for (let index = 0; index < parts; index += 1) store.run({ verb: "settle", row: settleRow(row, index, parts) });
    }
    store.run({ verb: "note", row: suppressedRow({ number: 50 + number }) });
    for (const heardBy of [false, true, parseCharacterId("mirelle")])
      assert.ok(store.read.events(row.event.place, 9, undefined, heardBy).length > 0);
    store.read.eventsAfter(row.event.place, 0, 9);
  }
  assert.ok(store.read.event(messageIdOf(1)) && store.read.explain(messageIdOf(1)) && store.read.deliveryOf(turnIdOf(1)));
  store.read.delivered(parseSurfaceName("parlour"), "d-1");
  store.read.spokenBy(turnIdOf(1));
  store.read.charged(`calls:person:${personOf(1)}`, STORE_TIME_MS);
  store.read.idsStartingWith("m-00");
}

test("what runs with each message finds its rows by their keys and goes through no table, however much is kept", () => {
  using store = openDirectStore();
  const texts = new Set<string>();
  const prepare = Reflect.get(DatabaseSync.prototype, "prepare");
  Reflect.set(DatabaseSync.prototype, "prepare", function noted(this: DatabaseSync, ...args: readonly [string]): unknown {
    texts.add(args[0]);
    return Reflect.apply(prepare, this, args);
  });
  try {
    talk(store);
  } finally {
    Reflect.set(DatabaseSync.prototype, "prepare", prepare);
  }
  assert.ok(texts.size > 20);
  using db = new DatabaseSync(store.path, { readOnly: true });
  for (const text of texts) {
    const plan = db.prepare(`explain query plan ${text}`).all();
    const through = plan.map(({ detail }) => String(detail)).filter((detail) => /^SCAN (?!CONSTANT)|AUTOMATIC/.test(detail));
    assert.deepEqual(through, [], text);
  }
});
