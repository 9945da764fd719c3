import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256Hex } from "../../foundation/ids.ts";
import { randomIds } from "../../foundation/ids.ts";
import type { RoomBench, RoomMember } from "../../testing/room-bench.ts";
import { objectOf, makeRoomBench, pageHeaders } from "../../testing/room-bench.ts";
import { RawLines, rawOpen } from "../../testing/raw-request.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../vocabulary/principal.ts";
import type { MadeInvite } from "./invite-book.ts";
import { InviteBook } from "./invite-book.ts";

const HOUR_MS = 3_600_000;
const CLAIM = "c".repeat(32);

function bookOf({ config, store, clock }: RoomBench): InviteBook {
  return new InviteBook({ config, store, clock, ids: randomIds });
}

async function made(bench: RoomBench, name = "Kim", forMs = 4 * HOUR_MS): Promise<Extract<MadeInvite, { kind: "made" }>> {
  const invite = await bookOf(bench).make({ name, forMs, by: LOCAL_OWNER });
  assert.ok(invite.kind === "made", invite.kind);
  return invite;
}

async function comeIn(bench: RoomBench, code: string, claim = CLAIM): Promise<RoomMember> {
  const answer = await bench.post("/api/invites/redeem", { code, claim });
  assert.equal(answer["state"], "joined");
  return { id: String(answer["id"]), secret: String(answer["secret"]) };
}

async function streamOf(bench: RoomBench, member: RoomMember): Promise<RawLines> {
  return new RawLines(await rawOpen(bench.port, { path: "/api/stream", headers: pageHeaders(bench.room.url ?? "", member, { path: "" }) }));
}

/** The next event of one kind; others that come meanwhile are passed over. */
async function nextOf(stream: RawLines, type: string): Promise<unknown> {
  for (;;) {
    const event = await stream.next();
    if (event === null || JSON.stringify(event).startsWith(`{"type":"${type}"`)) return event;
  }
}

test("TR-094 SE-087 an invite lets one browser in, once, as a guest of that name; its code and the secret are kept as hashes alone", async () => {
  await using bench = await makeRoomBench({ config: { door: () => "invited" } });
  const { code, untilMs } = await made(bench);
  assert.ok(Buffer.from(code, "base64url").length >= 16);
  assert.deepEqual(await bench.post("/api/invites/look", { code }), { state: "open", name: "Kim", untilMs, title: "The Parlour" });
  const kim = await comeIn(bench, code);
  const room = objectOf(await bench.page({ path: "/api/room" }, kim));
  assert.deepEqual(
    [room["role"], room["self"], room["entry"], room["operator"]],
    ["guest", { id: kim.id, name: "Kim", untilMs, optedOut: false }, "invited", null],
  );
  assert.deepEqual(await bench.post("/api/invites/redeem", { code, claim: "another-browser-of-somebody" }), { state: "used" });
  assert.deepEqual(await bench.post("/api/invites/look", { code }), { state: "used" });
  const kept = JSON.stringify([...bench.store.invites.values(), ...bench.store.members.values()]);
  for (const clear of [code, kim.secret, CLAIM]) assert.ok(!kept.includes(clear));
  assert.ok(kept.includes(sha256Hex(code)) && kept.includes(sha256Hex(kim.secret)));
});

test("TR-094 the browser that used an invite and never got the answer gets another secret; the lost one opens nothing", async () => {
  await using bench = await makeRoomBench();
  const { code } = await made(bench);
  const lost = await comeIn(bench, code);
  const again = await comeIn(bench, code);
  assert.equal(again.id, lost.id);
  assert.equal((await bench.page({ path: "/api/room" }, lost)).status, 401);
  assert.equal((await bench.page({ path: "/api/room" }, again)).status, 200);
});

test("TR-094 of many browsers at once one gets in", async () => {
  await using bench = await makeRoomBench();
  const { code } = await made(bench);
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, at) => bench.post("/api/invites/redeem", { code, claim: `browser-number-${at}-of-a-few` })),
  );
  assert.deepEqual(
    answers.map(({ state }) => String(state)).toSorted((a, b) => a.localeCompare(b)),
    ["joined", "used", "used", "used", "used", "used"],
  );
});

test("TR-094 a revoked invite ends the stay at once: the page is told, the secret opens nothing, and it is said why", async () => {
  await using bench = await makeRoomBench();
  const { id, code } = await made(bench);
  const kim = await comeIn(bench, code);
  using stream = await streamOf(bench, kim);
  await nextOf(stream, "snapshot");
  assert.equal(bench.store.revoke(id, bench.clock.nowMs()), kim.id);
  bench.room.dismiss(parsePrincipalId(kim.id), "revoked");
  assert.deepEqual(await nextOf(stream, "end"), { type: "end", reason: "revoked" });
  assert.equal(await stream.next(), null);
  const answer = await bench.page({ path: "/api/room" }, kim);
  assert.deepEqual([answer.status, objectOf(answer)["ended"]], [401, "revoked"]);
  const said = await bench.page({ method: "POST", path: "/api/lines", body: line("still here?") }, kim);
  assert.deepEqual([said.status, bench.road.heard], [401, []]);
});

