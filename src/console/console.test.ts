import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { randomIds } from "../foundation/ids.ts";
import { line } from "../foundation/line.ts";
import { silentLog } from "../foundation/log.ts";
import { OWNER_ONLY, declare } from "../operations/operation.ts";
import { createOperations } from "../operations/operations.ts";
import { openRoom } from "../surfaces/room/room.ts";
import { FakeRoad, FakeRoomStore, FakeVoices, fakeRoomConfig } from "../testing/fake-room.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import type { RawAnswer, RawRequest } from "../testing/raw-request.ts";
import { RawLines, rawOpen, rawRequest } from "../testing/raw-request.ts";
import { isRecord } from "../web/answers.ts";
import type { Console } from "./console.ts";
import { openConsole } from "./console.ts";
import type { Explained, KeptExplanation } from "./explanation.ts";
import { CODE_LIFETIME_MS, WRONG_CODES } from "./sessions.ts";

const NEVER = new AbortController().signal;

interface Bench extends AsyncDisposable {
  readonly console: Console;
  readonly road: FakeRoad;
  readonly clock: ManualClock;
  readonly roomPort: number;
  readonly ran: unknown[];
  readonly page: (raw: RawRequest, token?: string) => Promise<RawAnswer>;
  readonly exchange: (code: string) => Promise<RawAnswer>;
  readonly enter: () => Promise<string>;
  /** From now on not all is well. */
  readonly fail: () => void;
}

async function openBench(): Promise<Bench> {
  const owned = new AsyncDisposableStack();
  const clock = new ManualClock();
  const road = new FakeRoad();
  const ran: unknown[] = [];
  const room = owned.use(
    openRoom(
      {
        config: fakeRoomConfig(),
        store: new FakeRoomStore(),
        lines: road.lines,
        outcomes: road.outcomes,
        voices: new FakeVoices(),
        floor: { clock, ids: randomIds, log: silentLog },
      },
      NEVER,
    ),
  );
  await room.open(road, NEVER);
  const pause = declare({
    name: "pause",
    summary: "Stop answering",
    arguments: z.strictObject({ minutes: z.number().describe("How long") }),
    positional: ["minutes"],
    who: OWNER_ONLY,
    result: z.object({ paused: z.number() }),
    render: ({ paused }) => [line`paused for ${paused} minutes`],
  }).bind((args, { actor }) => {
    ran.push([args, actor.principal, actor.assurance]);
    return Promise.resolve({ paused: args.minutes });
  });
  let healthy = true;
  const console = owned.use(
    await openConsole(
      {
        rooms: () => [room],
        operations: createOperations([pause]),
        why: (line) => (("message" in line ? line.message === "m-00000001" : line.turn === "t-00000001") ? explained() : null),
        model: () => null,
        clock,
        log: silentLog,
      },
      {
        port: 0,
        assets: fakeRoomConfig().assets,
        ownerName: "Ilse",
        version: "0.1.0",
        pid: 4242,
        startedAtMs: 7,
        isHealthy: () => healthy,
      },
      NEVER,
    ),
  );
  const page = (raw: RawRequest, token?: string): Promise<RawAnswer> =>
    rawRequest(console.port, { ...raw, headers: { ...pageHeaders(console.port, token, raw.body !== undefined), ...raw.headers } });
  const exchange = (code: string): Promise<RawAnswer> => page({ method: "POST", path: "/api/exchange", body: JSON.stringify({ code }) });
  const enter = async (): Promise<string> => String(objectOf(await exchange(codeOf(console, false)))["token"]);
  return {
    console,
    road,
    clock,
    roomPort: Number(new URL(room.url ?? "").port),
    ran,
    page,
    exchange,
    enter,
    fail: () => void (healthy = false),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function pageHeaders(port: number, token: string | undefined, body: boolean): Readonly<Record<string, string>> {
  return {
    origin: `http://127.0.0.1:${port}`,
    "sec-fetch-site": "same-origin",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body ? { "content-type": "application/json" } : {}),
  };
}

function codeOf(console: Console, untilUsed: boolean): string {
  const link = new URL(console.issueLink({ untilUsed }));
  assert.equal(link.search, "", "nothing secret stands where servers and logs see it");
  return new URLSearchParams(link.hash.slice(1)).get("code") ?? "";
}

function objectOf(answer: RawAnswer): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(answer.text);
  assert.ok(isRecord(value));
  return value;
}

function explained(): Explained {
  const part = { id: "t-1.0", state: "delivered", reason: "", settledAtMs: 9, body: "words of the part" };
  const explanation: KeptExplanation = {
    decision: {
      id: "m-00000001",
      atMs: 5,
      surface: "parlour",
      place: "public:parlour",
      person: "room:m-ann",
      character: "mirelle",
      outcome: "admitted",
      reason: null,
      gate: "addressed",
      rule: "alias",
      key: "surfaces.parlour.admission",
      class: "talk",
    },
    count: 1,
    end: "answered",
    endReason: null,
    inboxState: "ended",
    attempts: 1,
    turn: { id: "t-1", startedAtMs: 6, endedAtMs: 8, record: null, packet: null, gate: [] },
    parts: [part],
  };
  return { outcome: { outcome: "answered", tookMs: 3, words: true }, explanation };
}

