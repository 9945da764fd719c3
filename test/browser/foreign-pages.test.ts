import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { rawRequest } from "../../src/testing/raw-request.ts";
import { REBOUND } from "./harness.ts";
import type { TestPage } from "./harness.ts";
import type { RealHouse, RealVisit } from "./real-house.ts";
import { openRealHouse } from "./real-house.ts";
import type { RealRoom } from "./real-process.ts";

let house: RealHouse;
before(async () => {
  house = await openRealHouse();
});
after(async () => {
  await house[Symbol.asyncDispose]();
});

/** Every route and stream of the two doors, and what would be done there. */
const SAY = JSON.stringify({ clientLineId: "c-foreign", to: null, private: false, text: "said by a foreign page" });
const STAGE: readonly Route[] = [
  { method: "POST", path: "/api/door", body: "{}" },
  { method: "POST", path: "/api/invites/redeem", body: JSON.stringify({ code: "A".repeat(24), claim: "B".repeat(24) }) },
  { method: "GET", path: "/api/room" },
  { method: "GET", path: "/api/stream" },
  { method: "GET", path: "/api/lines?place=public" },
  { method: "GET", path: "/api/lines?place=direct&character=mirelle" },
  { method: "GET", path: "/api/lines/m-00000001/why" },
  { method: "POST", path: "/api/lines", body: SAY },
  { method: "POST", path: "/api/leave", body: "{}" },
  { method: "POST", path: "/api/members", body: JSON.stringify({ name: "Mallory" }) },
  { method: "POST", path: "/api/exchange", body: JSON.stringify({ code: "guess" }) },
  { method: "GET", path: "/api/operations" },
  { method: "POST", path: "/api/operations/pause", body: JSON.stringify({ args: { minutes: 5 } }) },
  { method: "GET", path: "/api/nothing" },
];

interface Route {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
}

/** How a page may ask: what a browser lets through without asking first, and what it asks first for. */
const WAYS: readonly {
  readonly name: string;
  readonly init: Readonly<Record<string, unknown>>;
  readonly type: string | null;
  readonly bears: boolean;
}[] = [
  { name: "cors with the token", init: { mode: "cors" }, type: "application/json", bears: true },
  { name: "cors, credentials, simple type", init: { mode: "cors", credentials: "include" }, type: "text/plain", bears: false },
  { name: "no-cors, simple type", init: { mode: "no-cors", credentials: "include" }, type: "text/plain", bears: false },
  { name: "no-cors, form type", init: { mode: "no-cors" }, type: "application/x-www-form-urlencoded", bears: false },
  { name: "no-cors, no type", init: { mode: "no-cors", keepalive: true, referrerPolicy: "no-referrer" }, type: null, bears: false },
];

interface Asked {
  readonly what: string;
  /** `opaque` and `failed` tell a page nothing; a number is an answer it could read. */
  readonly got: "opaque" | "failed" | number;
}

/** Run in a page: ask everything of both doors in every way. */
function asks(targets: readonly { readonly origin: string; readonly token: string }[]): string {
  return `(async () => {
    const told = [];
    for (const { origin, token } of ${JSON.stringify(targets)}) for (const route of ${JSON.stringify(STAGE)}) for (const way of ${JSON.stringify(WAYS)}) {
      const headers = { ...(way.bears ? { authorization: "Bearer " + token } : {}), ...(way.type !== null && route.body ? { "content-type": way.type } : {}) };
      const body = route.body === undefined ? {} : { body: way.type === null ? new Blob([route.body]) : route.body };
      const what = [origin, route.method, route.path, way.name].join(" ");
      try {
        const response = await fetch(origin + route.path, { ...way.init, method: route.method, headers, ...body, signal: AbortSignal.timeout(5000) });
        told.push({ what, got: response.type === "opaque" ? "opaque" : response.status });
      } catch { told.push({ what, got: "failed" }); }
    }
    return told;
  })()`;
}