test("TR-094 a stay ends with its time, also on an open page, and an unused code with it", async () => {
  await using bench = await makeRoomBench();
  const [kim, lou] = [await made(bench, "Kim", HOUR_MS), await made(bench, "Lou", HOUR_MS)];
  const member = await comeIn(bench, kim.code);
  using stream = await streamOf(bench, member);
  await nextOf(stream, "snapshot");
  await bench.clock.advance(HOUR_MS);
  assert.deepEqual(await nextOf(stream, "end"), { type: "end", reason: "expired" });
  const answer = await bench.page({ path: "/api/room" }, member);
  assert.deepEqual([answer.status, objectOf(answer)["ended"]], [401, "expired"]);
  assert.deepEqual(await bench.post("/api/invites/look", { code: lou.code }), { state: "expired" });
  assert.deepEqual(await bench.post("/api/invites/redeem", { code: lou.code, claim: CLAIM }), { state: "expired" });
});

test("TR-094 an open page of a membership that is gone learns so with the next beat", async () => {
  await using bench = await makeRoomBench();
  const ann = await bench.join("Ann");
  using stream = await streamOf(bench, ann);
  await nextOf(stream, "snapshot");
  bench.store.members.clear();
  await bench.clock.advance(10_000);
  assert.deepEqual(await nextOf(stream, "end"), { type: "end", reason: "ended" });
});

test("TR-094 a room by invitation takes no name, says so, and takes names again once its door is open", async () => {
  let door: "open" | "invited" = "invited";
  await using bench = await makeRoomBench({ config: { door: () => door } });
  assert.deepEqual(await bench.post("/api/door", {}), { door: "room", entry: "invited" });
  const refused = await bench.page({ method: "POST", path: "/api/members", body: JSON.stringify({ name: "Ann" }) });
  assert.deepEqual([refused.status, objectOf(refused)["code"], bench.store.members.size], [403, "invited_only", 0]);
  door = "open";
  assert.equal((await bench.page({ path: "/api/room" }, await bench.join("Ann"))).status, 200);
});

test("SE-087 TR-094 nobody is invited under a name that is somebody's or could be taken for it", async () => {
  await using bench = await makeRoomBench();
  for (const name of ["Mirelle", "M1relle", "Мirelle", "TOBIAS", "system", "Operator", "Ilse", "every one", "y0u"]) {
    assert.equal((await bookOf(bench).make({ name, forMs: HOUR_MS, by: LOCAL_OWNER })).kind, "name_reserved", name);
  }
  for (const name of ["", "   ", "\u202eKim", "a".repeat(41), "Kim\nSam"]) {
    assert.equal((await bookOf(bench).make({ name, forMs: HOUR_MS, by: LOCAL_OWNER })).kind, "name_invalid", JSON.stringify(name));
  }
  assert.equal(bench.store.invites.size, 0);
});

test("TR-094 what is no code or no claim is an unknown invite, and one invite takes few tries at a time", async () => {
  await using bench = await makeRoomBench();
  const { code } = await made(bench);
  for (const asked of [code.slice(1), `${code}A`, "", "../x", "A".repeat(24)]) {
    assert.deepEqual(await bench.post("/api/invites/look", { code: asked }), { state: "unknown" }, asked);
  }
  assert.deepEqual(await bench.post("/api/invites/redeem", { code, claim: "short" }), { state: "unknown" });
  assert.equal((await bench.page({ method: "POST", path: "/api/invites/look", body: JSON.stringify({ code: 7 }) })).status, 400);
  const states: unknown[] = [];
  for (let at = 0; at < 10; at += 1)
    states.push((await bench.post("/api/invites/redeem", { code, claim: `browser-number-${at}-of-many` }))["state"]);
  assert.deepEqual(states, ["joined", ...Array.from({ length: 7 }, () => "used"), undefined, undefined]);
});

test("SE-087 leaving ends the membership: the secret opens nothing, and the name is free again", async () => {
  await using bench = await makeRoomBench();
  const ann = await bench.join("Ann");
  using stream = await streamOf(bench, ann);
  await nextOf(stream, "snapshot");
  assert.equal((await bench.page({ method: "POST", path: "/api/leave", body: "{}" }, ann)).status, 204);
  assert.deepEqual(await nextOf(stream, "end"), { type: "end", reason: "left" });
  assert.equal((await bench.page({ path: "/api/room" }, ann)).status, 401);
  assert.notEqual((await bench.join("Ann")).id, ann.id);
});

function line(text: string): string {
  return JSON.stringify({ clientLineId: "c1", to: "mirelle", private: false, text });
}
