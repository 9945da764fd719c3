import assert from "node:assert/strict";
import { test } from "node:test";
import { isRuntimeError } from "../foundation/errors.ts";
import type { ErrorCode } from "../foundation/errors.ts";
import { silentLog } from "../foundation/log.ts";
import type { Log } from "../foundation/log.ts";
import type { AnswerRow, HearRow, SettleRow } from "../store/store.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { MemoryChronicleStore } from "../testing/memory-chronicle-store.ts";
import type { ChronicleEvent } from "../vocabulary/event.ts";
import { parseCharacterId, parseMessageId, parseSurfaceName, parseTurnId, partIdOf } from "../vocabulary/ids.ts";
import type { Reader } from "../vocabulary/label.ts";
import { readersOf } from "../vocabulary/label.ts";
import type { Place } from "../vocabulary/place.ts";
import { directPlace, publicPlace } from "../vocabulary/place.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";
import { Visible } from "../vocabulary/visible.ts";
import type { Chronicle, ChronicleChange } from "./chronicle.ts";
import { openChronicle } from "./chronicle.ts";
import { labelsOfLine, labelsOfReply } from "./labels.ts";

const surface = parseSurfaceName("parlour");
const mirelle = parseCharacterId("mirelle");
const tobias = parseCharacterId("tobias");
const ann = parsePrincipalId("room:ann");
const ben = parsePrincipalId("room:ben");
const room = publicPlace(surface);
const annsLine = directPlace(surface, mirelle, ann);
const inRoom = readersOf(room);
const turn = parseTurnId("t-0001");
let nextId = 0;

const throwsCode =
  (code: ErrorCode) =>
  (error: unknown): boolean =>
    isRuntimeError(error, code);

function line(place: Place, text: string, more: Partial<ChronicleEvent> & { readonly ambient?: boolean } = {}): ChronicleEvent {
  const { ambient = false, ...rest } = more;
  const id = parseMessageId(`m-${String((nextId += 1)).padStart(5, "0")}`);
  const author = { kind: "person", principal: ann, name: "Ann" } as const;
  const labels = labelsOfLine({ author: ann, place, characters: [mirelle, tobias], ambient });
  return { id, place: place.id, seq: 0, atMs: 0, author, text, action: "", state: "said", ...labels, ...rest };
}

function heard(event: ChronicleEvent): HearRow {
  const decision = { id: event.id, atMs: 0, surface, place: event.place, person: ann, character: null, outcome: "suppressed" } as const;
  return { event, inbox: null, decision: { ...decision, reason: "ambient", gate: "", rule: "", key: "", class: null } };
}

function answered(text: string): AnswerRow {
  const labels = labelsOfReply({ character: mirelle, place: room, present: [mirelle], influence: [ann] });
  const event: ChronicleEvent = { ...line(room, text), author: { kind: "character", character: mirelle }, ...labels, turn };
  const record = { voice: "responder", by: "understudy", packet: null, firstTokenMs: null, candidates: 0 } as const;
  const usage = { promptTokens: 0, completionTokens: 0, costMicros: 0 };
  return {
    turn,
    inbox: parseMessageId("m-inbox"),
    end: "answered",
    reason: "",
    atMs: 0,
    event,
    parts: [],
    record: { ...record, usage },
    gate: [],
  };
}

function settled(index: number, state: SettleRow["state"], more: Partial<SettleRow> = {}): SettleRow {
  return { part: partIdOf(turn, index), state, reason: "", platformId: null, atMs: 0, next: null, rest: null, ...more };
}

const textsOf = (chronicle: Chronicle, place: Place, limit: number = 40): readonly string[] =>
  Visible.eventsOf(chronicle.visibleFor(mirelle, place, { limit }).visible).map((event) => event.text);

function open(log: Log = silentLog): {
  readonly store: MemoryChronicleStore;
  readonly chronicle: Chronicle;
  readonly changes: ChronicleChange[];
} {
  const store = new MemoryChronicleStore();
  const chronicle = openChronicle({ store, clock: new ManualClock(0), log });
  const changes: ChronicleChange[] = [];
  chronicle.subscribe((change) => changes.push(change));
  return { store, chronicle, changes };
}

