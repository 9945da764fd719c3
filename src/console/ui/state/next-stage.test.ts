import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { LineView, PartView, RoomView, StreamEvent } from "../../../surfaces/room/protocol.ts";
import { MAX_ANNOUNCED, MAX_EARLY, MAX_HELD_LINES, nextStage } from "./next-stage.ts";
import { emptyStage } from "./stage-state.ts";
import type { StageState, UnsentLine } from "./stage-state.ts";

const NOW = 1_800_000_000_000;

const ROOM: RoomView = {
  door: "room",
  role: "guest",
  name: "parlour",
  title: "The Foyer",
  self: { id: "m-1", name: "Ann", untilMs: null, optedOut: false },
  entry: "open",
  siblings: [],
  characters: [{ id: "mirelle", name: "Mirelle", understudy: true }],
  voice: { kind: "understudy" },
  limits: { nameCharacters: 40, lineBytes: 2_000 },
  nowMs: NOW + 5_000,
  operator: null,
};

function part(line: string, index: number, body = `part ${index}`): PartView {
  return { id: `${line}.${index}`, index, body };
}

function spoken(id: string, parts: readonly PartView[], partCount = parts.length): LineView {
  const author = { kind: "character", id: "mirelle", name: "Mirelle", understudy: true } as const;
  return { id, place: { kind: "public" }, atMs: NOW, author, action: "", parts, partCount, own: null };
}

function said(id: string, text: string, more: Partial<LineView> = {}): LineView {
  const author = { kind: "person", id: "m-2", name: "Ben", you: false } as const;
  return {
    id,
    place: { kind: "public" },
    atMs: NOW,
    author,
    action: "",
    parts: [{ id: `${id}.0`, index: 0, body: text }],
    partCount: 1,
    own: null,
    ...more,
  };
}

function mine(id: string, clientLineId: string): LineView {
  return said(id, "hello", {
    author: { kind: "person", id: "m-1", name: "Ann", you: true },
    own: { clientLineId, outcome: "waiting", tookMs: null, words: true },
  });
}

function unsent(clientLineId: string, state: UnsentLine["state"] = { kind: "sending" }): UnsentLine {
  return { clientLineId, place: { kind: "public" }, to: null, text: "hello", atMs: NOW, state };
}

function hear(state: StageState, ...events: readonly StreamEvent[]): StageState {
  return events.reduce((before, event) => nextStage(before, { type: "stream", event, nowMs: NOW }), state);
}

function snapshot(lines: readonly LineView[], older: string | null = null): StreamEvent {
  return { type: "snapshot", room: ROOM, people: [], typing: [], pages: [{ place: { kind: "public" }, lines, older }] };
}

function open(...lines: readonly LineView[]): StageState {
  return hear(emptyStage([]), snapshot(lines));
}

function publicLines(state: StageState): readonly LineView[] {
  return state.places["public"]?.lines ?? [];
}

test("TR-042 a line or a part that comes again stands once", () => {
  const head = spoken("t-1", [], 2);
  const state = hear(
    open(),
    { type: "part", head, part: part("t-1", 0) },
    { type: "part", head, part: part("t-1", 0) },
    { type: "part", head, part: part("t-1", 1) },
    { type: "line", line: spoken("t-1", [part("t-1", 0), part("t-1", 1), part("t-1", 0)]) },
  );
  assert.deepEqual(
    publicLines(state).map((line) => line.id),
    ["t-1"],
  );
  assert.deepEqual(
    publicLines(state)[0]?.parts.map((each) => each.id),
    ["t-1.0", "t-1.1"],
  );
});

test("parts of a line stand in order however they arrive and repeat", () => {
  const shuffled = fc
    .integer({ min: 1, max: 8 })
    .chain((count) => fc.tuple(fc.constant(count), fc.array(fc.integer({ min: 0, max: count - 1 }), { minLength: count, maxLength: 30 })));
  fc.assert(
    fc.property(shuffled, ([count, order]) => {
      const head = spoken("t-1", [], count);
      const all = [...order, ...Array.from({ length: count }, (_, index) => index)];
      const state = hear(open(), ...all.map((index): StreamEvent => ({ type: "part", head, part: part("t-1", index) })));
      assert.deepEqual(
        publicLines(state)[0]?.parts.map((each) => each.index),
        Array.from({ length: count }, (_, index) => index),
      );
    }),
  );
});

test("a line that comes anew keeps its place", () => {
  const state = hear(open(said("m-a", "one"), said("m-b", "two")), { type: "line", line: said("m-a", "one, again") });
  assert.deepEqual(
    publicLines(state).map((line) => line.parts[0]?.body),
    ["one, again", "two"],
  );
});

test("a snapshot replaces what was held: it is the whole truth from then on", () => {
  const state = hear(
    open(said("m-a", "forgotten since"), said("m-b", "kept")),
    snapshot([said("m-b", "kept"), said("m-c", "new")], "mark"),
  );
  assert.deepEqual(
    publicLines(state).map((line) => line.id),
    ["m-b", "m-c"],
  );
  assert.equal(state.places["public"]?.mark, "mark");
  assert.equal(state.link.kind, "live");
  assert.equal(state.offsetMs, 5_000);
});

