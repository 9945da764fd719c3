import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256Hex } from "../../../foundation/ids.ts";
import { NOTHING_OLD, STORE_TIME_MS, personOf } from "../../../testing/store-rows.ts";
import type { DirectStore } from "../../../testing/store-writer.ts";
import { openDirectStore } from "../../../testing/store-writer.ts";
import { parseInviteId, parseSurfaceName } from "../../../vocabulary/ids.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { InviteRow, RedeemResult, RedeemRow } from "../../guest-store.ts";
import { CLAIM_AGAIN_MS, MAX_OPEN_INVITES } from "../../guest-store.ts";
import { voidAuthority } from "../file/restored.ts";
import { Statements } from "../rows/statements.ts";
import { DatabaseSync } from "node:sqlite";

const ROOM = parseSurfaceName("parlour");
const HOUR_MS = 3_600_000;

const invite = (number: number, how: Partial<InviteRow> = {}): InviteRow => ({
  id: parseInviteId(`i-${String(number).padStart(4, "0")}`),
  surface: ROOM,
  name: `Kim ${number}`,
  foldedName: `kim${number}`,
  codeHash: sha256Hex(`code ${number}`),
  by: LOCAL_OWNER,
  atMs: STORE_TIME_MS,
  expiresAtMs: STORE_TIME_MS + HOUR_MS,
  ...how,
});
const use = (number: number, how: Partial<RedeemRow> = {}): RedeemRow => ({
  surface: ROOM,
  codeHash: sha256Hex(`code ${number}`),
  claimHash: sha256Hex("claim"),
  member: personOf(number),
  secretHash: sha256Hex(`secret ${number}`),
  atMs: STORE_TIME_MS + 1,
  ...how,
});
const keep = (store: DirectStore, row: InviteRow): string => store.run({ verb: "keepInvite", row }).kind;
const redeem = (store: DirectStore, row: RedeemRow): RedeemResult => store.run({ verb: "redeemInvite", row });
const admit = (store: DirectStore, foldedName: string, number = 90, atMs = STORE_TIME_MS): boolean =>
  store.run({
    verb: "admitMember",
    row: { id: personOf(number), surface: ROOM, name: foldedName, foldedName, secretHash: sha256Hex(`s ${number}`), atMs },
  }).admitted;

test("TR-094 an invite is used once, in one commit with its member; each other end is told by name", () => {
  using store = openDirectStore();
  for (let number = 1; number <= 3; number += 1) assert.equal(keep(store, invite(number)), "kept");
  assert.deepEqual(redeem(store, use(1)), {
    kind: "redeemed",
    member: personOf(1),
    name: "Kim 1",
    expiresAtMs: STORE_TIME_MS + HOUR_MS,
  });
  assert.equal(store.read.memberBySecret(ROOM, sha256Hex("secret 1"))?.name, "Kim 1");
  assert.equal(store.read.inviteOf(personOf(1))?.id, invite(1).id);
  assert.deepEqual(redeem(store, use(1, { claimHash: sha256Hex("another's"), member: personOf(9) })), { kind: "used" });
  assert.equal(store.read.member(personOf(9)), null);
  assert.deepEqual(redeem(store, use(2, { atMs: STORE_TIME_MS + HOUR_MS })), { kind: "expired" });
  assert.deepEqual(store.run({ verb: "revokeInvite", row: { id: invite(3).id, by: LOCAL_OWNER, atMs: STORE_TIME_MS } }), {
    revoked: true,
    member: null,
  });
  assert.deepEqual(redeem(store, use(3)), { kind: "revoked" });
  assert.deepEqual(redeem(store, use(4)), { kind: "unknown" });
  assert.deepEqual(redeem(store, use(2, { surface: parseSurfaceName("yard") })), { kind: "unknown" }, "another room's");
  assert.equal(redeem(store, use(2)).kind, "redeemed");
  assert.deepEqual(
    store.read.invites().map(({ id, member }) => [id, member]),
    [
      [invite(1).id, personOf(1)],
      [invite(2).id, personOf(2)],
      [invite(3).id, null],
    ],
  );
});

test("TR-094 the same browser is answered again for ten minutes, under another secret and the same member", () => {
  using store = openDirectStore();
  keep(store, invite(1));
  redeem(store, use(1));
  const again = (afterMs: number, secret: string): RedeemResult =>
    redeem(store, use(1, { member: personOf(7), secretHash: sha256Hex(secret), atMs: STORE_TIME_MS + 1 + afterMs }));
  const second = again(CLAIM_AGAIN_MS - 1, "second");
  assert.ok(second.kind === "redeemed" && second.member === personOf(1));
  assert.deepEqual(
    [store.read.memberBySecret(ROOM, sha256Hex("secret 1")), store.read.memberBySecret(ROOM, sha256Hex("second"))?.id],
    [null, personOf(1)],
  );
  assert.equal(again(CLAIM_AGAIN_MS, "third").kind, "used");
  store.run({ verb: "dropMember", row: { id: personOf(1) } });
  assert.equal(again(10, "fourth").kind, "used", "whoever left has used it up");
});