test("TR-036 a conversation has one key: a direct line holds none of the public talk around it, and the other way round", async () => {
  const { chronicle } = open();
  await chronicle.hear(heard(line(room, "in front of all")));
  await chronicle.hear(heard(line(annsLine, "between us")));
  assert.deepEqual(textsOf(chronicle, room), ["in front of all"]);
  assert.deepEqual(textsOf(chronicle, annsLine), ["between us"]);
  assert.deepEqual(textsOf(chronicle, directPlace(surface, mirelle, ben)), []);
  assert.deepEqual(textsOf(chronicle, publicPlace(surface, "thread")), []);
});

test("A34 a line of one person's whisper is in no packet of another character or person", async () => {
  const { chronicle } = open();
  await chronicle.hear(heard(line(annsLine, "between us")));
  assert.deepEqual(Visible.eventsOf(chronicle.visibleFor(tobias, annsLine, { limit: 40 }).visible), []);
});

test("TR-030 the newest lines are chosen among those that may be seen, however many are hidden between them", async () => {
  const { chronicle, store } = open();
  store.put(line(room, "one"), line(room, "two"));
  for (let index = 0; index < 3_000; index += 1) store.put(line(room, "ambient", { ambient: true }));
  store.put(line(room, "three"));
  assert.deepEqual(textsOf(chronicle, room, 2), ["two", "three"]);
  assert.ok(store.reads < 20, `reads: ${store.reads}`);
});

test("TR-042 pending and unsaid lines are in no packet; a said one is, from the moment its last part has settled", async () => {
  const { chronicle } = open();
  const row = answered("my answer");
  await chronicle.answer(row);
  assert.deepEqual(textsOf(chronicle, room), []);
  await chronicle.settle(settled(0, "delivered", { next: partIdOf(turn, 1) }));
  assert.deepEqual(textsOf(chronicle, room), []);
  await chronicle.settle(settled(1, "unknown"));
  assert.deepEqual(textsOf(chronicle, room), ["my answer"]);
});

test("TR-042 a row of an answer that claims to be said is stored pending", async () => {
  const { chronicle, store } = open();
  const row = answered("too early");
  await chronicle.answer({ ...row, event: { ...row.event, state: "said" } });
  assert.equal(store.read.event(row.event.id)?.state, "pending");
});

test("a line whose commit is under way is seen after the committed ones, in order of hearing, and once", async () => {
  const { chronicle, store } = open();
  await chronicle.hear(heard(line(room, "one")));
  store.hold();
  const open1 = chronicle.hear(heard(line(room, "two")));
  const open2 = chronicle.hear(heard(line(room, "three")));
  const elsewhere = chronicle.hear(heard(line(annsLine, "whispered")));
  assert.deepEqual(textsOf(chronicle, room), ["one", "two", "three"]);
  store.commitNext({ resolve: false });
  assert.deepEqual(textsOf(chronicle, room), ["one", "two", "three"], "readable, but its verb has not resolved");
  assert.deepEqual(textsOf(chronicle, room, 1), ["three"]);
  for (let index = 0; index < 3; index += 1) store.commitNext();
  await Promise.all([open1, open2, elsewhere]);
  assert.deepEqual(textsOf(chronicle, room), ["one", "two", "three"]);
});

test("TR-030 lines under way pass the same filter, and malformed ones are sealed before they are stored", async () => {
  const { chronicle, store, changes } = open();
  store.hold();
  const broken: object = { audience: "place:public:parlour" };
  const one = chronicle.hear(heard({ ...line(room, "broken"), ...broken }));
  const two = chronicle.hear(heard(line(room, "ambient", { ambient: true })));
  assert.deepEqual(textsOf(chronicle, room), []);
  store.commitNext();
  store.commitNext();
  await Promise.all([one, two]);
  const first = changes[0];
  assert.ok(first?.kind === "event");
  assert.deepEqual([first.event.witnesses, first.event.audience], [[], ["operators"]]);
  assert.deepEqual(store.read.event(first.event.id)?.audience, ["operators"]);
});

