import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FakeRoad, FakeVoices, fakeRoomConfig } from "../../testing/fake-room.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import type { Audience } from "../../vocabulary/label.ts";
import { parseMessageId } from "../../vocabulary/ids.ts";
import type { Place } from "../../vocabulary/place.ts";
import { directPlace, publicPlace } from "../../vocabulary/place.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../vocabulary/principal.ts";
import type { StreamEvent } from "./protocol.ts";
import { Stage } from "./stage.ts";
import type { Viewer } from "./viewer.ts";

const NEVER = new AbortController().signal;
const CONFIG = fakeRoomConfig();
const [MIRELLE, TOBIAS] = CONFIG.characters.map(({ id }) => id);
const PUBLIC = publicPlace(CONFIG.name);

interface Page extends Disposable {
  readonly events: StreamEvent[];
}

function guest(name: string): Viewer {
  return {
    principal: parsePrincipalId(`room:m-${name}`),
    name,
    role: "guest",
    assurance: "anonymous",
    untilMs: null,
    operator: null,
    keep: () => Promise.resolve("stays"),
  };
}

function setUp(): {
  road: FakeRoad;
  stage: Stage;
  voices: FakeVoices;
  clock: ManualClock;
  present: string[];
  sit: (viewer: Viewer) => Page;
} {
  const road = new FakeRoad();
  const voices = new FakeVoices();
  const clock = new ManualClock();
  const present: string[] = [];
  const stage = new Stage({
    config: CONFIG,
    lines: road.lines,
    outcomes: road.outcomes,
    voices,
    clock,

    optedOut: () => false,
    onPresence: (person, here) => present.push(`${person} ${here}`),
  });
  stage.hearInto(road);
  const sit = (viewer: Viewer): Page => {
    const events: StreamEvent[] = [];
    const seat = stage.attach(viewer, { push: (event) => void events.push(event), end: (event) => void events.push(event) });
    return { events, [Symbol.dispose]: () => seat[Symbol.dispose]() };
  };
  return { road, stage, voices, clock, present, sit };
}

function say(
  text: string,
  to: string | null = null,
  hidden = false,
): { clientLineId: string; to: string | null; private: boolean; text: string } {
  return { clientLineId: `c-${text.replace(/\W/g, "")}`, to, private: hidden, text };
}

function typesOf(page: Page): readonly string[] {
  return page.events.map(({ type }) => type);
}

test("TR-080 what is said in public reaches everyone, what is said privately its own person's pages alone", async () => {
  const { stage, sit } = setUp();
  using ann = sit(guest("ann"));
  using annToo = sit(guest("ann"));
  using ben = sit(guest("ben"));
  await stage.say(guest("ann"), say("hello all"), NEVER);
  await stage.say(guest("ann"), say("the ledger", "mirelle", true), NEVER);
  for (const page of [ann, annToo]) assert.match(JSON.stringify(page.events), /hello all.*the ledger/);
  assert.match(JSON.stringify(ben.events), /hello all/);
  assert.doesNotMatch(JSON.stringify(ben.events), /the ledger/);
  using late = sit(guest("ben"));
  assert.doesNotMatch(JSON.stringify(late.events), /the ledger/);
});

test("SE-081 a line is heard under the viewer's own sender and assurance, and TR-020 alone only while nobody else has a page open", async () => {
  const { stage, road, sit } = setUp();
  using _ann = sit(guest("ann"));
  await stage.say(guest("ann"), say("one"), NEVER);
  {
    using _ben = sit(guest("ben"));
    await stage.say(guest("ann"), say("two"), NEVER);
  }
  await stage.say(guest("ann"), say("three", "tobias"), NEVER);
  assert.deepEqual(
    road.heard.map(({ alone, to }) => [alone, to]),
    [
      [true, undefined],
      [false, undefined],
      [true, "tobias"],
    ],
  );
  assert.deepEqual(road.heard[0]?.sender, { principal: "room:m-ann", displayName: "ann", kind: "person", assurance: "anonymous" });
  assert.equal(road.heard[0]?.deliveryId, "room:m-ann:c-one");
});

test("TR-042 the same line sent again is the same delivery, also under another text", async () => {
  const { stage, road } = setUp();
  const first = await stage.say(guest("ann"), { ...say("one", "mirelle"), clientLineId: "x" }, NEVER);
  const again = await stage.say(guest("ann"), { ...say("two", "mirelle"), clientLineId: "x" }, NEVER);
  assert.equal(again?.lineId, first?.lineId);
  assert.equal(again?.own.outcome, "waiting");
  assert.equal(road.heard.length, 1);
});