const LINE = JSON.stringify({ clientLineId: "c1", to: null, private: false, text: "hello from the owner" });
const ROUTES: readonly RawRequest[] = [
  { method: "POST", path: "/api/door", body: "{}" },
  { path: "/api/room" },
  { path: "/api/stream" },
  { path: "/api/lines?place=public" },
  { method: "POST", path: "/api/lines", body: LINE },
  { path: "/api/lines/m-00000001/why" },
  { method: "POST", path: "/api/leave", body: "{}" },
  { path: "/api/operations" },
  { method: "POST", path: "/api/operations/pause", body: JSON.stringify({ args: { minutes: 5 } }) },
  { method: "POST", path: "/api/members", body: JSON.stringify({ name: "Mallory" }) },
  { path: "/api/nothing" },
];

test("SE-086 TR-080 foreign origin, foreign port, rebinding name, no token, a guest's secret, an earlier process' token: 401 or 403 on every route and stream, and nothing happens", async () => {
  const earlier = await openBench();
  const oldToken = await earlier.enter();
  await earlier[Symbol.asyncDispose]();
  await using bench = await openBench();
  const token = await bench.enter();
  const { port } = bench.console;
  const joined = await rawRequest(bench.roomPort, {
    method: "POST",
    path: "/api/members",
    headers: pageHeaders(bench.roomPort, undefined, true),
    body: JSON.stringify({ name: "Ann" }),
  });
  const attacks: readonly [string, Readonly<Record<string, string>>, string | undefined][] = [
    ["foreign origin", { origin: "https://evil.example" }, token],
    ["the room's origin", { origin: `http://127.0.0.1:${bench.roomPort}`, "sec-fetch-site": "same-site" }, token],
    ["rebinding name", { host: `evil.example:${port}`, origin: `http://evil.example:${port}` }, token],
    ["no token", {}, undefined],
    ["a guest's secret", {}, String(objectOf(joined)["secret"])],
    ["an earlier process' token", {}, oldToken],
    ["an issued code as a token", {}, codeOf(bench.console, false)],
  ];
  for (const [what, headers, bearer] of attacks) {
    for (const route of ROUTES) {
      // An own page asks which door this is without a token.
      if (route.path === "/api/door" && Object.keys(headers).length === 0) continue;
      const { status } = await bench.page({ ...route, headers }, bearer);
      assert.ok(status === 401 || status === 403, `${what}: ${route.method ?? "GET"} ${route.path} answered ${status}`);
    }
    const { status } = await bench.page({
      method: "POST",
      path: "/api/exchange",
      body: JSON.stringify({ code: codeOf(bench.console, false) }),
      headers: { ...headers, ...(Object.keys(headers).length === 0 ? { origin: "null" } : {}) },
    });
    assert.equal(status, 403, `${what}: a right code is not exchanged from elsewhere`);
  }
  assert.deepEqual(bench.ran, []);
  assert.equal(bench.road.heard.length, 0);
  const room = await rawRequest(bench.roomPort, { path: "/api/room", headers: pageHeaders(bench.roomPort, token, false) });
  assert.equal(room.status, 401, "and the owner's token opens nothing in the room");
});

test("SE-086 an own page learns which door this is without a token, and nothing else", async () => {
  await using bench = await openBench();
  const answer = await bench.page({ method: "POST", path: "/api/door", body: "{}" });
  assert.deepEqual([answer.status, answer.text], [200, `{"door":"console"}`]);
  assert.equal((await bench.page({ path: "/api/door" })).status, 401);
});

test("SE-086 a code opens one session within 60 s", async () => {
  await using bench = await openBench();
  const code = codeOf(bench.console, false);
  assert.ok(Buffer.from(code, "base64url").length >= 32);
  const opened = await bench.exchange(code);
  assert.equal(opened.status, 201);
  assert.equal(opened.headers["set-cookie"], undefined);
  assert.equal((await bench.exchange(code)).status, 401, "and not a second one");
  const late = codeOf(bench.console, false);
  const atStart = codeOf(bench.console, true);
  await bench.clock.advance(CODE_LIFETIME_MS);
  assert.equal((await bench.exchange(late)).status, 401);
  assert.equal((await bench.exchange(atStart)).status, 201, "the link of the start waits for its first use");
  assert.equal((await bench.exchange(atStart)).status, 401);
});