test("a line whose commit fails is dropped, the failure reaches the caller, and nothing is published", async () => {
  const { chronicle, store, changes } = open();
  store.hold();
  const failing = chronicle.hear(heard(line(room, "lost")));
  assert.deepEqual(textsOf(chronicle, room), ["lost"]);
  store.failNext();
  await assert.rejects(failing, throwsCode("disk_full"));
  assert.deepEqual(textsOf(chronicle, room), []);
  assert.deepEqual(changes, []);
});

test("a duplicate is told so, is in no packet and is not published again", async () => {
  const { chronicle, changes } = open();
  const delivery = { surface, id: "d1" };
  const first = line(room, "once", { delivery });
  assert.deepEqual(await chronicle.hear(heard(first)), { kind: "fresh", seq: 1 });
  assert.deepEqual(await chronicle.hear(heard(line(room, "once", { delivery }))), { kind: "duplicate", id: first.id });
  assert.deepEqual(textsOf(chronicle, room), ["once"]);
  assert.equal(changes.length, 1);
});

test("the line that is being answered can be left out", async () => {
  const { chronicle } = open();
  const asked = line(room, "asked");
  await chronicle.hear(heard(line(room, "before")));
  await chronicle.hear(heard(asked));
  const { visible, withheld } = chronicle.visibleFor(mirelle, room, { limit: 40, exclude: asked.id });
  assert.deepEqual(
    Visible.eventsOf(visible).map((event) => event.text),
    ["before"],
  );
  assert.deepEqual(withheld, []);
});

test("TR-038 AE-030 what is withheld is named by id and class, never by a word of it", async () => {
  const { chronicle, store } = open();
  const ambient = line(room, "secret ambient", { ambient: true });
  const narrow = line(room, "secret narrow", { audience: ["operators"] });
  const whisper = line(annsLine, "secret whisper");
  const otherRoom = line(publicPlace(parseSurfaceName("garden")), "secret garden");
  const unsaid = line(room, "secret unsaid", { state: "unsaid" });
  store.put(unsaid);
  for (const event of [ambient, narrow, whisper, otherRoom]) await chronicle.hear(heard(event));
  const { withheld } = chronicle.visibleFor(mirelle, room, { limit: 40 });
  assert.deepEqual(withheld, [
    { ref: narrow.id, class: "other_readers" },
    { ref: ambient.id, class: "not_witnessed" },
    { ref: unsaid.id, class: "unsaid" },
    { ref: whisper.id, class: "other_direct_line" },
    { ref: otherRoom.id, class: "other_place" },
  ]);
  for (let index = 0; index < 500; index += 1)
    await chronicle.hear(heard(line(index % 2 === 0 ? room : annsLine, "x", { ambient: index % 2 === 0 })));
  assert.equal(chronicle.visibleFor(mirelle, room, { limit: 40 }).withheld.length, 64);
});

test("SE-087 a page gives a reader what it may read: filtered first, then the newest, never the unsaid", async () => {
  const { chronicle, store } = open();
  for (let index = 1; index <= 6; index += 1) store.put(line(room, `line ${index}`));
  store.put(
    line(room, "for operators", { audience: ["operators"] }),
    line(room, "never sent", { state: "unsaid" }),
    line(room, "on its way", { state: "pending" }),
  );
  const texts = (reader: Reader, range: { limit: number; before?: number; after?: number }): readonly string[] =>
    chronicle.history(room, reader, range).map((event) => event.text);
  assert.deepEqual(texts(inRoom, { limit: 3 }), ["line 5", "line 6", "on its way"]);
  assert.deepEqual(texts("operators", { limit: 3 }), ["for operators"]);
  assert.deepEqual(texts(inRoom, { limit: 2, before: 3 }), ["line 1", "line 2"]);
  assert.deepEqual(texts(inRoom, { limit: 9, after: 4, before: 9 }), ["line 5", "line 6"]);
  assert.deepEqual(chronicle.history(annsLine, inRoom, { limit: 9 }), []);
});