test("TR-080 a character that is not here is spoken to by nobody", async () => {
  const { stage, road } = setUp();
  assert.equal(await stage.say(guest("ann"), say("hi", "nobody"), NEVER), null);
  assert.equal(await stage.say(guest("ann"), { ...say("hi"), private: true }, NEVER), null);
  assert.equal(road.heard.length, 0);
});

test("TR-042 parts are shown once, in public to all and in a private line to its person, and the record's end adds nothing", () => {
  const { stage, road, sit } = setUp();
  assert.ok(MIRELLE !== undefined);
  using ann = sit(guest("ann"));
  using ben = sit(guest("ben"));
  const open = road.reply(MIRELLE, PUBLIC, ["one", "two"]);
  const hidden = road.reply(MIRELLE, directPlace(CONFIG.name, MIRELLE, guest("ann").principal), ["for ann"]);
  for (const part of [...open.parts, ...hidden.parts]) stage.show(part);
  for (const part of open.parts) stage.show(part);
  road.end(open.id, "said");
  road.end(hidden.id, "said");
  const shown = (page: Page): string[] => page.events.flatMap((event) => (event.type === "part" ? [event.part.body] : []));
  assert.deepEqual(shown(ann), ["one", "two", "for ann"]);
  assert.deepEqual(shown(ben), ["one", "two"]);
  assert.ok(!typesOf(ann).includes("line"));
  using late = sit(guest("ann"));
  const snapshot = late.events[0];
  assert.ok(snapshot?.type === "snapshot");
  assert.deepEqual(
    snapshot.pages.map(({ lines }) => lines.map(({ id, parts }) => [id, parts.map(({ body }) => body).join(" ")])),
    [[[open.turn, "one two"]], [[hidden.turn, "for ann"]], []],
  );
});

test("TR-042 a line on its way is in a new page's snapshot as far as it was shown, and an unsaid one is never", () => {
  const { stage, road, sit } = setUp();
  assert.ok(MIRELLE !== undefined);
  const open = road.reply(MIRELLE, PUBLIC, ["one", "two"]);
  const [first] = open.parts;
  assert.ok(first !== undefined);
  using before = sit(guest("ann"));
  assert.doesNotMatch(JSON.stringify(before.events), /one|two/);
  stage.show(first);
  using page = sit(guest("ben"));
  const snapshot = page.events[0];
  assert.ok(snapshot?.type === "snapshot");
  assert.deepEqual(
    snapshot.pages[0]?.lines.map(({ parts, partCount }) => [parts.length, partCount]),
    [[1, 2]],
  );
  road.end(open.id, "unsaid");
  const last = page.events.at(-1);
  assert.ok(last?.type === "line" && last.line.partCount === 1, "the page is told that it does not go on");
  using late = sit(guest("ben"));
  assert.doesNotMatch(JSON.stringify(late.events), /one|two/);
});

test("SE-094 an outcome is told to its own person alone, and to why a foreign line and none are the same", async () => {
  const { stage, road, sit } = setUp();
  using ann = sit(guest("ann"));
  using ben = sit(guest("ben"));
  const answer = await stage.say(guest("ann"), say("hello", "mirelle"), NEVER);
  assert.ok(answer !== null);
  road.setOutcome({
    id: parseMessageId(answer.lineId),
    person: guest("ann").principal,
    place: PUBLIC.id,
    outcome: "answered",
    tookMs: 900,
    words: true,
  });
  assert.ok(typesOf(ann).includes("outcome"));
  assert.ok(!typesOf(ben).includes("outcome"));
  assert.deepEqual(stage.why(guest("ann"), answer.lineId), { lineId: answer.lineId, outcome: "answered", tookMs: 900, words: true });
  assert.equal(stage.why(guest("ben"), answer.lineId), null);
  assert.equal(stage.why(guest("ben"), "m-00000000missing"), null);
  assert.equal(stage.why(guest("ben"), "../../x"), null);
  assert.doesNotMatch(JSON.stringify(ben.events.filter(({ type }) => type === "line")), /"outcome"/);
});

