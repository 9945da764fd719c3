import assert from "node:assert/strict";
import { test } from "node:test";
import { isRuntimeError } from "../foundation/errors.ts";
import type { ChronicleEvent } from "../vocabulary/event.ts";
import { parseCharacterId, parseMessageId, parseSurfaceName } from "../vocabulary/ids.ts";
import { publicPlace } from "../vocabulary/place.ts";
import { LOCAL_OWNER } from "../vocabulary/principal.ts";
import { Elsewhere } from "./elsewhere.ts";
import { InFlight } from "./in-flight.ts";
import { newestFirst } from "./newest-first.ts";

const mirelle = parseCharacterId("mirelle");
const room = publicPlace(parseSurfaceName("parlour"));
const garden = publicPlace(parseSurfaceName("garden"));

function event(id: string, place = room): ChronicleEvent {
  const author = { kind: "person", principal: LOCAL_OWNER, name: "Ann" } as const;
  const labels = { witnesses: [mirelle], audience: ["anyone"], influence: [] } as const;
  return { id: parseMessageId(id), place: place.id, seq: 0, atMs: 0, author, text: "", action: "", state: "said", ...labels };
}

test("a full table of commits under way refuses the next and pushes nothing out", () => {
  const table = new InFlight({ events: 2, bytes: 1e6 });
  const first = table.hold(event("m-0001"));
  table.hold(event("m-0002", garden));
  assert.throws(
    () => table.hold(event("m-0003")),
    (error: unknown) => isRuntimeError(error, "capacity"),
  );
  assert.deepEqual(
    table.of(room.id).map(({ id }) => id),
    ["m-0001"],
  );
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  assert.equal(table.size, 1);
  table.hold(event("m-0004"));
  assert.deepEqual(
    table.of(room.id).map(({ id }) => id),
    ["m-0004"],
  );
});

test("MC-070 what people say fills so many bytes while it is being kept and no more; a character's line has room all the same", () => {
  const table = new InFlight({ events: 100, bytes: 3_000 });
  const said = (id: string): ChronicleEvent => ({ ...event(id), text: "é".repeat(500) });
  const first = table.hold(said("m-0001"));
  assert.throws(
    () => table.hold(said("m-0002")),
    (error: unknown) => isRuntimeError(error, "capacity"),
  );
  table.hold({ ...said("m-0003"), author: { kind: "character", character: mirelle } });
  table.hold(event("m-0004"));
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  table.hold(said("m-0005"));
  assert.throws(
    () => table.hold(said("m-0006")),
    (error: unknown) => isRuntimeError(error, "capacity"),
  );
});

test("the ring of what a character witnessed elsewhere is bounded, per character and in characters", () => {
  const ring = new Elsewhere({ perCharacter: 2, characters: 1 });
  for (const id of ["m-0001", "m-0002", "m-0003"]) ring.note(event(id, garden));
  assert.deepEqual(
    ring.besides(mirelle, room.id, 8).map(({ ref }) => ref),
    ["m-0002", "m-0003"],
  );
  assert.deepEqual(ring.besides(mirelle, garden.id, 8), []);
  ring.note({ ...event("m-0004", garden), witnesses: [parseCharacterId("tobias")] });
  assert.deepEqual(ring.besides(mirelle, room.id, 8), []);
});

test("a store that repeats its rows is a bug that is named, not an endless walk", () => {
  const row = { ...event("m-0001"), seq: 5 };
  const walk = newestFirst({ events: (_place, limit) => Array.from({ length: limit }, () => row) }, room.id, { rows: 2 });
  assert.throws(
    () => [...walk],
    (error: unknown) => isRuntimeError(error, "internal"),
  );
});
