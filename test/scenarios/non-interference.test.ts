import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import type { StoreReader } from "../../src/store/store.ts";
import { PARLOUR } from "../../src/testing/road-fixtures.ts";
import type { ChronicleEvent } from "../../src/vocabulary/event.ts";
import type { CharacterId } from "../../src/vocabulary/ids.ts";
import type { Place } from "../../src/vocabulary/place.ts";
import { directPlace, publicPlace } from "../../src/vocabulary/place.ts";
import type { PrincipalId } from "../../src/vocabulary/principal.ts";
import { parsePrincipalId } from "../../src/vocabulary/principal.ts";
import { mayRead, readersOf } from "../../src/vocabulary/label.ts";
import { mintVisible } from "../../src/vocabulary/visible.ts";
import { WORLD_CHARACTERS } from "../../src/testing/worlds.ts";
import type { Filter } from "./played-worlds.ts";
import { WORLD_ROOMS } from "./played-worlds.ts";
import type { Counted } from "./world-count.ts";
import { pairsOf, playPairs } from "./world-count.ts";

/** Worlds to play, two a pair; all of them with `TROUPE_TEST_DEPTH=all`. The seed is printed. */
const WORLDS = process.env["TROUPE_TEST_DEPTH"] === "all" ? 10_000 : 400;
const SEED = Number(process.env["TROUPE_TEST_SEED"] ?? randomInt(1, 2 ** 31));

/** Play pairs in a thread of their own. */
async function playApart(pairs: number, seed: number): Promise<Counted> {
  const thread = new Worker(new URL("./world-count.ts", import.meta.url), { workerData: { pairs, seed } });
  const [counted]: unknown[] = await once(thread, "message");
  await thread.terminate();
  return counted as Counted;
}

test("TR-030 SE-080 through the real write path, worlds that differ in what the readers may not see give the same request and the same words", async (t) => {
  t.diagnostic(`TROUPE_TEST_SEED=${SEED}`);
  const counted = await playApart(WORLDS / 2, SEED);
  t.diagnostic(`${counted.pairs * 2} worlds, ${counted.toldItsOwner} secrets told back to their owner`);
  assert.deepEqual({ ...counted, toldItsOwner: 0 }, { pairs: WORLDS / 2, differed: 0, leaked: 0, toldItsOwner: 0, stopped: 0 });
  assert.ok(counted.toldItsOwner > WORLDS / 100, "the understudy tells what it knows, so the walls were what held");
});

/** Folds first: the newest five of everything in the place, and only then what may be read. */
const foldThenFilter: Filter =
  (read) =>
  (character, destination, { exclude }) => {
    const newest = read.events(destination.id, 5);
    const allowed = newest.filter(
      (event) =>
        event.id !== exclude &&
        event.state === "said" &&
        event.witnesses.includes(character) &&
        mayRead(event.audience, readersOf(destination)),
    );
    return { visible: mintVisible(character, destination, allowed), withheld: [] };
  };

test("TR-030 a filter that folds first is caught by the same worlds", async () => {
  const counted = await playPairs(pairsOf(60, 11), foldThenFilter);
  assert.ok(counted.differed > 0);
});

/** What may be read of a list of events, as the real filter judges it. */
function readable(
  events: readonly ChronicleEvent[],
  { character, destination, exclude }: { character: CharacterId; destination: Place; exclude?: string | undefined },
): readonly ChronicleEvent[] {
  return events.filter(
    (event) =>
      event.id !== exclude &&
      event.place === destination.id &&
      event.state === "said" &&
      event.witnesses.includes(character) &&
      mayRead(event.audience, readersOf(destination)),
  );
}

/** Everything that is stored, of all places and people, oldest first. */
function everything(read: StoreReader, people: readonly PrincipalId[]): readonly ChronicleEvent[] {
  const direct = WORLD_CHARACTERS.flatMap((character) => people.map((person) => directPlace(PARLOUR, character, person)));
  return [...WORLD_ROOMS.map((room) => publicPlace(room)), ...direct]
    .flatMap(({ id }) => read.events(id, 100))
    .toSorted((a, b) => a.atMs - b.atMs);
}

const PEOPLE = Array.from({ length: 5 }, (_, index) => parsePrincipalId(`room:person-${index}`));

test("TR-030 one index over all that is stored is caught by the same worlds: its newest entries, and only then what may be read", async () => {
  const oneIndex: Filter =
    (read) =>
    (character, destination, { exclude }) => {
      const newest = everything(read, PEOPLE).slice(-6);
      return { visible: mintVisible(character, destination, readable(newest, { character, destination, exclude })), withheld: [] };
    };
  const counted = await playPairs(pairsOf(60, 13), oneIndex);
  assert.ok(counted.differed > 0 && counted.leaked === 0, "no word leaks, and the bytes still differ");
});

test("TR-030 one sequence over all that is stored is caught by the same worlds when its numbers are shown", async () => {
  const oneSequence: Filter =
    (read) =>
    (character, destination, { exclude }) => {
      const numbered = everything(read, PEOPLE).map((event, at) => ({ ...event, text: `${at + 1}. ${event.text}` }));
      return { visible: mintVisible(character, destination, readable(numbered, { character, destination, exclude })), withheld: [] };
    };
  const counted = await playPairs(pairsOf(60, 14), oneSequence);
  assert.ok(counted.differed > 0 && counted.leaked === 0, "no word leaks, and the bytes still differ");
});

/** Forgets who heard it: everything of the place, with its labels as they are, or made to look right. */
const noFilter =
  (disguised: boolean): Filter =>
  (read) =>
  (character, destination, { limit, exclude }) => {
    const events = read.events(destination.id, limit).filter((event) => event.id !== exclude);
    const right = { witnesses: [character], audience: [readersOf(destination)] };
    return {
      visible: mintVisible(character, destination, disguised ? events.map((event) => ({ ...event, ...right })) : events),
      withheld: [],
    };
  };

test("TR-030 a filter that forgets who heard it is caught by the same worlds", async () => {
  const counted = await playPairs(pairsOf(60, 12), noFilter(true));
  assert.ok(counted.leaked > 0 && counted.differed > 0);
});

test("SE-093 what such a filter lets through reaches no model: the finished packet is looked at once more, and its voice stopped", async () => {
  const counted = await playPairs(pairsOf(60, 12), noFilter(false));
  assert.ok(counted.stopped > 0);
  assert.equal(counted.leaked, 0);
});