test("SE-094 an operator is told how everybody's public lines end, and nothing of private ones", async () => {
  const { stage, road, sit } = setUp();
  const facts = { view: { version: "1", pid: 1, startedAtMs: 0, rooms: [] }, model: null };
  const owner: Viewer = { ...guest("owner"), principal: LOCAL_OWNER, role: "operator", assurance: "local", operator: facts };
  using page = sit(owner);
  const end = (lineId: string, place: Place): void =>
    road.setOutcome({
      id: parseMessageId(lineId),
      person: guest("ann").principal,
      place: place.id,
      outcome: "answered",
      tookMs: 900,
      words: true,
    });
  assert.ok(MIRELLE !== undefined);
  const open = await stage.say(guest("ann"), say("hello all", "mirelle"), NEVER);
  const hidden = await stage.say(guest("ann"), say("hello you", "mirelle", true), NEVER);
  assert.ok(open !== null && hidden !== null);
  end(open.lineId, PUBLIC);
  end(hidden.lineId, directPlace(CONFIG.name, MIRELLE, guest("ann").principal));
  const told = page.events.flatMap((event) =>
    event.type === "outcome" ? [[event.lineId, event.own.outcome, event.own.clientLineId]] : [],
  );
  assert.deepEqual(told.at(-1), [open.lineId, "answered", null]);
  assert.ok(!JSON.stringify(page.events).includes(hidden.lineId));
  const line = stage.page(owner, { kind: "public" }, null)?.lines.find(({ id }) => id === open.lineId);
  assert.deepEqual(line?.own, { clientLineId: null, outcome: "answered", tookMs: 900, words: true });
  assert.equal(stage.page(guest("ben"), { kind: "public" }, null)?.lines.find(({ id }) => id === open.lineId)?.own, null);
});

test("TR-096 a sign of life says since when, in a private line to its own person alone", async () => {
  const { stage, sit, clock } = setUp();
  assert.ok(MIRELLE !== undefined);
  using ann = sit(guest("ann"));
  using ben = sit(guest("ben"));
  const seen = ben.events.length;
  const place = directPlace(CONFIG.name, MIRELLE, guest("ann").principal);
  stage.typing(MIRELLE, place, true);
  await clock.advance(3_000);
  stage.typing(MIRELLE, place, true);
  using late = sit(guest("ann"));
  const snapshot = late.events[0];
  assert.ok(snapshot?.type === "snapshot");
  assert.deepEqual(snapshot.typing, [
    { character: MIRELLE, place: { kind: "direct", character: MIRELLE }, sinceMs: clock.nowMs() - 3_000 },
  ]);
  using other = sit(guest("ben"));
  assert.ok(other.events[0]?.type === "snapshot" && other.events[0].typing.length === 0);
  stage.typing(MIRELLE, place, false);
  assert.deepEqual(
    ann.events.filter(({ type }) => type === "typing").map((event) => (event.type === "typing" ? event.typing.length : null)),
    [1, 0],
  );
  assert.deepEqual(
    ben.events.slice(seen).filter(({ type }) => type !== "people"),
    [],
  );
});

test("TR-080 people are here while a page is open, then away for 30 minutes", async () => {
  const { sit, clock, present } = setUp();
  using ann = sit(guest("ann"));
  {
    using _one = sit(guest("ben"));
    using _two = sit(guest("ben"));
  }
  await clock.advance(250);
  assert.equal(typesOf(ann).filter((type) => type === "people").length, 1, "coming and going in one breath is told once");
  const last = ann.events.at(-1);
  assert.ok(last?.type === "people");
  assert.deepEqual(
    last.people.map(({ name, here, you }) => [name, here, you]),
    [
      ["ann", true, true],
      ["ben", false, false],
    ],
  );
  assert.deepEqual(present, ["room:m-ann true", "room:m-ben true", "room:m-ben false"]);
  await clock.advance(31 * 60_000);
  using late = sit(guest("kim"));
  assert.ok(late.events[0]?.type === "snapshot");
  assert.deepEqual(
    late.events[0].people.map(({ name }) => name),
    ["ann", "kim"],
  );
});

test("SE-086 a guest's header holds no model's name, no process and no operator", () => {
  const { stage, voices, sit } = setUp();
  using page = sit(guest("ann"));
  voices.set({ kind: "model" });
  const header = stage.view(guest("ann"));
  assert.deepEqual(header.voice, { kind: "model", model: null, firstTokenMs: null });
  assert.equal(header.operator, null);
  assert.equal(header.door, "room");
  assert.ok(typesOf(page).includes("room"), "a change of voice is told");
});

test("SE-087 pages go back by marks that only their own reader can use, in their own place, and that are all of one length", () => {
  const { stage, road } = setUp();
  const ann = guest("ann");
  for (let at = 0; at < 150; at += 1)
    road.add({
      id: parseMessageId(`m-line${at}`),
      place: PUBLIC,
      author: { kind: "person", principal: ann.principal, name: "ann" },
      text: `line ${at}`,
      atMs: at,
    });
  const texts: string[] = [];
  let older: string | null = null;
  const marks: string[] = [];
  do {
    const page = stage.page(ann, { kind: "public" }, older);
    assert.ok(page !== null);
    texts.unshift(...page.lines.map(({ parts }) => parts[0]?.body ?? ""));
    older = page.older;
    if (older !== null) marks.push(older);
  } while (older !== null);
  assert.deepEqual(
    texts,
    Array.from({ length: 150 }, (_, at) => `line ${at}`),
  );
  assert.equal(marks.length, 2);
  for (const mark of marks) {
    assert.equal(mark.length, 48);
    assert.equal(stage.page(guest("ben"), { kind: "public" }, mark), null);
    assert.equal(stage.page(ann, { kind: "direct", character: "mirelle" }, mark), null);
    assert.equal(setUp().stage.page(ann, { kind: "public" }, mark), null, "and none of an earlier process");
  }
});