/** What else a page can do without fetch: a form, a frame, a beacon, a picture, a script, a socket. Nothing of it tells the page anything. */
function tricks(targets: readonly { readonly origin: string }[]): string {
  return `(async () => {
    const done = [];
    for (const { origin } of ${JSON.stringify(targets)}) {
      navigator.sendBeacon(origin + "/api/lines", new Blob([${JSON.stringify(SAY)}], { type: "text/plain" }));
      for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
        const frame = document.createElement("iframe");
        frame.name = "f" + Math.random();
        document.body.append(frame);
        const form = document.createElement("form");
        Object.assign(form, { method: "post", action: origin + "/api/lines", target: frame.name, enctype });
        const field = document.createElement("input");
        Object.assign(field, { name: ${JSON.stringify(`{"clientLineId":"c-form","to":null,"private":false,"text":"form`)}, value: '"}' });
        form.append(field);
        document.body.append(form);
        done.push(new Promise((resolve) => frame.addEventListener("load", resolve, { once: true })));
        form.submit();
      }
      for (const [tag, path] of [["img", "/api/room"], ["script", "/api/stream"], ["iframe", "/"], ["iframe", "/api/room"]]) {
        const element = document.createElement(tag);
        done.push(new Promise((resolve) => { element.onload = element.onerror = resolve; }));
        element.src = origin + path;
        document.body.append(element);
      }
      const socket = new WebSocket(origin.replace("http", "ws") + "/api/stream");
      done.push(new Promise((resolve) => { socket.onclose = resolve; }));
    }
    await Promise.race([Promise.all(done), new Promise((resolve) => setTimeout(resolve, 5000))]);
  })()`;
}

/** A web page of somebody else: another port of this machine, with a policy that allows it everything. */
class ForeignSite implements AsyncDisposable {
  readonly #server: Server = createServer((_request: IncomingMessage, response: ServerResponse) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>Elsewhere</title><p>A page of somebody else.</p>");
  });

  async listen(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** All that a request could have changed. */
function stateOf(room: RealRoom): Readonly<Record<string, readonly unknown[]>> {
  const tables = ["event", "inbox", "turn", "part", "decision", "delivery", "principal", "trust", "setting", "approval", "budget"];
  const state = tables.map((table) => [table, room.rows(`select * from ${table}`).map((row) => ({ ...row, seen_at_ms: 0 }))] as const);
  // Presence says who is here and since when: nobody may come or go.
  return Object.fromEntries([
    ...state,
    ["presence", room.rows("select place, person, left_at_ms from presence").map((row) => ({ ...row }))],
  ]);
}

/** The same once so many are here: who comes in is on the page before it is in the record. */
async function stateWith(room: RealRoom, people: number): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const here = (): number => room.rows("select person from presence where left_at_ms is null").length;
  for (let wait = 0; wait < 100 && here() < people; wait += 1) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(here(), people, "everyone who came in is in the record");
  return stateOf(room);
}

async function tokenOf(visit: RealVisit): Promise<string> {
  return visit.page.evaluate<string>(
    "sessionStorage.getItem('troupe.token') ?? JSON.parse(localStorage.getItem('troupe.member') ?? '{}').secret",
  );
}

async function openForeign(house: RealHouse, origin: string, room: RealRoom): Promise<TestPage> {
  const page = await house.browser.open({ origins: [origin, room.origin, room.consoleOrigin] });
  await page.page.goto(`${origin}/`);
  return page;
}

test("SE-086 TR-080 a page on another port or under another name gets at no route and no stream of a real browser's room and console, and changes nothing", async () => {
  await using room = await house.room();
  await using ann = await house.visit(room);
  await ann.page.goto(`${room.origin}/`);
  await ann.name("Ann");
  await using owner = await house.visit(room);
  await owner.page.goto(await room.consoleLink());
  await owner.inside();
  await ann.say("Mirelle, good evening");
  await ann
    .line("good evening")
    .getByText(/answered,? \d/)
    .waitFor();
  const targets = [
    { origin: room.origin, token: await tokenOf(ann) },
    { origin: room.consoleOrigin, token: await tokenOf(owner) },
  ];
  await using site = new ForeignSite();
  const port = await site.listen();
  const before = await stateWith(room, 2);
  for (const host of ["127.0.0.1", "localhost", REBOUND]) {
    const origin = `http://${host}:${port}`;
    await using foreign = await openForeign(house, origin, room);
    const asked = await foreign.page.evaluate<readonly Asked[]>(asks(targets));
    assert.equal(asked.length, targets.length * STAGE.length * WAYS.length);
    assert.deepEqual(
      asked.filter(({ got }) => typeof got === "number"),
      [],
      "no answer could be read",
    );
    await foreign.page.evaluate(tricks(targets));
    const shown = foreign.page.frames().filter((frame) => frame.url().startsWith("http") && !frame.url().startsWith(origin));
    assert.deepEqual(shown, [], "no frame shows anything of ours");
  }
  // The two doors are foreign to each other as well.
  const [guestDoor, ownerDoor] = [targets.slice(0, 1), targets.slice(1)];
  for (const [visit, other] of [
    [ann, ownerDoor],
    [owner, guestDoor],
  ] as const) {
    const asked = await visit.page.evaluate<readonly Asked[]>(asks(other));
    assert.ok(
      asked.every(({ got }) => got === "failed"),
      "its own policy lets nothing out",
    );
  }
  assert.deepEqual(stateOf(room), before);
  await ann.say("still here");
  assert.equal(ann.view.page.url(), `${room.origin}/`);
});

