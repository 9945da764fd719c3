import assert from "node:assert/strict";
import { test } from "node:test";
import { rawRequest } from "../../testing/raw-request.ts";
import type { RoomBench } from "../../testing/room-bench.ts";
import { makeRoomBench } from "../../testing/room-bench.ts";
import { ARRIVALS, STRANGERS } from "./address-limits.ts";

const PUBLIC = "https://inn.example.org";

/** A room that others reach through a proxy on this computer, which is named. */
function openOutside(proxies: readonly string[] = ["127.0.0.1"]): Promise<RoomBench> {
  return makeRoomBench({ config: { outside: { address: "127.0.0.1", origin: PUBLIC, proxies }, door: () => "open" } });
}

function from(address: string): Readonly<Record<string, string>> {
  return { "x-forwarded-for": address };
}

test("TR-094 SE-086 a room that others reach answers to its public name alone and carries nothing of an operator's", async () => {
  await using bench = await openOutside();
  assert.equal(bench.room.url, PUBLIC);
  const ann = await bench.join("Ann");
  for (const path of ["/api/operations/trust", "/api/operations/invite-code", "/api/exchange"]) {
    assert.equal((await bench.page({ method: "POST", path, body: "{}" }, ann)).status, 404, path);
  }
  for (const path of ["/api/operations", "/api/packets", "/api/people", "/api/approvals"]) {
    assert.equal((await bench.page({ path }, ann)).status, 404, path);
  }
  const own = { host: `127.0.0.1:${bench.port}`, origin: `http://127.0.0.1:${bench.port}` };
  assert.equal((await rawRequest(bench.port, { path: "/", headers: own })).status, 403, "not even the page under its other name");
  assert.equal((await bench.page({ path: "/api/room", headers: own }, ann)).status, 403);
  assert.equal((await bench.page({ path: "/" })).status, 200);
});

test("SE-090 newcomers are bounded by network, and other networks notice nothing; a whole network counts as one", async () => {
  await using bench = await openOutside();
  const ask = async (name: string, address: string): Promise<number> =>
    (await bench.page({ method: "POST", path: "/api/members", body: JSON.stringify({ name }), headers: from(address) })).status;
  for (let at = 0; at < ARRIVALS.burst; at += 1) assert.equal(await ask(`Guest ${at}`, `203.0.113.${at}`), 201);
  assert.equal(await ask("One more", "203.0.113.200"), 429);
  assert.equal(await ask("Sam", "198.51.100.7"), 201);
  assert.equal(await ask("Lou", "2001:db8::7"), 201);
  await bench.clock.advance(ARRIVALS.everyMs);
  assert.equal(await ask("Later", "203.0.113.9"), 201);
});

test("TR-094 a forwarded address counts only from a proxy that is named, and only its last hop that is no proxy", async () => {
  const spent = async (bench: RoomBench, headers: (at: number) => Readonly<Record<string, string>>): Promise<number> => {
    let refused = 0;
    for (let at = 0; at < ARRIVALS.burst + 2; at += 1) {
      const body = JSON.stringify({ code: "A".repeat(24) });
      if ((await bench.page({ method: "POST", path: "/api/invites/look", body, headers: headers(at) })).status === 429) refused += 1;
    }
    return refused;
  };
  await using unnamed = await openOutside([]);
  assert.equal(await spent(unnamed, (at) => from(`203.${at}.113.1`)), 2, "whoever is not named says nothing that counts");
  await using named = await openOutside();
  assert.equal(await spent(named, (at) => from(`203.${at}.113.1`)), 0);
  assert.equal(await spent(named, (at) => from(`192.0.2.${at}, 198.51.100.7`)), 2, "what a client writes stands further left");
  assert.equal(await spent(named, (at) => from(`10.${at}.0.1, 192.0.2.9, 127.0.0.1`)), 2, "a named proxy in the chain is passed over");
});

test("SE-090 requests that open nothing are bounded by network, whatever secret they bring", async () => {
  await using bench = await openOutside();
  const guess = (at: number, address: string): Promise<number> =>
    bench
      .page({ path: "/api/room", headers: from(address) }, { id: "", secret: String(at).padStart(43, "A") })
      .then(({ status }) => status);
  const statuses: number[] = [];
  for (let at = 0; at < STRANGERS.burst + 3; at += 1) statuses.push(await guess(at, "203.0.113.5"));
  assert.deepEqual(statuses.slice(-4), [401, 429, 429, 429]);
  assert.equal(await guess(0, "198.51.100.5"), 401);
});

test("SE-090 on loopback everyone has one address, so nobody is counted by it", async () => {
  await using bench = await makeRoomBench();
  const body = JSON.stringify({ code: "A".repeat(24) });
  for (let at = 0; at < ARRIVALS.burst + 5; at += 1)
    assert.equal((await bench.page({ method: "POST", path: "/api/invites/look", body, headers: from("203.0.113.1") })).status, 200);
});
