import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { silentLog } from "../foundation/log.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { MemoryChronicleStore } from "../testing/memory-chronicle-store.ts";
import { ANN, MIRELLE, PARLOUR, TOBIAS } from "../testing/road-fixtures.ts";
import type { ChronicleEvent } from "../vocabulary/event.ts";
import { parseMessageId } from "../vocabulary/ids.ts";
import type { Influence } from "../vocabulary/label.ts";
import type { Place } from "../vocabulary/place.ts";
import { directPlace, publicPlace } from "../vocabulary/place.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";
import { Visible } from "../vocabulary/visible.ts";
import { openChronicle } from "./chronicle.ts";
import { labelsOfLine, labelsOfReply } from "./labels.ts";
import { isOwnTalk } from "./own-talk.ts";

const BEN = parsePrincipalId("room:ben");
const REGION = publicPlace(PARLOUR, "pier");
const characters = [MIRELLE, TOBIAS];
let next = 0;

function line(person: PrincipalId, text: string, place: Place = REGION, name = "Visitor"): ChronicleEvent {
  return {
    ...bare(text, place),
    author: { kind: "person", principal: person, name },
    ...labelsOfLine({ author: person, place, characters, ambient: false }),
  };
}

function reply(text: string, influence: readonly Influence[], character: typeof MIRELLE = MIRELLE): ChronicleEvent {
  const labels = labelsOfReply({ character, place: REGION, present: characters, influence });
  return { ...bare(text, REGION), author: { kind: "character", character }, ...labels };
}

function bare(text: string, place: Place): Pick<ChronicleEvent, "id" | "place" | "seq" | "atMs" | "text" | "action" | "state"> {
  return {
    id: parseMessageId(`m-${String((next += 1)).padStart(5, "0")}`),
    place: place.id,
    seq: 0,
    atMs: 0,
    text,
    action: "",
    state: "said",
  };
}

function seen(events: readonly ChronicleEvent[], place: Place, only?: PrincipalId): readonly string[] {
  const store = new MemoryChronicleStore();
  store.put(...events);
  using chronicle = openChronicle({ store, clock: new ManualClock(0), log: silentLog });
  const range = { limit: 40, ...(only === undefined ? {} : { only }) };
  return Visible.eventsOf(chronicle.visibleFor(MIRELLE, place, range).visible).map(({ text }) => text);
}

test("MC-065 public and direct talk have keys of their own, and in a region of strangers so has each person: account, channel, and nothing else", () => {
  const events = [
    line(ANN, "ann one", REGION, "Visitor"),
    line(BEN, "ben one", REGION, "Visitor"),
    reply("to ann", [ANN]),
    reply("to ben", [BEN]),
    reply("to ann, after ben", [ANN, BEN]),
    reply("tobias to ann", [ANN], TOBIAS),
    line(ANN, "ann two", REGION, "Another Name"),
    line(ANN, "ann whispers", directPlace(PARLOUR, MIRELLE, ANN)),
  ];
  assert.deepEqual(seen(events, REGION, ANN), ["ann one", "to ann", "ann two"], "under whatever name");
  assert.deepEqual(seen(events, REGION, BEN), ["ben one", "to ben"]);
  assert.deepEqual(seen(events, directPlace(PARLOUR, MIRELLE, ANN)), ["ann whispers"]);
  assert.equal(seen(events, REGION).length, 7, "a room is everybody's");
});

test("MC-065 TR-030 what others say beside a person's own talk changes nothing of it", () => {
  const people = [ANN, BEN, parsePrincipalId("room:kim")] as const;
  const influence = fc.uniqueArray(fc.constantFrom<Influence>(...people, `character:${TOBIAS}`, "import:abc"), { maxLength: 3 });
  const event = fc.oneof(
    fc.constantFrom(...people).map((person) => line(person, "said")),
    fc.tuple(influence, fc.constantFrom(MIRELLE, TOBIAS)).map(([shaped, character]) => reply("answered", shaped, character)),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      const own = events.filter((one) => isOwnTalk(one, MIRELLE, ANN));
      const others = (one: ChronicleEvent): boolean =>
        one.author.kind === "person"
          ? one.author.principal !== ANN
          : one.author.character !== MIRELLE ||
            people.slice(1).some((person) => one.influence.includes(person)) ||
            one.influence.includes(`character:${TOBIAS}`);
      assert.ok(!own.some(others));
      assert.deepEqual(seen(events, REGION, ANN), seen(own, REGION, ANN));
    }),
  );
});

test("MC-067 what a packet is built from reads one exact conversation and no other row", () => {
  const store = new MemoryChronicleStore();
  const places: Place[] = [REGION, publicPlace(PARLOUR), directPlace(PARLOUR, MIRELLE, ANN), directPlace(PARLOUR, MIRELLE, BEN)];
  for (const place of places) store.put(line(place.kind === "direct" ? place.person : ANN, "said", place));
  const read: string[] = [];
  const spied = {
    hear: store.hear.bind(store),
    suspend: store.suspend.bind(store),
    answer: store.answer.bind(store),
    settle: store.settle.bind(store),
    erasures: store.erasures,
    read: {
      events: (...range: Parameters<typeof store.read.events>) => (read.push(range[0]), store.read.events(...range)),
      event: (id: ChronicleEvent["id"]) => (read.push(id), store.read.event(id)),
    },
  };
  using chronicle = openChronicle({ store: spied, clock: new ManualClock(0), log: silentLog });
  for (const place of places) {
    const asked = line(ANN, "asked", place);
    chronicle.visibleFor(MIRELLE, place, { limit: 40, exclude: asked.id });
    assert.deepEqual(new Set(read.splice(0)), new Set([place.id, asked.id]));
  }
});
