import assert from "node:assert/strict";
import { test } from "node:test";
import { answerRow, heard, settleRow, startRow } from "../../../testing/store-rows.ts";
import type { HeardRow } from "../../../testing/store-rows.ts";
import type { DirectStore } from "../../../testing/store-writer.ts";
import { openDirectStore } from "../../../testing/store-writer.ts";

type Settled = "delivered" | { readonly failed: string };

/** A direct line of one person, with an answer whose parts ended so. */
function said(store: DirectStore, number: number, settled: readonly Settled[]): HeardRow {
  const row = heard({ number, person: 1 });
  store.run({ verb: "hear", row });
  store.run({ verb: "start", row: startRow(row) });
  store.run({ verb: "answer", row: answerRow(row, settled.length) });
  for (const [index, one] of settled.entries()) {
    const base = settleRow(row, index, settled.length);
    store.run({
      verb: "settle",
      row: one === "delivered" ? base : { ...base, state: "failed", reason: one.failed, platformId: null },
    });
  }
  return row;
}

test("TR-042 a line that found nobody is given once, and counts as said from then on; what reached somebody or failed otherwise is not", () => {
  using store = openDirectStore();
  const nobody = { failed: "nobody_attached" } as const;
  const missed = said(store, 1, [nobody]);
  const long = said(store, 2, [nobody, nobody]);
  const others = [said(store, 3, ["delivered"]), said(store, 4, ["delivered", nobody]), said(store, 5, [{ failed: "refused" }])];
  const place = missed.inbox.place.id;
  const states = (): unknown =>
    [missed, long, ...others].map((row) => store.read.events(place, 20).find(({ turn }) => turn === answerRow(row).turn)?.state);
  assert.deepEqual(states(), ["unsaid", "unsaid", "said", "said", "unsaid"]);
  const given = store.run({ verb: "catchUp", row: { place } });
  assert.deepEqual(
    given.map(({ text }) => text),
    [missed, long].map((row) => answerRow(row).event.text),
  );
  assert.deepEqual(states(), ["said", "said", "said", "said", "unsaid"]);
  assert.deepEqual(store.run({ verb: "catchUp", row: { place } }), [], "once");
  assert.deepEqual(
    store.read.explain(long.event.id)?.parts.map(({ state, reason }) => [state, reason]),
    [
      ["unknown", "shown_later"],
      ["unknown", "shown_later"],
    ],
  );
});