test("SE-087 a name is one person's: kept for an open invite, refused where somebody has it, free again when its invite has ended", () => {
  using store = openDirectStore();
  assert.equal(admit(store, "kim1"), true);
  assert.equal(keep(store, invite(1)), "name_taken");
  assert.equal(keep(store, invite(2)), "kept");
  assert.equal(keep(store, invite(3, { foldedName: "kim2" })), "name_taken");
  assert.equal(keep(store, invite(4, { foldedName: "kim2", surface: parseSurfaceName("yard") })), "kept", "another room");
  assert.equal(admit(store, "kim2", 91), false, "kept for whoever was invited");
  redeem(store, use(2));
  assert.equal(admit(store, "kim2", 91), false, "and then theirs");
  store.run({ verb: "revokeInvite", row: { id: invite(2).id, by: LOCAL_OWNER, atMs: STORE_TIME_MS } });
  assert.equal(admit(store, "kim2", 91), false, "nobody passes for who was just shown out");
  assert.equal(keep(store, invite(5, { foldedName: "kim2" })), "kept", "but they can be invited anew");
  assert.equal(store.read.memberBySecret(ROOM, sha256Hex("secret 2")), null, "and the old secret is gone");
  assert.equal(keep(store, invite(6, { expiresAtMs: STORE_TIME_MS + 1 })), "kept");
  assert.equal(admit(store, "kim6", 92, STORE_TIME_MS + 2), true, "an invite that has run out keeps nothing");
});

test("TR-094 MC-040 open invites are bounded; used and ended ones are not among them, and go a day after their time", () => {
  using store = openDirectStore();
  keep(store, invite(0));
  // All but the first at once: as many commits would take seconds.
  const db = new DatabaseSync(store.path);
  db.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MAX_OPEN_INVITES - 1})
    insert into invite(id, surface, name, folded_name, code_hash, by_person, at_ms, expires_at_ms)
    select printf('i-%04d', i), surface, name || i, folded_name || i, printf('%064x', i), by_person, at_ms, expires_at_ms from invite, n`);
  db.close();
  assert.equal(keep(store, invite(900)), "full");
  redeem(store, use(0));
  assert.equal(keep(store, invite(900)), "kept");
  const retain = (membersBeforeMs: number): number => store.run({ verb: "retain", row: { ...NOTHING_OLD, membersBeforeMs } }).dropped;
  assert.equal(retain(STORE_TIME_MS + HOUR_MS), 1, "the member who was not seen since");
  assert.ok(retain(STORE_TIME_MS + HOUR_MS + 1) > 200);
});

test("TR-094 only hashes of codes, claims and secrets can be stored", () => {
  using store = openDirectStore();
  assert.throws(() => keep(store, invite(1, { codeHash: "the code itself" })), { code: "internal" });
  keep(store, invite(1));
  assert.throws(() => redeem(store, use(1, { claimHash: "the claim itself" })), { code: "internal" });
  assert.throws(() => redeem(store, use(1, { secretHash: "the secret itself" })), { code: "internal" });
  assert.equal(redeem(store, use(1)).kind, "redeemed", "and nothing of a refused use was kept");
});

test("SE-099 TR-094 an older copy of the database lets nobody in by its invites", () => {
  using store = openDirectStore();
  for (let number = 1; number <= 2; number += 1) keep(store, invite(number));
  redeem(store, use(1));
  const db = new DatabaseSync(store.path);
  voidAuthority(new Statements(db), STORE_TIME_MS + 2);
  db.close();
  assert.deepEqual(redeem(store, use(2)), { kind: "revoked" });
  assert.equal(store.read.inviteOf(personOf(1))?.revokedAtMs, STORE_TIME_MS + 2);
});

test("TR-043 TR-091 the wish not to be heard outlives being forgotten, and only its person takes it back", () => {
  using store = openDirectStore();
  const [ann, pseudonym] = [personOf(1), parsePrincipalId("forgotten:x")];
  const set = (optedOut: boolean): null => store.run({ verb: "setOptedOut", row: { person: ann, pseudonym, optedOut, atMs: 1 } });
  set(true);
  set(true);
  assert.deepEqual([store.read.optedOut(ann), store.read.optedOut(personOf(2))], [true, false]);
  set(false);
  assert.equal(store.read.optedOut(ann), false);
});
