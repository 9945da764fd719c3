import assert from "node:assert/strict";
import { test } from "node:test";
import { isRuntimeError } from "../../src/foundation/errors.ts";
import type { LinesAnswer } from "../../src/observe/lines-operation.ts";
import { lines } from "../../src/observe/lines-operation.ts";
import type { PacketsAnswer } from "../../src/observe/packets-operation.ts";
import { packets } from "../../src/observe/packets-operation.ts";
import type { PeopleAnswer, PersonEntry } from "../../src/observe/people-operation.ts";
import { people } from "../../src/observe/people-operation.ts";
import type { StatusAnswer } from "../../src/observe/status.ts";
import { status } from "../../src/observe/status.ts";
import { LOCAL_ACTOR } from "../../src/operations/local-actor.ts";
import type { Declared } from "../../src/operations/operation.ts";
import { ANN, MIRELLE, inboundLine } from "../../src/testing/road-fixtures.ts";
import { parseInviteId, parseSurfaceName } from "../../src/vocabulary/ids.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../src/vocabulary/principal.ts";
import type { ComposedHarness } from "./composed.ts";
import { openComposed } from "./composed.ts";

const YAML = `
characters:
  mirelle: { name: Mirelle, description: "Keeps the inn at the ferry." }
  tobias: { name: Tobias, description: "Runs the evening ferry." }
people: { operators: ["discord:177117296140091393"] }
surfaces:
  inn: { kind: room, port: 0, title: The Inn, characters: [mirelle, tobias] }
console: { port: 0 }
budgets: { replies_per_minute_per_room: 60, replies_per_minute_per_person: 20 }
`;
const BEN = parsePrincipalId("room:ben");
const OWNER_OF_DISCORD = "discord:177117296140091393";
const never = new AbortController().signal;
let deliveries = 0;

type Line = Parameters<typeof inboundLine>[0];

/** Say a line and give what was answered. */
async function say(one: ComposedHarness, line: Line): Promise<readonly string[]> {
  const before = one.surface.sent.length;
  await one.surface.inbox?.hear(inboundLine({ atMs: Date.now(), deliveryId: `o-${(deliveries += 1)}`, ...line }), never);
  await one.runtime.idle();
  return one.surface.sent.slice(before).map(({ body }) => body);
}

/** Run an operation as the owner does, and read its lines too: both are checked for their shape. */
async function run<Args, Result>(one: ComposedHarness, declared: Declared<Args, Result>, args: object = {}): Promise<Result> {
  const result = await one.runtime.operations.run(declared.name, args, LOCAL_ACTOR, never);
  assert.ok(one.runtime.operations.present(declared.name, result).lines.length > 0);
  return declared.parse(result);
}

const entryOf = ({ people: listed }: PeopleAnswer, id: string): PersonEntry =>
  listed.find((one) => one.id === id) ?? assert.fail(`${id} is not listed`);

test("SE-087 whoever came in by an invite is shown so in People, until when, and nobody else is", async () => {
  await using one = await openComposed(YAML);
  const atMs = Date.now();
  const { store } = one.runtime;
  const surface = parseSurfaceName("inn");
  const codeHash = "a".repeat(64);
  const invite = { id: parseInviteId("i-000000000001"), surface, name: "Kim", foldedName: "kim", codeHash, by: LOCAL_OWNER, atMs };
  await store.keepInvite({ ...invite, expiresAtMs: atMs + 3_600_000 });
  const kim = parsePrincipalId("room:m-kim");
  await store.redeemInvite({ surface, codeHash, claimHash: "b".repeat(64), member: kim, secretHash: "c".repeat(64), atMs });
  await say(one, { text: "Mirelle, good evening", person: kim, displayName: "Kim" });
  await say(one, { text: "Mirelle, good evening" });

  const listed = await run<object, PeopleAnswer>(one, people);
  assert.deepEqual(entryOf(listed, kim).invited, { id: invite.id, untilMs: atMs + 3_600_000 });
  assert.equal(entryOf(listed, kim).role, "guest");
  assert.equal(entryOf(listed, ANN).invited, null);
  const { lines } = one.runtime.operations.present(people.name, listed);
  assert.ok(lines.some(({ text }) => text.includes("guest, invited")));
});

