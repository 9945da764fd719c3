import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ManualClock } from "../testing/manual-clock.ts";
import type { ChronicleEvent } from "../vocabulary/event.ts";
import { parseCharacterId, parseMessageId, parseSurfaceName } from "../vocabulary/ids.ts";
import { readersOf } from "../vocabulary/label.ts";
import type { Place } from "../vocabulary/place.ts";
import { directPlace, publicPlace } from "../vocabulary/place.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";
import { RecentLines } from "./recent-lines.ts";

const surface = parseSurfaceName("parlour");
const mirelle = parseCharacterId("mirelle");
const ann = parsePrincipalId("room:ann00000001");
const ROOM: Place = publicPlace(surface);
const LINE: Place = directPlace(surface, mirelle, ann);

function line(place: Place, number: number, more: Partial<ChronicleEvent> = {}): ChronicleEvent {
  return {
    id: parseMessageId(`m-${String(number).padStart(6, "0")}`),
    place: place.id,
    seq: number,
    atMs: 0,
    author: { kind: "person", principal: ann, name: "Ann" },
    text: `line ${number}`,
    action: "",
    state: "said",
    witnesses: [mirelle],
    audience: [readersOf(place)],
    influence: [ann],
    ...more,
  };
}

/** Rows of two places, as a store would have them. */
class Rows {
  erasures = 0;
  reads = 0;
  readonly places: readonly (readonly [Place, ChronicleEvent[]])[] = [ROOM, LINE].map((place) => [place, []]);
  #number = 0;

  readonly read = {
    events: (place: Place["id"], limit: number): readonly ChronicleEvent[] => {
      this.reads += 1;
      return this.of(place).slice(-limit);
    },
  };

  of(place: Place["id"]): ChronicleEvent[] {
    return this.places.find(([{ id }]) => id === place)?.[1] ?? [];
  }

  write(place: Place, more: Partial<ChronicleEvent> = {}): ChronicleEvent {
    const rows = this.of(place.id);
    const event = { ...line(place, ++this.#number), seq: (rows.at(-1)?.seq ?? 0) + 1, ...more };
    rows.push(event);
    return event;
  }
}

/** One change of the rows, with what the chronicle tells of it. */
function change(rows: Rows, recent: RecentLines, step: { readonly kind: string; readonly place: Place; readonly amount: number }): void {
  const { kind, place, amount } = step;
  if (kind === "write") for (let n = 0; n < amount; n += 1) recent.committed(rows.write(place));
  if (kind === "answer") recent.committed(rows.write(place, { state: "pending" }));
  if (kind === "swapped") {
    const [first, second] = [rows.write(place), rows.write(place)];
    for (const event of [second, first]) recent.committed(event);
  }
  if (kind === "end") {
    const mine = rows.of(place.id);
    const at = mine.findLastIndex(({ state }) => state === "pending");
    const pending = mine[at];
    if (pending === undefined) return;
    mine[at] = { ...pending, state: amount % 2 === 0 ? "said" : "unsaid" };
    recent.ended(place.id, pending.id, mine[at].state);
  }
  if (kind === "erase") {
    rows.of(place.id).splice(0, amount);
    rows.erasures += 1;
  }
}

test("TR-030 TR-043 what is held is what the rows say, whatever was written, ended or erased in between", async () => {
  const step = fc.record({
    kind: fc.constantFrom("write", "write", "write", "answer", "end", "swapped", "erase", "wait", "look", "look"),
    room: fc.boolean(),
    amount: fc.integer({ min: 1, max: 70 }),
  });
  let [looks, held] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 120, size: "max" }), async (steps) => {
      const rows = new Rows();
      const clock = new ManualClock(0);
      using recent = new RecentLines(rows, clock);
      for (const { kind, room, amount } of steps) {
        const place = room ? ROOM : LINE;
        if (kind === "wait") await clock.advance(amount * 6_000);
        else if (kind !== "look") change(rows, recent, { kind, place, amount });
        else {
          const before = rows.reads;
          const { events, whole } = recent.of(place.id);
          const mine = rows.of(place.id);
          assert.deepEqual(events, mine.slice(mine.length - events.length));
          assert.ok(whole ? events.length === mine.length : events.length >= 64);
          looks += 1;
          if (before === rows.reads) held += 1;
        }
      }
    }),
    { numRuns: 200 },
  );
  assert.ok(looks > 1_000 && held > 300, `${looks} looks, ${held} without a read`);
});

test("MC-070 a conversation that rests is let go, and nothing is left of it", async () => {
  const rows = new Rows();
  const clock = new ManualClock(0);
  using recent = new RecentLines(rows, clock);
  recent.committed(rows.write(ROOM));
  assert.deepEqual(recent.size, { places: 0, bytes: 0 }, "nothing is held of what nobody asked for");
  recent.of(ROOM.id);
  recent.of(LINE.id);
  assert.equal(recent.size.places, 2);
  assert.ok(recent.size.bytes > 600);
  await clock.advance(29_000);
  recent.of(LINE.id);
  await clock.advance(29_999);
  assert.equal(recent.size.places, 1, "the one that was used stays");
  await clock.advance(60_000);
  assert.deepEqual([recent.size, clock.pending], [{ places: 0, bytes: 0 }, 0]);
});

test("MC-070 beyond their bytes the conversation that was used longest ago goes first", () => {
  const rows = new Rows();
  using recent = new RecentLines(rows, new ManualClock(0));
  const page = (): readonly ChronicleEvent[] => Array.from({ length: 60 }, (_, n) => line(ROOM, n + 1, { text: "x".repeat(8_000) }));
  const many = { erasures: 0, read: { events: page } };
  using full = new RecentLines(many, new ManualClock(0));
  const places = Array.from({ length: 60 }, (_, n) => publicPlace(surface, `thread-${n}`).id);
  for (const place of places) full.of(place);
  assert.ok(full.size.bytes <= 32 * 1_048_576, `${full.size.bytes} bytes`);
  assert.ok(full.size.places > 20 && full.size.places < 60);
  assert.equal(full.seqOf(places[0] ?? ROOM.id, parseMessageId("m-000001")), null, "the oldest is gone");
  assert.equal(full.seqOf(places[59] ?? ROOM.id, parseMessageId("m-000001")), 1);
  assert.deepEqual(recent.size, { places: 0, bytes: 0 });
});

test("TR-030 a line whose labels are not sound is held as nobody's, and no line that is held can be changed", () => {
  const broken = { ...line(ROOM, 1), witnesses: "mirelle tobias" as unknown as ChronicleEvent["witnesses"] };
  using recent = new RecentLines({ erasures: 0, read: { events: () => [broken] } }, new ManualClock(0));
  const [event] = recent.of(ROOM.id).events;
  assert.deepEqual([event?.witnesses, event?.audience], [[], ["operators"]]);
  assert.ok(Object.isFrozen(event) && Object.isFrozen(event?.audience) && Object.isFrozen(event?.author));
});