test("SE-087 whatever stands in the record, no member's page ever holds a line whose audience excludes them", () => {
  const people = ["ann", "ben", "kim"].map(guest);
  const [ann, ben, kim] = people;
  assert.ok(ann !== undefined && ben !== undefined && kim !== undefined && MIRELLE !== undefined && TOBIAS !== undefined);
  const places: readonly Place[] = [
    PUBLIC,
    publicPlace(CONFIG.name, "other"),
    ...people.flatMap(({ principal }) => [directPlace(CONFIG.name, MIRELLE, principal), directPlace(CONFIG.name, TOBIAS, principal)]),
  ];
  const reader = fc.constantFrom<Audience[number]>(
    "anyone",
    "operators",
    `place:${PUBLIC.id}`,
    ...people.map(({ principal }): Audience[number] => `person:${principal}`),
  );
  const entry = fc.record({
    place: fc.nat(places.length - 1),
    audience: fc.array(reader, { maxLength: 2 }),
    author: fc.nat(people.length),
    early: fc.boolean(),
  });
  let shown = 0;
  let withheld = 0;
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 12 }), (entries) => {
      const { road, sit, stage } = setUp();
      const allowed = new Map<string, { place: Place; audience: Audience }>();
      const put = (early: boolean): void => {
        for (const [at, { place, audience, author, early: isEarly }] of entries.entries()) {
          const where = places[place];
          if (where === undefined || isEarly !== early) continue;
          const writer = people[author];
          const text = `canary-${at}-`;
          allowed.set(text, { place: where, audience });
          const by =
            writer === undefined
              ? ({ kind: "character", character: MIRELLE } as const)
              : ({ kind: "person", principal: writer.principal, name: writer.name } as const);
          road.add({ id: parseMessageId(`m-line${at}`), place: where, author: by, text, audience, atMs: at });
        }
      };
      put(true);
      const pages = people.map((viewer) => ({ viewer, page: sit(viewer) }));
      put(false);
      for (const { viewer, page } of pages) {
        const seen: string = JSON.stringify([
          page.events,
          stage.page(viewer, { kind: "public" }, null),
          stage.page(viewer, { kind: "direct", character: MIRELLE }, null),
        ]);
        for (const [text, { place, audience }] of allowed) {
          const expected = mayHave(viewer.principal, place, audience);
          assert.equal(seen.includes(text), expected, `${viewer.name} ${text} ${place.id} ${audience.join(",")}`);
          if (expected) shown += 1;
          else withheld += 1;
        }
      }
    }),
    { numRuns: 500 },
  );
  assert.ok(shown > 500 && withheld > 500, `both happen: ${shown} shown, ${withheld} withheld`);
});

/** The rule written a second time, from the contract: in the room's own place, or the person's own private line, and in the audience. */
function mayHave(person: PrincipalId, place: Place, audience: Audience): boolean {
  if (audience.includes("anyone")) return place.id === PUBLIC.id || (place.kind === "direct" && place.person === person);
  if (place.kind === "direct") return place.person === person && audience.includes(`person:${person}`);
  return place.id === PUBLIC.id && audience.includes(`place:${PUBLIC.id}`);
}

test("TR-043 when somebody is forgotten, nothing of the erased lines stays in the room, and every page gets the room anew", () => {
  const { stage, road, sit } = setUp();
  assert.ok(MIRELLE !== undefined);
  using ben = sit(guest("ben"));
  {
    using _ann = sit(guest("ann"));
  }
  const half = road.reply(MIRELLE, PUBLIC, ["zebrawords one", "zebrawords two"]);
  const whole = road.reply(MIRELLE, PUBLIC, ["other words"]);
  const [first] = half.parts;
  assert.ok(first !== undefined);
  stage.show(first);
  for (const part of whole.parts) stage.show(part);
  ben.events.length = 0;
  road.forget(guest("ann").principal, [first.turn]);
  const [told] = ben.events;
  assert.equal(told?.type, "snapshot");
  assert.doesNotMatch(JSON.stringify(told), /zebrawords|m-ann/);
  assert.match(JSON.stringify(told), /other words/);
  road.end(half.id, "said");
  assert.doesNotMatch(JSON.stringify(ben.events), /zebrawords/, "nor is it shown when its last part settles");
});