test("SE-086 five wrong codes close the exchange for a minute, to right ones too", async () => {
  await using bench = await openBench();
  const code = codeOf(bench.console, true);
  for (let at = 0; at < WRONG_CODES.most; at += 1) assert.equal((await bench.exchange(`wrong${at}`)).status, 401);
  const closed = await bench.exchange(code);
  assert.equal(closed.status, 429);
  assert.equal(objectOf(closed)["retryAfterMs"], WRONG_CODES.closedMs);
  await bench.clock.advance(WRONG_CODES.closedMs);
  assert.equal((await bench.exchange(code)).status, 201);
});

test("SE-081 the exchanged console is the owner in the room: own header, own assurance, same stage", async () => {
  await using bench = await openBench();
  const token = await bench.enter();
  const header = objectOf(await bench.page({ path: "/api/room" }, token));
  assert.deepEqual(
    [header["door"], header["role"], header["self"]],
    ["console", "operator", { id: "local:owner", name: "Ilse", untilMs: null, optedOut: false }],
  );
  assert.deepEqual(header["operator"], {
    version: "0.1.0",
    pid: 4242,
    startedAtMs: 7,
    rooms: [{ name: "parlour", title: "The Parlour", url: `http://127.0.0.1:${bench.roomPort}` }],
  });
  using stream = new RawLines(
    await rawOpen(bench.console.port, { path: "/api/stream?room=parlour", headers: pageHeaders(bench.console.port, token, false) }),
  );
  assert.match(JSON.stringify(await stream.next()), /"snapshot".*4242/);
  assert.equal((await bench.page({ method: "POST", path: "/api/lines", body: LINE }, token)).status, 202);
  const told = [JSON.stringify(await stream.next()), JSON.stringify(await stream.next())];
  assert.ok(told.some((event) => event.includes("hello from the owner")));
  assert.deepEqual(bench.road.heard[0]?.sender, { principal: "local:owner", displayName: "Ilse", kind: "person", assurance: "local" });
  assert.equal((await bench.page({ path: "/api/room?room=cellar" }, token)).status, 404);
});

test("SE-094 the owner's why is whole, for anybody's line, and holds no words of anybody", async () => {
  await using bench = await openBench();
  const token = await bench.enter();
  const why = await bench.page({ path: "/api/lines/m-00000001/why" }, token);
  assert.equal(why.status, 200);
  const body = objectOf(why);
  assert.deepEqual([body["outcome"], body["tookMs"], body["command"]], ["answered", 3, "troupe why m-00000001"]);
  assert.match(why.text, /"key":"surfaces.parlour.admission"/);
  assert.ok(!why.text.includes("words of the part"));
  assert.equal((await bench.page({ path: "/api/lines/m-00000002/why" }, token)).status, 404);
  const ofAnswer = await bench.page({ path: "/api/lines/t-00000001/why" }, token);
  assert.deepEqual([ofAnswer.status, ofAnswer.text], [200, why.text], "a character's line has the road of what it answers");
  assert.equal((await bench.page({ path: "/api/lines/t-00000002/why" }, token)).status, 404);
  assert.equal((await bench.page({ path: "/api/lines/..%2f/why" }, token)).status, 404);
});

test("TR-009 the console lists and runs operations as the owner, and says what is wrong with a call", async () => {
  await using bench = await openBench();
  const token = await bench.enter();
  const run = (name: string, body: string): Promise<RawAnswer> =>
    bench.page({ method: "POST", path: `/api/operations/${name}`, body }, token);
  assert.deepEqual(objectOf(await bench.page({ path: "/api/operations" }, token)), {
    operations: [{ name: "pause", summary: "Stop answering" }],
  });
  const done = await run("pause", JSON.stringify({ args: { minutes: 5 } }));
  assert.deepEqual(objectOf(done), { kind: "done", text: "paused for 5 minutes", data: { paused: 5 } });
  assert.deepEqual(bench.ran, [[{ minutes: 5 }, "local:owner", "local"]]);
  assert.deepEqual(
    [(await run("pause", `{"args":{}}`)).status, (await run("pause", "[]")).status, (await run("missing", `{"args":{}}`)).status],
    [400, 400, 404],
  );
  assert.equal(bench.ran.length, 1);
});

test("TR-095 SE-086 /healthz tells yes or no to whoever reaches the console's own name, and nothing else to anybody", async () => {
  await using open = await openBench();
  const ask = (more: Partial<RawRequest> = {}): Promise<RawAnswer> => rawRequest(open.console.port, { path: "/healthz", ...more });
  const well = await ask();
  assert.deepEqual([well.status, well.text], [200, '{"ok":true}']);
  assert.deepEqual([(await ask({ method: "HEAD" })).status, (await ask({ method: "HEAD" })).text], [200, ""]);
  assert.equal((await ask({ headers: { host: "evil.example" } })).status, 403, "a rebound name learns nothing");
  assert.notEqual((await ask({ method: "POST" })).status, 200);
  assert.equal((await rawRequest(open.roomPort, { path: "/healthz" })).status, 404, "a room tells nobody");
  open.fail();
  const ill = await ask();
  assert.deepEqual([ill.status, ill.text], [503, '{"ok":false}']);
});
