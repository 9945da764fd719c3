import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecord } from "../../web/answers.ts";
import { fakeRoomConfig } from "../../testing/fake-room.ts";
import type { RawAnswer, RawRequest } from "../../testing/raw-request.ts";
import { RawLines, rawOpen, rawRequest } from "../../testing/raw-request.ts";
import type { RoomMember } from "../../testing/room-bench.ts";
import { objectOf, makeRoomBench as openBench, pageHeaders } from "../../testing/room-bench.ts";
import { directPlace, publicPlace } from "../../vocabulary/place.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import { MEMBER_IDLE_MS, NEW_MEMBERS } from "./members.ts";
import { ROOM_PROFILE } from "./room.ts";
import { MAX_LINE_BYTES } from "./stage.ts";

const NEVER = new AbortController().signal;

function line(text: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ clientLineId: `c${text.length}`, to: null, private: false, text, ...more });
}

/** Every route of the room. */
const ROUTES: readonly RawRequest[] = [
  { method: "POST", path: "/api/door", body: "{}" },
  { method: "POST", path: "/api/members", body: JSON.stringify({ name: "Mallory" }) },
  { method: "POST", path: "/api/invites/look", body: JSON.stringify({ code: "A".repeat(24) }) },
  { method: "POST", path: "/api/invites/redeem", body: JSON.stringify({ code: "A".repeat(24), claim: "B".repeat(32) }) },
  { path: "/api/room" },
  { path: "/api/stream" },
  { path: "/api/lines?place=public" },
  { path: "/api/lines?place=direct&character=mirelle" },
  { method: "POST", path: "/api/lines", body: line("from outside") },
  { path: "/api/lines/m-00000001/why" },
  { method: "POST", path: "/api/leave", body: "{}" },
  { path: "/api/nothing" },
  { method: "POST", path: "/api/operations/pause", body: JSON.stringify({ args: {} }) },
  { method: "POST", path: "/api/exchange", body: JSON.stringify({ code: "x" }) },
];

test("SE-086 TR-080 foreign origin, foreign port, rebinding name, no secret, wrong secret: 401 or 403 on every route and stream, and nothing happens", async () => {
  await using bench = await openBench();
  const { port, road, store, page } = bench;
  const ann = await bench.join("Ann");
  const before = { heard: road.heard.length, members: store.members.size, presence: store.presence.length };
  const attacks: readonly [string, Readonly<Record<string, string>>, RoomMember | undefined][] = [
    ["foreign origin", { origin: "https://evil.example" }, ann],
    ["foreign port", { origin: `http://127.0.0.1:${port + 1}` }, ann],
    ["opaque origin", { origin: "null" }, ann],
    ["cross-site fetch", { "sec-fetch-site": "cross-site" }, ann],
    ["another port of the same site", { "sec-fetch-site": "same-site" }, ann],
    ["rebinding name", { host: `evil.example:${port}`, origin: `http://evil.example:${port}` }, ann],
    ["no secret", {}, undefined],
    ["another secret", {}, { ...ann, secret: "A".repeat(43) }],
    ["the public id as a secret", {}, { ...ann, secret: ann.id.replace("room:", "") }],
    ["the kept hash as a secret", {}, { ...ann, secret: [...store.members.values()][0]?.secretHash ?? "" }],
  ];
  for (const [what, headers, member] of attacks) {
    for (const route of ROUTES) {
      // An own page asks which door this is and joins without a secret; nothing else.
      const isOpen = /^\/api\/(?:members|door|invites\/\w+)$/.test(route.path);
      if (isOpen && Object.keys(headers).length === 0) continue;
      const { status } = await page({ ...route, headers }, member);
      assert.ok(status === 401 || status === 403, `${what}: ${route.method ?? "GET"} ${route.path} answered ${status}`);
    }
  }
  assert.deepEqual({ heard: road.heard.length, members: store.members.size, presence: store.presence.length }, before);
  assert.equal((await page({ path: "/api/room" }, ann)).status, 200, "and the own page is answered");
});

test("SE-086 an own page learns which door this is without a secret, and nothing else", async () => {
  await using bench = await openBench();
  const answer = await bench.page({ method: "POST", path: "/api/door", body: "{}" });
  assert.deepEqual([answer.status, answer.text], [200, `{"door":"room","entry":"open"}`]);
  assert.equal((await bench.page({ path: "/api/door" })).status, 401);
  assert.equal(
    (await rawRequest(bench.port, { method: "POST", path: "/api/door" })).status,
    401,
    "a program must bring its token here too",
  );
});

