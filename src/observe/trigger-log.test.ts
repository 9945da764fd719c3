import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../testing/manual-clock.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";
import type { TriggerEntry } from "../vocabulary/trigger-entry.ts";
import { TRUSTED_ENTRIES, TriggerLog, UNTRUSTED_ENTRIES } from "./trigger-log.ts";

const ANN = "177117296140091393";
const BEN = "177117296140091394";

function entry(number: number, more: Partial<TriggerEntry> = {}): TriggerEntry {
  const timestamp = "2026-01-01T00:00:00.000Z";
  return {
    id: String(number),
    channelId: "1",
    authorId: ANN,
    authorName: "ann",
    content: `line ${number}`,
    timestamp,
    trusted: true,
    ...more,
  };
}

test("VS-024 VS-025 VS-028 a hundred triggers of trusted people are held, the oldest goes first", () => {
  const log = new TriggerLog(new ManualClock());
  assert.deepEqual([TRUSTED_ENTRIES, UNTRUSTED_ENTRIES], [100, 30]);
  for (let at = 0; at < 130; at += 1) log.note(entry(at));
  const held = log.since();
  assert.deepEqual([held.length, held[0]?.id, held.at(-1)?.id], [100, "30", "129"]);
  assert.deepEqual(
    log.since("127").map(({ id }) => id),
    ["128", "129"],
  );
  assert.deepEqual(log.since("129"), []);
  assert.equal(log.since("5").length, 100, "what is gone was before all of them");
  assert.equal(log.entry("29"), null);
  assert.equal(log.entry("30")?.content, "line 30");
});

test("VS-024 TR-022 the ring of everybody else exists, holds thirty at most, and stays empty", () => {
  const [standard, kept] = [new TriggerLog(new ManualClock()), new TriggerLog(new ManualClock(), true)];
  for (let at = 0; at < 40; at += 1) for (const log of [standard, kept]) log.note(entry(at, { trusted: false }));
  assert.deepEqual(standard.since(null, "untrusted"), []);
  assert.deepEqual([kept.since(null, "untrusted").length, kept.since(null, "untrusted")[0]?.id], [30, "10"]);
  for (const log of [standard, kept]) {
    assert.deepEqual(log.since(), []);
    assert.equal(log.entry("39"), null);
  }
});

test("TR-043 nothing is held for longer than a day, and nothing of somebody who is forgotten, in whoever's entry it stands", async () => {
  const clock = new ManualClock();
  const log = new TriggerLog(clock);
  const said = { id: "7", authorId: BEN, authorName: "ben", content: "secret", timestamp: "" };
  log.note(entry(1, { context: [said, { ...said, authorId: null }] }));
  log.note(entry(2, { authorId: BEN }));
  log.forget(parsePrincipalId(`discord:${BEN}`));
  assert.deepEqual(
    log.since().map(({ id, context }) => [id, context?.map(({ authorId }) => authorId)]),
    [["1", [null]]],
  );
  await clock.advance(12 * 60 * 60_000);
  log.note(entry(3));
  await clock.advance(12 * 60 * 60_000 + 1);
  assert.deepEqual(
    log.since().map(({ id }) => id),
    ["3"],
  );
  assert.equal(log.entry("1"), null);
});
