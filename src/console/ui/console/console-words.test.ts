import assert from "node:assert/strict";
import { test } from "node:test";
import { healthy, troubled } from "../../../testing/operator-answers.ts";
import { NOTICE_KINDS } from "../../../observe/notices.ts";
import { LIFECYCLE_STATES } from "../../../vocabulary/lifecycle.ts";
import { hashOf, routeOf } from "./state/route.ts";
import { downCount, healthSentence, surfaceLook, surfaceWords } from "./words/health-words.ts";
import { noticeWords } from "./words/notice-words.ts";
import { bytes, count, listed } from "./words/numbers.ts";
import { isAllPaused, pauseCommand, pausedBy, silence } from "./words/pause-words.ts";
import { shortId } from "./words/person-words.ts";
import { placeName } from "./words/places.ts";
import { when } from "./words/when.ts";

test("an address names a page and at most a turn of ours; a code, an account and what is no page name none", () => {
  for (const page of ["stage", "packets", "people", "budgets", "health"] as const)
    assert.deepEqual(routeOf(hashOf({ page, item: null })), { page, item: null });
  assert.deepEqual(routeOf("#packets/t-8c27aa"), { page: "packets", item: "t-8c27aa" });
  assert.deepEqual(routeOf("#people/room:m-1"), { page: "people", item: null });
  assert.deepEqual(routeOf("#packets/../../x"), { page: "packets", item: null });
  for (const fragment of ["#code=abc", "#as=new", "", "#Stage", "#nothing"]) assert.equal(routeOf(fragment), null);
});

test("health says first what needs somebody, then what is away, then what comes back by itself", () => {
  const status = { ...healthy(), today: { ...healthy().today, parts: {} } };
  assert.equal(healthSentence(status), "Everything is up. Nothing admitted is lost.");
  assert.equal(downCount(status), 0);
  assert.equal(
    healthSentence(troubled()),
    "Second Life needs you. spare/qwen3-235b does not answer. Discord: Harbour is coming back by itself. 1 part may not have arrived, and won’t be sent again.",
  );
  assert.equal(downCount(troubled()), 3);
});

test("MC-098 each of the eight states has a lamp and words", () => {
  const [surface] = healthy().surfaces;
  for (const state of LIFECYCLE_STATES) {
    assert.ok(surfaceLook(state).lamp.length > 0);
    if (surface !== undefined) assert.ok(surfaceWords({ ...surface, state }, 1_800_000_000_000).length > 3, state);
  }
});

test("TR-093 every kind of notice is one sentence", () => {
  for (const kind of NOTICE_KINDS) {
    const words = noticeWords({ kind, count: 2, firstAtMs: 0, lastAtMs: 0, ids: [], counts: { parts_found: 1 } });
    assert.match(words, /^[A-Z0-9].*\.$/, kind);
  }
});

test("TR-082 a pause is told by whom and where it is silent, and can be typed as it was chosen", () => {
  const known = healthy();
  const pause = { character: "mirelle", place: "parlour", by: "local:owner", atMs: 1_800_000_000_000, untilMs: null };
  assert.equal(silence(pause, known), "Mirelle is silent in The Foyer");
  assert.equal(silence({ character: "tobias", place: null }, known), "Tobias is silent everywhere");
  assert.equal(silence({ character: null, place: "public:parlour:b:c" }, known), "Nothing is answered in The Foyer, b:c");
  assert.match(pausedBy(pause, pause.atMs + 1_000), /^You paused it at \d\d:\d\d:\d\d, until somebody resumes\.$/);
  assert.deepEqual([isAllPaused([pause]), isAllPaused([pause, { ...pause, character: null, place: null }])], [false, true]);
  assert.equal(
    pauseCommand({ character: "mirelle", place: "parlour", span: "1h" }),
    "troupe pause --character mirelle --place parlour --for 1h",
  );
  assert.equal(pauseCommand({ character: null, place: null, span: null }), "troupe pause");
});

test("numbers, names and moments as people say them", () => {
  assert.deepEqual([bytes(412), bytes(1_388), bytes(38_200_000), bytes(9_100_000_000)], ["412 B", "1.39 kB", "38.2 MB", "9.10 GB"]);
  assert.deepEqual([count(1, "time"), count(1_204, "time")], ["1 time", "1,204 times"]);
  assert.deepEqual([listed([]), listed(["a"]), listed(["a", "b", "c"])], ["", "a", "a, b and c"]);
  assert.equal(shortId("discord:311204499010009940"), "discord:3112…9940");
  assert.equal(shortId("room:m-03f2k1"), "room:m-03f2k1");
  assert.equal(placeName("direct:mirelle:room:m-1", healthy()), "private line with Mirelle");
  const noon = new Date(2_026, 10, 4, 12, 0).getTime();
  const day = 86_400_000;
  assert.deepEqual(
    [when(noon - 60_000, noon), when(noon - day, noon), when(noon - 2 * day, noon), when(noon - 30 * day, noon)],
    ["11:59", "yesterday 12:00", "Mon 12:00", "5 Oct"],
  );
});