test("SE-086 the shell is answered to an own name from wherever it is asked, and to no other name", async () => {
  await using bench = await openBench();
  assert.equal((await rawRequest(bench.port, { path: "/", headers: { origin: "https://evil.example" } })).status, 200);
  assert.equal((await rawRequest(bench.port, { path: "/", headers: { host: "evil.example" } })).status, 403);
  assert.equal((await rawRequest(bench.port, { path: "/../../etc/passwd" })).status, 404);
});

test("SE-086 a guest's secret opens no operation and no exchange: the room has no such routes", async () => {
  await using bench = await openBench();
  const ann = await bench.join("Ann");
  const answers = await Promise.all(ROUTES.slice(-2).map((route) => bench.page(route, ann)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [404, 404],
  );
  assert.equal(objectOf(await bench.page({ path: "/api/room" }, ann))["role"], "guest");
});

/** Every way we know in which one member could ask for another's. */
function attemptsAt(target: {
  readonly victim: RoomMember;
  readonly line: string;
  readonly mark: string;
  readonly place: string;
}): readonly RawRequest[] {
  const attempts: RawRequest[] = [];
  for (const spelling of [
    target.line,
    target.line.toUpperCase(),
    ` ${target.line}`,
    `${target.line}%00`,
    `${target.line}/`,
    `..%2f${target.line}`,
    `${target.line}?as=${target.victim.id}`,
    "m-",
    "t-00000001",
    "*",
  ]) {
    attempts.push({ path: `/api/lines/${encodeURI(spelling)}/why` });
  }
  for (const query of [
    `place=direct&character=mirelle&older=${target.mark}`,
    `place=public&older=${target.mark}`,
    `place=direct&character=tobias&older=${target.mark}`,
    `place=direct&character=mirelle&person=${target.victim.id}`,
    `place=direct:mirelle:${target.victim.id}`,
    `place=${target.place}`,
    `place=direct&character=mirelle:${target.victim.id}`,
    `place=direct&character=${target.place}`,
    "place=direct&character=*",
    "place=direct",
    "place=public&place=direct",
    `place=public&reader=person:${target.victim.id}`,
    `place=public&self=${target.victim.id}`,
    "place=operators",
    "place=anyone",
  ]) {
    attempts.push({ path: `/api/lines?${encodeURI(query)}` });
  }
  for (const headers of [
    { "x-forwarded-user": target.victim.id },
    { "x-member": target.victim.id },
    { cookie: `member=${target.victim.secret}` },
    { "x-forwarded-for": "127.0.0.1" },
    { forwarded: `for=${target.victim.id}` },
  ]) {
    attempts.push({ path: "/api/lines?place=direct&character=mirelle", headers }, { path: "/api/room", headers });
  }
  for (const more of [
    { person: target.victim.id },
    { principal: target.victim.id },
    { as: target.victim.id },
    { assurance: "local" },
    { role: "operator" },
  ]) {
    attempts.push({
      method: "POST",
      path: "/api/lines",
      body: line(`hi ${Object.keys(more).join("")}`, { ...more, clientLineId: Object.keys(more).join(""), private: true, to: "mirelle" }),
    });
  }
  return attempts;
}

test("SE-087 forty attempts of one member at another's lines, marks, stream and words get nothing", async () => {
  await using bench = await openBench();
  const { page, road, clock } = bench;
  const ann = await bench.join("Ann");
  const ben = await bench.join("Ben");
  await page({ method: "POST", path: "/api/lines", body: line("the ledger", { private: true, to: "mirelle" }) }, ann);
  const place = directPlace(fakeRoomConfig().name, fakeRoomConfig().characters[0]?.id ?? assert.fail(), parsePrincipalId(ann.id));
  for (let at = 0; at < 70; at += 1) road.add({ ...(road.events[0] ?? assert.fail()), place, text: "the ledger" });
  const own = road.events[0]?.id ?? "";
  const mark = String(objectOf(await page({ path: "/api/lines?place=direct&character=mirelle" }, ann))["older"]);
  assert.equal(mark.length, 48);
  const attempts = attemptsAt({ victim: ann, line: own, mark, place: place.id });
  assert.equal(attempts.length, 40);
  for (const attempt of attempts) {
    const answer = await page(attempt, ben);
    assert.ok(!answer.text.includes("the ledger") && !answer.text.includes(ann.id), `${attempt.path} told: ${answer.text.slice(0, 200)}`);
  }
  assert.ok(
    road.heard.every(({ sender, text }) => sender.assurance === "anonymous" && (text === "the ledger") === (sender.principal === ann.id)),
    "nobody spoke as another",
  );
  const missing = await page({ path: "/api/lines/m-00000000missing/why" }, ben);
  const foreign = await page({ path: `/api/lines/${own}/why` }, ben);
  assert.deepEqual([missing.status, missing.text], [foreign.status, foreign.text], "missing and forbidden are one answer");
  assert.equal((await page({ path: `/api/lines/${own}/why` }, ann)).status, 200, "and the own line is told");
  using stream = new RawLines(
    await rawOpen(bench.port, { path: "/api/stream", headers: pageHeaders(`http://127.0.0.1:${bench.port}`, ben, { path: "" }) }),
  );
  const snapshot = JSON.stringify(await stream.next());
  await page({ method: "POST", path: "/api/lines", body: line("the ledger again", { private: true, to: "mirelle" }) }, ann);
  await page({ method: "POST", path: "/api/lines", body: line("for all to hear") }, ann);
  const next = JSON.stringify(await stream.next());
  assert.ok(!snapshot.includes("the ledger"));
  assert.match(next, /for all to hear/, "the private line sent nothing, not even an empty event");
  assert.ok(clock.pending > 0);
});

test("SE-087 the secret is 256 bits told once, kept as a hash, and good after a restart", async () => {
  const first = await openBench();
  const ann = await first.join("Ann");
  assert.match(ann.secret, /^[A-Za-z0-9_-]{43}$/);
  assert.ok(!JSON.stringify([...first.store.members.values()]).includes(ann.secret));
  assert.ok(!(await first.page({ path: "/api/room" }, ann)).text.includes(ann.secret));
  await first[Symbol.asyncDispose]();
  await using again = await openBench({ store: first.store, road: first.road, clock: first.clock });
  const room = objectOf(await again.page({ path: "/api/room" }, ann));
  assert.deepEqual(room["self"], { id: ann.id, name: "Ann", untilMs: null, optedOut: false });
});

test("SE-087 a secret ends after 24 h without use, and use renews it", async () => {
  await using bench = await openBench();
  const ann = await bench.join("Ann");
  await bench.clock.advance(MEMBER_IDLE_MS - 1_000);
  assert.equal((await bench.page({ path: "/api/room" }, ann)).status, 200);
  await bench.clock.advance(MEMBER_IDLE_MS - 1_000);
  assert.equal((await bench.page({ path: "/api/room" }, ann)).status, 200);
  await bench.clock.advance(MEMBER_IDLE_MS);
  const answer = await bench.page({ path: "/api/room" }, ann);
  assert.equal(answer.status, 401);
  assert.equal(objectOf(answer)["door"], "room");
});

test("SE-087 look-alike, characters' and operators' names are not to be had", async () => {
  await using bench = await openBench();
  await bench.join("Ann");
  const ask = (name: unknown): Promise<RawAnswer> => bench.page({ method: "POST", path: "/api/members", body: JSON.stringify({ name }) });
  for (const taken of ["ann", "Аnn", "A n n", "Mirel1e", "TOBIAS", "llse", "Operator"]) assert.equal((await ask(taken)).status, 409, taken);
  for (const invalid of ["", "a".repeat(41), "a\u202eb"]) assert.equal((await ask(invalid)).status, 400, JSON.stringify(invalid));
  for (const wrong of [7, null, {}, ["Ann"]]) assert.equal((await ask(wrong)).status, 400);
  assert.equal(bench.store.members.size, 1);
});

test("SE-090 new members are capped for the room, and the cap passes", async () => {
  await using bench = await openBench();
  for (let at = 0; at < NEW_MEMBERS.burst; at += 1) await bench.join(`Guest ${String.fromCodePoint(0x4e00 + at)}`);
  const full = await bench.page({ method: "POST", path: "/api/members", body: JSON.stringify({ name: "One More" }) });
  assert.equal(full.status, 429);
  assert.equal(objectOf(full)["retryAfterMs"], NEW_MEMBERS.everyMs);
  await bench.clock.advance(NEW_MEMBERS.everyMs);
  await bench.join("One More");
});

test("TR-080 markup in names and lines comes back as the same text, as JSON that no browser reads as a page", async () => {
  await using bench = await openBench();
  const name = "<img src=x onerror=1>";
  const ann = await bench.join(name);
  const text = `</script><script>alert(1)</script>&lt;`;
  await bench.page({ method: "POST", path: "/api/lines", body: line(text) }, ann);
  const answer = await bench.page({ path: "/api/lines?place=public" }, ann);
  assert.equal(answer.headers["content-type"], "application/json");
  assert.equal(answer.headers["x-content-type-options"], "nosniff");
  const lines = objectOf(answer)["lines"];
  assert.ok(Array.isArray(lines));
  const [shown]: unknown[] = lines;
  assert.ok(isRecord(shown));
  assert.deepEqual(shown["author"], { kind: "person", id: ann.id, name, you: true });
  assert.match(JSON.stringify(shown["parts"]), /<\/script><script>alert\(1\)<\/script>&lt;/);
});

test("SE-086 a line has a bound of its own, a form of its own, and a person so many of them", async () => {
  await using bench = await openBench();
  const ann = await bench.join("Ann");
  const post = (body: string): Promise<RawAnswer> => bench.page({ method: "POST", path: "/api/lines", body }, ann);
  assert.equal((await post(line("x".repeat(MAX_LINE_BYTES + 1)))).status, 413);
  const wrong = [
    "",
    "[]",
    "{",
    "null",
    line("  "),
    line("x", { to: 3 }),
    line("x", { private: "yes" }),
    line("x", { clientLineId: "a b" }),
    line("x", { clientLineId: "" }),
    line("x", { to: "nobody" }),
    line("x", { private: true }),
  ];
  for (const body of wrong) assert.equal((await post(body)).status, 400, body);
  assert.equal(bench.road.heard.length, 0);
  let refused = 0;
  for (let at = 0; at < 40; at += 1) refused += (await post(line("hello", { clientLineId: `n${at}` }))).status === 429 ? 1 : 0;
  assert.ok(refused > 0 && bench.road.heard.length > 10, `${refused} refused, ${bench.road.heard.length} heard`);
  const ben = await bench.join("Ben");
  assert.equal((await bench.page({ method: "POST", path: "/api/lines", body: line("me too") }, ben)).status, 202, "another is not slowed");
});

test("SE-094 the answer to a line says nothing of why, and is of one form for whatever stopped it", async () => {
  await using bench = await openBench();
  const ann = await bench.join("Ann");
  const answer = await bench.page({ method: "POST", path: "/api/lines", body: line("hello") }, ann);
  assert.equal(answer.status, 202);
  assert.deepEqual(objectOf(answer)["own"], { clientLineId: "c5", outcome: "not_addressed", tookMs: null, words: false });
});

test("TR-042 a part is delivered once it is shown, and read back only as far as this process showed it", async () => {
  await using bench = await openBench();
  const [mirelle] = fakeRoomConfig().characters;
  assert.ok(mirelle !== undefined);
  const [part] = bench.road.reply(mirelle.id, publicPlace(bench.room.name), ["hello"]).parts;
  assert.ok(part !== undefined);
  assert.deepEqual(await bench.room.readBack(part, NEVER), { kind: "absent" });
  assert.deepEqual(await bench.room.send(part, NEVER), { kind: "delivered", platformId: part.id });
  assert.deepEqual(await bench.room.readBack(part, NEVER), { kind: "present", platformId: part.id });
  assert.equal(ROOM_PROFILE.readsBack, true);
});

test("SE-087 one member has at most eight pages open, and leaving ends them", async () => {
  await using bench = await openBench();
  const ann = await bench.join("Ann");
  const headers = pageHeaders(`http://127.0.0.1:${bench.port}`, ann, { path: "" });
  const streams = new DisposableStack();
  const opened: RawLines[] = [];
  for (let at = 0; at < 8; at += 1) opened.push(streams.use(new RawLines(await rawOpen(bench.port, { path: "/api/stream", headers }))));
  for (const stream of opened) assert.match(JSON.stringify(await stream.next()), /"snapshot"/);
  assert.deepEqual([bench.room.people?.(), bench.road.gone], [["Ann"], []]);
  assert.equal((await bench.page({ path: "/api/stream" }, ann)).status, 429);
  assert.equal((await bench.page({ method: "POST", path: "/api/leave", body: "{}" }, ann)).status, 204);
  const [first] = opened;
  assert.deepEqual(await first?.next(), { type: "end", reason: "left" });
  assert.equal(await first?.next(), null);
  assert.deepEqual(
    bench.store.presence.map(({ leftAtMs }) => leftAtMs === null),
    [true, false],
  );
  assert.deepEqual(bench.road.gone, [`public:parlour ${ann.id}`], "MC-026 the road hears that its conversation is over");
  assert.deepEqual(bench.room.people?.(), []);
  streams.dispose();
});

test("MC-096 closing the room tells its pages, ends them, and leaves no timer", async () => {
  const bench = await openBench();
  const ann = await bench.join("Ann");
  using stream = new RawLines(
    await rawOpen(bench.port, { path: "/api/stream", headers: pageHeaders(`http://127.0.0.1:${bench.port}`, ann, { path: "" }) }),
  );
  await stream.next();
  await bench[Symbol.asyncDispose]();
  assert.deepEqual(await stream.next(), { type: "end", reason: "closing" });
  assert.equal(await stream.next(), null);
  assert.equal(bench.clock.pending, 0);
});