test("SE-087 a page of a direct line is for its person alone", async () => {
  const { chronicle } = open();
  await chronicle.hear(heard(line(annsLine, "between us")));
  assert.equal(chronicle.history(annsLine, readersOf(annsLine), { limit: 9 }).length, 1);
  assert.equal(chronicle.history(annsLine, `person:${ben}`, { limit: 9 }).length, 0);
  assert.equal(chronicle.history(annsLine, "operators", { limit: 9 }).length, 0);
});

test("changes are published after their commit: a line with its number, an answer as pending, then its end", async () => {
  const { chronicle, store, changes } = open();
  store.hold();
  const hearing = chronicle.hear(heard(line(room, "hello")));
  assert.equal(changes.length, 0);
  store.commitNext();
  await hearing;
  const row = answered("my answer");
  for (const verb of [chronicle.answer(row), chronicle.settle(settled(0, "failed"))]) {
    store.commitNext();
    await verb;
  }
  assert.deepEqual(
    changes.map((change) =>
      "event" in change
        ? [change.kind, change.event.seq, change.event.state]
        : [change.kind, ...(change.kind === "state" ? [change.id, change.state] : [])],
    ),
    [
      ["event", 1, "said"],
      ["line", 2, "pending"],
      ["state", row.event.id, "unsaid"],
    ],
  );
});

test("the end of a line that was answered before the last start is published when its place is named", async () => {
  const { chronicle, store, changes } = open();
  const { event } = answered("from before");
  store.put({ ...event, state: "pending" });
  await chronicle.settle(settled(0, "delivered"), room.id);
  assert.deepEqual(changes, [{ kind: "state", id: event.id, place: room.id, state: "said" }]);
});

test("TR-042 while parts of a turn are open its line has no end; the last one to settle publishes it once", async () => {
  const { chronicle, changes } = open();
  await chronicle.answer(answered("in two parts"));
  await chronicle.settle(settled(0, "delivered", { next: partIdOf(turn, 1) }));
  assert.deepEqual(
    changes.map(({ kind }) => kind),
    ["line"],
  );
  await chronicle.settle(settled(1, "delivered"));
  assert.deepEqual(
    changes.map(({ kind }) => kind),
    ["line", "state"],
  );
});

test("listeners are bounded", () => {
  const { chronicle } = open();
  for (let index = 1; index < 1_024; index += 1) chronicle.subscribe(() => {});
  assert.throws(() => chronicle.subscribe(() => {}), throwsCode("capacity"));
});

test("a listener that throws is logged by code and harms nobody; a disposed one hears nothing", async () => {
  const failures: string[] = [];
  const { chronicle, changes } = open({ write: () => {}, failure: (event) => failures.push(event) });
  chronicle.subscribe(() => {
    throw new RangeError("a listener broke");
  });
  const seen: ChronicleChange[] = [];
  const handle = chronicle.subscribe((change) => seen.push(change));
  await chronicle.hear(heard(line(room, "one")));
  handle[Symbol.dispose]();
  await chronicle.hear(heard(line(room, "two")));
  assert.deepEqual([changes.length, seen.length, failures], [2, 1, ["chronicle_listener", "chronicle_listener"]]);
});

test("a closed chronicle keeps nothing and lets its listeners go", async () => {
  const { chronicle } = open();
  chronicle[Symbol.dispose]();
  await assert.rejects(chronicle.hear(heard(line(room, "late"))), throwsCode("closed"));
  await assert.rejects(chronicle.answer(answered("late")), throwsCode("closed"));
  assert.throws(() => chronicle.subscribe(() => {}), throwsCode("closed"));
});

test("MC-071 limits outside their bounds are refused", () => {
  const { chronicle } = open();
  for (const limit of [0, -1, 1.5, 257, Number.NaN]) {
    assert.throws(() => chronicle.visibleFor(mirelle, room, { limit }), throwsCode("invalid_argument"));
  }
  assert.throws(() => chronicle.history(room, "operators", { limit: 501 }), throwsCode("invalid_argument"));
});
