import assert from "node:assert/strict";
import { test } from "node:test";
import { overwrites, takenIn } from "./channel-rights.ts";
import type { Overwrite } from "./channel-rights.ts";

const [VIEW, SEND, HISTORY, IN_THREADS] = [1n << 10n, 1n << 11n, 1n << 16n, 1n << 38n];
const ALL = VIEW | SEND | HISTORY | IN_THREADS;
const holder = { server: "9", userId: "1", roles: ["5", "6"], given: ALL };
const one = (id: string, type: number, { allow = 0n, deny = 0n }: Partial<Overwrite>): Overwrite => ({ id, type, allow, deny });

test("TR-081 what a channel takes away is named: everyone's exception first, then those of the bot's roles together, then its own", () => {
  assert.deepEqual(takenIn(0, [one("9", 0, { deny: SEND | HISTORY })], holder), ["Send Messages", "Read Message History"]);
  assert.deepEqual(takenIn(0, [one("9", 0, { deny: SEND }), one("5", 0, { allow: SEND })], holder), []);
  assert.deepEqual(takenIn(0, [one("5", 0, { deny: SEND }), one("6", 0, { allow: SEND })], holder), [], "any role's yes counts");
  assert.deepEqual(takenIn(0, [one("5", 0, { allow: SEND }), one("1", 1, { deny: SEND })], holder), ["Send Messages"]);
  assert.deepEqual(takenIn(0, [one("7", 0, { deny: ALL }), one("2", 1, { deny: ALL })], holder), [], "other roles and members");
  assert.deepEqual(takenIn(0, [one("1", 0, { deny: ALL }), one("9", 1, { deny: ALL })], holder), [], "an id of the other kind");
});

test("TR-081 a thread and a forum take other rights than a channel; what the server does not give is no affair of the channel's; an administrator may all", () => {
  const deny = [one("9", 0, { deny: SEND | IN_THREADS })];
  assert.deepEqual(takenIn(0, deny, holder), ["Send Messages", "Send Messages in Threads"]);
  for (const type of [10, 11, 12, 15]) assert.deepEqual(takenIn(type, deny, holder), ["Send Messages in Threads"]);
  assert.deepEqual(takenIn(0, deny, { ...holder, given: ALL & ~SEND }), ["Send Messages in Threads"]);
  assert.deepEqual(takenIn(0, deny, { ...holder, given: 1n << 3n }), []);
  assert.deepEqual(overwrites.parse([{ id: "9", type: 0, allow: "0", deny: "2048" }]), [one("9", 0, { deny: SEND })]);
  assert.equal(overwrites.safeParse([{ id: "9", type: 0, allow: "-1", deny: "x" }]).success, false);
});