test("an unsent line goes when the script has it under the id this page gave it, and not before", () => {
  const waiting = nextStage(open(), { type: "unsent", line: unsent("c-1") });
  assert.equal(hear(waiting, { type: "line", line: said("m-x", "hello") }).unsent.length, 1);
  assert.equal(hear(waiting, { type: "line", line: mine("m-9", "c-1") }).unsent.length, 0);
  assert.equal(hear(waiting, snapshot([mine("m-9", "c-1")])).unsent.length, 0);
});

test("an outcome joins its line by the line's id, also when it comes first or does not know the page's own id of it", () => {
  const told = { clientLineId: null, outcome: "answered", tookMs: 900, words: true } as const;
  const outcome: StreamEvent = { type: "outcome", lineId: "m-9", own: told };
  const line: StreamEvent = { type: "line", line: mine("m-9", "c-1") };
  const waiting: StreamEvent = { type: "outcome", lineId: "m-9", own: { ...told, outcome: "waiting", tookMs: null } };
  const before = nextStage(open(), { type: "unsent", line: unsent("c-1") });
  for (const order of [
    [line, outcome],
    [outcome, line],
    [waiting, line, outcome],
    [waiting, outcome, line],
  ]) {
    const state = hear(before, ...order);
    assert.deepEqual(publicLines(state)[0]?.own, { ...told, clientLineId: "c-1" });
    assert.deepEqual([state.unsent, state.early], [[], {}]);
  }
  const many = Array.from({ length: 100 }, (_, at): StreamEvent => ({ ...outcome, lineId: `m-${at}` }));
  assert.equal(Object.keys(hear(open(), ...many).early).length, MAX_EARLY);
  assert.deepEqual(hear(hear(open(), outcome), snapshot([])).early, {});
});

test("an unsent line goes when the answer came after the stream had brought it", () => {
  const arrived = open({ ...mine("m-9", "c-1"), own: { clientLineId: null, outcome: "answered", tookMs: null, words: true } });
  const state = nextStage(arrived, { type: "unsent", line: unsent("c-1", { kind: "kept", lineId: "m-9" }) });
  assert.deepEqual(state.unsent, []);
});

test("an own line's outcome changes in place and no other line does", () => {
  const before = open(mine("m-9", "c-1"), said("m-b", "two"));
  const own = { clientLineId: "c-1", outcome: "answered", tookMs: 900, words: true } as const;
  const state = hear(before, { type: "outcome", lineId: "m-9", own });
  assert.deepEqual(publicLines(state)[0]?.own, own);
  assert.equal(publicLines(state)[1], publicLines(before)[1]);
});

test("a line is announced once, when it is whole, and own or old ones never", () => {
  const head = spoken("t-1", [], 2);
  const speaking = hear(
    open(said("m-a", "history")),
    { type: "part", head, part: part("t-1", 0, "Good") },
    { type: "line", line: mine("m-9", "c-1") },
  );
  assert.deepEqual(speaking.announced, []);
  const whole = hear(
    speaking,
    { type: "part", head, part: part("t-1", 1, "evening.") },
    { type: "line", line: spoken("t-1", [part("t-1", 0), part("t-1", 1)]) },
  );
  assert.deepEqual(whole.announced, [{ id: "t-1", text: "Mirelle: Good evening." }]);
  assert.deepEqual(hear(whole, snapshot([said("m-a", "history")])).announced, whole.announced);
});

test("announcements are bounded", () => {
  const lines = Array.from({ length: 20 }, (_, index): StreamEvent => ({ type: "line", line: said(`m-${index}`, "x") }));
  assert.equal(hear(open(), ...lines).announced.length, MAX_ANNOUNCED);
});

test("lines held are bounded, and the page says that it let old ones go", () => {
  const lines = Array.from({ length: MAX_HELD_LINES + 3 }, (_, index): StreamEvent => ({ type: "line", line: said(`m-${index}`, "x") }));
  const state = hear(hear(emptyStage([]), snapshot([], "mark")), ...lines);
  assert.equal(publicLines(state).length, MAX_HELD_LINES);
  assert.equal(publicLines(state)[0]?.id, "m-3");
  assert.deepEqual([state.places["public"]?.mark, state.places["public"]?.cut], [null, true]);
});

test("older lines go before what is held, each once", () => {
  const before = hear(emptyStage([]), snapshot([said("m-c", "three")], "mark-2"));
  const page = { place: { kind: "public" }, lines: [said("m-a", "one"), said("m-c", "three")], older: null } as const;
  const state = nextStage(nextStage(before, { type: "older", place: page.place, older: { kind: "reading" } }), {
    type: "older_came",
    page,
  });
  assert.deepEqual(
    publicLines(state).map((line) => line.id),
    ["m-a", "m-c"],
  );
  assert.deepEqual([state.places["public"]?.mark, state.places["public"]?.older.kind], [null, "idle"]);
});

test("SE-087 what the room told is forgotten when somebody leaves", () => {
  const state = nextStage(open(said("m-a", "one")), { type: "forget" });
  assert.deepEqual([state.room, state.places, state.people, state.whys], [null, {}, [], {}]);
});
