import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../testing/manual-clock.ts";
import { ANN, MIRELLE, PARLOUR } from "../../testing/road-fixtures.ts";
import type { InboxRow } from "../../store/store.ts";
import { parseMessageId, parseSurfaceName } from "../../vocabulary/ids.ts";
import { directPlace, publicPlace } from "../../vocabulary/place.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import { BusyNotices } from "./busy-notices.ts";
import { createGathering } from "./gathering.ts";

const ROOM = { quietMs: 900, holdMs: 4_000, fragments: 8 };
const gathering = createGathering((surface) => (surface === PARLOUR ? ROOM : undefined));
const ID = parseMessageId("m-0001");

function line(changes: Partial<InboxRow> = {}, rest: { kept?: boolean; attempts?: number } = {}) {
  const row: InboxRow = {
    id: ID,
    kind: "message",
    class: "talk",
    character: MIRELLE,
    place: directPlace(PARLOUR, MIRELLE, ANN),
    person: ANN,
    atMs: 0,
    role: "guest",
    assurance: "platform",
    trigger: { id: ID, deliveryId: "d-1", text: "é", displayName: "Ann", atMs: 0 },
    ...changes,
  };
  return { row, kept: false, attempts: 0, ...rest };
}

test("TR-014 TR-050 only lines under one authority, of one surface and with equal attempts join; a resumed turn stands alone", () => {
  assert.equal(gathering.mayJoin(line(), line()), true);
  const others = [
    line({ role: "trusted" }),
    line({ assurance: "relayed" }),
    line({ place: directPlace(parseSurfaceName("garden"), MIRELLE, ANN) }),
    line({ kind: "resume", resumed: { state: "{}", answer: "yes" } }),
    line({}, { kept: true }),
    line({}, { attempts: 1 }),
  ];
  for (const other of others)
    for (const pair of [
      [line(), other],
      [other, line()],
    ] as const)
      assert.equal(gathering.mayJoin(...pair), false);
  assert.equal(gathering.bytes(line()), 2);
});

test("TR-050 a line is held as its surface says; one that an earlier process left, and one of a surface that is gone, is not", () => {
  assert.deepEqual(gathering.timing(line()), ROOM);
  assert.deepEqual(gathering.timing(line({}, { kept: true })), { quietMs: 0, holdMs: 0, fragments: 8 });
  const gone = line({ place: publicPlace(parseSurfaceName("garden")) });
  assert.deepEqual(gathering.timing(gone), { quietMs: 0, holdMs: 0, fragments: 1 });
});

test("MC-052 SE-090 a person is told once a minute, a crowd of free identities three times at once, and named people all the same", async () => {
  const clock = new ManualClock();
  const notices = new BusyNotices(clock);
  const place = publicPlace(PARLOUR);
  const told = (person: string, named = false) => notices.tryTake({ place, person: parsePrincipalId(`room:${person}`) }, named);
  assert.deepEqual([told("a"), told("a")], [true, false]);
  assert.deepEqual(Array.from({ length: 50 }, (_, at) => told(`g${at}`)).filter((each) => each).length, 2);
  assert.equal(told("named", true), true);
  await clock.advance(59_000);
  assert.equal(told("a"), false);
  await clock.advance(1_000);
  assert.equal(told("a"), true);
});
