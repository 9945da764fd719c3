import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "../foundation/log.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { MemoryChronicleStore } from "../testing/memory-chronicle-store.ts";
import type { ChronicleEvent } from "../vocabulary/event.ts";
import { parseCharacterId, parseMessageId, parseSurfaceName } from "../vocabulary/ids.ts";
import type { Place } from "../vocabulary/place.ts";
import { directPlace, publicPlace } from "../vocabulary/place.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";
import { Visible } from "../vocabulary/visible.ts";
import { openChronicle } from "./chronicle.ts";
import { labelsOfLine } from "./labels.ts";

const surface = parseSurfaceName("parlour");
const mirelle = parseCharacterId("mirelle");
const ann = parsePrincipalId("room:ann");
const room = publicPlace(surface);
const annsLine = directPlace(surface, mirelle, ann);
const MINUTE = 60_000;
const NOW = 1_800_000_000_000;
let next = 0;

function said(place: Place, minutesAgo: number, ambient: boolean = false): ChronicleEvent {
  const labels = labelsOfLine({ author: ann, place, characters: [mirelle], ambient });
  const author = { kind: "person", principal: ann, name: "Ann" } as const;
  const id = parseMessageId(`m-${String((next += 1)).padStart(6, "0")}`);
  return {
    id,
    place: place.id,
    seq: 0,
    atMs: NOW - minutesAgo * MINUTE,
    author,
    text: `${minutesAgo}`,
    action: "",
    state: "said",
    ...labels,
  };
}

/** Ages in minutes of the lines that are in mind `laterMs` after now, oldest first. */
function inMind(place: Place, lines: readonly ChronicleEvent[], laterMs: number = 0): readonly number[] {
  const store = new MemoryChronicleStore();
  store.put(...lines);
  using chronicle = openChronicle({ store, clock: new ManualClock(NOW + laterMs), log: silentLog });
  return Visible.eventsOf(chronicle.visibleFor(mirelle, place, { limit: 40 }).visible).map(({ text }) => Number(text));
}

test("MC-069 TR-043 a direct line is forgotten 24 hours after it was said, to the millisecond", () => {
  const lines = [1_441, 1_440, 900, 1].map((minutes) => said(annsLine, minutes));
  assert.deepEqual(inMind(annsLine, lines), [1_440, 900, 1]);
  assert.deepEqual(inMind(annsLine, lines, 1), [900, 1]);
  assert.deepEqual(inMind(annsLine, lines, 24 * 60 * MINUTE), []);
});

test("TR-043 public talk is forgotten 30 minutes after its last exchange, and lives as long as it goes on", () => {
  const lines = [95, 64, 40, 30].map((minutes) => said(room, minutes));
  assert.deepEqual(inMind(room, lines), [64, 40, 30]);
  assert.deepEqual(inMind(room, lines, 1), []);
  // A pause that ended memory is not undone by talk after it.
  assert.deepEqual(inMind(room, [...lines, said(room, -10)], 20 * MINUTE), [-10]);
});

test("TR-030 talk that nobody here perceived keeps nothing in mind", () => {
  assert.deepEqual(inMind(room, [said(room, 50), said(room, 25, true), said(room, 5)]), [5]);
});
