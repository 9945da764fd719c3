import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
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
import { WORLD_CHARACTERS, worldPairs } from "../../src/testing/worlds.ts";
import type { WorldPair } from "../../src/testing/worlds.ts";
import type { Filter } from "./played-worlds.ts";
import { WORLD_ROOMS, openWorldPlayer } from "./played-worlds.ts";

/** Worlds to play, two a pair; all of them with `TROUPE_TEST_DEPTH=all`. The seed is printed. */
const WORLDS = process.env["TROUPE_TEST_DEPTH"] === "all" ? 10_000 : 400;
const SEED = Number(process.env["TROUPE_TEST_SEED"] ?? randomInt(1, 2 ** 31));

interface Counted {
  pairs: number;
  differed: number;
  leaked: number;
  toldItsOwner: number;
  /** Last lines for which no model was asked: the packet was stopped. */
  stopped: number;
}

/** Play pairs of worlds and count: requests that differ, hidden words that got through, secrets that were told to their owner. */
async function playPairs(pairs: readonly WorldPair[], filter: Filter | null): Promise<Counted> {
  const counted: Counted = { pairs: 0, differed: 0, leaked: 0, toldItsOwner: 0, stopped: 0 };
  await using player = await openWorldPlayer(filter);
  for (const { first, second, hiddenWords, visibleWords } of pairs) {
    const [one, two] = [await player.play(first), await player.play(second)];
    counted.pairs += 1;
    if (one.request === "" || two.request === "") counted.stopped += 1;
    if (one.request !== two.request || one.said !== two.said) counted.differed += 1;
    if (hiddenWords.some((word) => one.request.includes(word) || two.request.includes(word))) counted.leaked += 1;
    if (first.ask.place.kind === "direct" && visibleWords.some((word) => one.said.includes(word))) counted.toldItsOwner += 1;
  }
  return counted;
}

test("TR-030 SE-080 through the real write path, worlds that differ in what the readers may not see give the same request and the same words", async (t) => {
  t.diagnostic(`TROUPE_TEST_SEED=${SEED}`);
  const counted = await playPairs(fc.sample(worldPairs({ playable: true }), { numRuns: WORLDS / 2, seed: SEED }), null);
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
  const counted = await playPairs(fc.sample(worldPairs({ playable: true }), { numRuns: 60, seed: 11 }), foldThenFilter);
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
  const counted = await playPairs(fc.sample(worldPairs({ playable: true }), { numRuns: 60, seed: 13 }), oneIndex);
  assert.ok(counted.differed > 0 && counted.leaked === 0, "no word leaks, and the bytes still differ");
});

test("TR-030 one sequence over all that is stored is caught by the same worlds when its numbers are shown", async () => {
  const oneSequence: Filter =
    (read) =>
    (character, destination, { exclude }) => {
      const numbered = everything(read, PEOPLE).map((event, at) => ({ ...event, text: `${at + 1}. ${event.text}` }));
      return { visible: mintVisible(character, destination, readable(numbered, { character, destination, exclude })), withheld: [] };
    };
  const counted = await playPairs(fc.sample(worldPairs({ playable: true }), { numRuns: 60, seed: 14 }), oneSequence);
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
  const counted = await playPairs(fc.sample(worldPairs({ playable: true }), { numRuns: 60, seed: 12 }), noFilter(true));
  assert.ok(counted.leaked > 0 && counted.differed > 0);
});

test("SE-093 what such a filter lets through reaches no model: the finished packet is looked at once more, and its voice stopped", async () => {
  const counted = await playPairs(fc.sample(worldPairs({ playable: true }), { numRuns: 60, seed: 12 }), noFilter(false));
  assert.ok(counted.stopped > 0);
  assert.equal(counted.leaked, 0);
});