test("SE-086 a rebinding name, a foreign origin and a foreign port are refused on every route of the real doors, with the right token too", async () => {
  await using room = await house.room();
  await using ann = await house.visit(room);
  await ann.page.goto(`${room.origin}/`);
  await ann.name("Ann");
  await using owner = await house.visit(room);
  await owner.page.goto(await room.consoleLink());
  await owner.inside();
  const before = await stateWith(room, 2);
  const doors = [
    { url: new URL(room.origin), token: await tokenOf(ann) },
    { url: new URL(room.consoleOrigin), token: await tokenOf(owner) },
  ];
  for (const { url, token } of doors) {
    const port = Number(url.port);
    await using rebinding = await house.browser.open({ origins: [`http://${REBOUND}:${port}`] });
    const shown = await rebinding.page.goto(`http://${REBOUND}:${port}/`);
    assert.equal(shown?.status(), 403, "a browser that believes the name is told nothing");
    const attacks: readonly Readonly<Record<string, string>>[] = [
      { host: `rebound.example:${port}`, origin: `http://rebound.example:${port}`, "sec-fetch-site": "same-origin" },
      { host: "rebound.example", origin: "http://rebound.example" },
      { host: url.host, origin: "https://evil.example", "sec-fetch-site": "cross-site" },
      { host: url.host, origin: `http://127.0.0.1:${port + 1}`, "sec-fetch-site": "same-site" },
      { host: url.host, origin: "null" },
    ];
    for (const attack of attacks) {
      for (const { method, path, body } of STAGE) {
        const json = body === undefined ? {} : { "content-type": "application/json" };
        const headers = { ...attack, ...json, authorization: `Bearer ${token}` };
        const answer = await rawRequest(port, { method, path, headers, ...(body === undefined ? {} : { body }) });
        assert.ok(
          answer.status === 401 || answer.status === 403,
          `${attack["host"]} ${attack["origin"]}: ${method} ${path} answered ${answer.status}`,
        );
      }
      const shell = await rawRequest(port, { path: "/", headers: attack });
      assert.equal(shell.status, attack["host"] === url.host ? 200 : 403, "the shell looks at the name only");
    }
  }
  assert.deepEqual(stateOf(room), before);
});