test("TR-091 an operator's commands tell of people; private lines open only with a line in the audit", async () => {
  await using one = await openComposed(YAML);
  await say(one, { text: "nobody here is named" });
  await say(one, { text: "Mirelle, good evening" });
  await say(one, { text: "between us: the ledger is under the third stair", direct: MIRELLE });
  await say(one, { text: "Mirelle, what did Ann tell you?", person: BEN, displayName: "Ben" });

  const listed = await run<object, PeopleAnswer>(one, people);
  assert.deepEqual(
    listed.people.map(({ id, name, role }) => [id, name, role]),
    [
      ["local:owner", null, "operator"],
      [OWNER_OF_DISCORD, null, "operator"],
      [BEN, "Ben", "guest"],
      [ANN, "Ann", "guest"],
    ],
  );
  assert.deepEqual(listed.counts, { operator: 2, trusted: 0, guest: 2, blocked: 0 });
  const ann = entryOf(listed, ANN);
  assert.deepEqual([ann.heardToday, ann.repliesToday, ann.trustable, ann.opened], [3, 2, false, null]);
  assert.deepEqual(
    ann.privateLines.map(({ character }) => character),
    ["mirelle"],
  );
  assert.deepEqual(
    (await run<object, PeopleAnswer>(one, people, { find: "BE" })).people.map(({ id }) => id),
    [BEN],
  );

  const trusted = parsePrincipalId("discord:1");
  for (const person of [BEN, trusted]) {
    await one.runtime.store.setTrust({ person, role: "trusted", by: LOCAL_ACTOR.principal, atMs: 0 });
  }
  const afterTrust = await run<object, PeopleAnswer>(one, people);
  assert.deepEqual(
    [entryOf(afterTrust, BEN).role, entryOf(afterTrust, trusted).role],
    ["guest", "trusted"],
    "a room's member stays a guest",
  );

  await assert.rejects(run<object, LinesAnswer>(one, lines, { person: BEN }), (error) => isRuntimeError(error, "not_found"));
  const opened = await run<object, LinesAnswer>(one, lines, { person: ANN });
  assert.equal(opened.lines[0]?.text, "between us: the ledger is under the third stair");
  assert.deepEqual([opened.lines[1]?.by, opened.lines[1]?.name], ["character", "Mirelle"]);
  const paged = await run<object, LinesAnswer>(one, lines, { person: ANN, limit: 1 });
  assert.deepEqual([paged.lines.length, paged.more, paged.openedTimes], [1, true, 2]);
  const { read } = one.runtime.store;
  assert.deepEqual(
    read.audits(2).map(({ act, person, by, about }) => [act, person, by, about]),
    [
      ["read_lines", ANN, "local:owner", "mirelle"],
      ["read_lines", ANN, "local:owner", "mirelle"],
    ],
  );
  assert.equal(entryOf(await run<object, PeopleAnswer>(one, people), ANN).opened?.times, 2);
});

test("SE-094 an operator's commands tell of packets by counts", async () => {
  await using one = await openComposed(YAML);
  await say(one, { text: "nobody here is named" });
  await say(one, { text: "Mirelle, good evening" });
  await say(one, { text: "between us: the ledger is under the third stair", direct: MIRELLE });
  await say(one, { text: "Mirelle, what did Ann tell you?", person: BEN, displayName: "Ben" });

  const turns = await run<object, PacketsAnswer>(one, packets, { limit: 2 });
  assert.deepEqual(
    turns.packets.map(({ character, name, end, by, place }) => [character, name, end, by, place.split(":")[0]]),
    [
      ["mirelle", "Ben", "answered", "understudy", "public"],
      ["mirelle", "Ann", "answered", "understudy", "direct"],
    ],
  );
  assert.equal(turns.more, true);
  assert.ok((turns.packets[0]?.packet?.bytes ?? 0) > 100);
  const withheld = turns.packets[0]?.packet?.withheld.reduce((sum, { count }) => sum + count, 0) ?? 0;
  assert.ok(withheld > 0, "Ann's private line was withheld from what Ben is answered");
  const before = turns.packets[1]?.turn ?? "";
  assert.equal((await run<object, PacketsAnswer>(one, packets, { before })).packets.length, 1);
});

test("MC-098 status tells of surfaces, today's counts, the model and the disk", async () => {
  await using one = await openComposed(YAML);
  await say(one, { text: "nobody here is named" });
  await say(one, { text: "Mirelle, good evening" });
  const health = await run<object, StatusAnswer>(one, status);
  assert.deepEqual(
    health.surfaces.map(({ name, kind, state, title, admittedToday }) => [name, kind, state, title, admittedToday]),
    [
      ["inn", "room", "online", "The Inn", 0],
      ["terminal", "terminal", "online", "Terminal", 0],
      ["parlour", "memory", "online", "parlour", 1],
    ],
  );
  assert.deepEqual([health.today.admitted, health.today.suppressed, health.today.ends["answered"]], [1, 1, 1]);
  assert.equal(health.hosts[0]?.state, "standing_in");
  assert.ok(health.store.databaseBytes > 0 && health.store.commits > 3 && (health.store.commitP99Ms ?? -1) >= 0);
  assert.ok(health.memoryBytes > 1_000_000);
});

test("TR-082 a pause holds at once, is told in status, and resuming answers again", async () => {
  await using one = await openComposed(YAML);
  await one.runtime.operations.run("pause", { character: "mirelle", for: "1h" }, LOCAL_ACTOR, never);
  assert.deepEqual(await say(one, { text: "Mirelle, good evening" }), []);
  assert.equal((await run<object, StatusAnswer>(one, status)).paused[0]?.character, "mirelle");
  await one.runtime.operations.run("resume", { character: "mirelle" }, LOCAL_ACTOR, never);
  assert.notDeepEqual(await say(one, { text: "Mirelle, good evening" }), []);
});
