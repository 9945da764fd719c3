import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseCharacterId, parseSurfaceName } from "./ids.ts";
import type { Pause, PauseQuestion } from "./pause.ts";
import { pauseOver, pausesPlaceOf } from "./pause.ts";
import { publicPlace } from "./place.ts";
import { LOCAL_OWNER } from "./principal.ts";

const surfaces = ["parlour", "garden"].map(parseSurfaceName);
const characters = ["mirelle", "tobias"].map(parseCharacterId);
const places = surfaces.flatMap((surface) => [publicPlace(surface), publicPlace(surface, "thread")]);

test("TR-082 a pause holds for what it names and nothing else: a character, a surface or one place of it, both together, everything", () => {
  const named = fc.record({
    character: fc.constantFrom(null, ...characters),
    place: fc.constantFrom(null, ...surfaces, ...places.map(({ id }) => id)),
    untilMs: fc.constantFrom(null, 1, 2),
  });
  const asked = fc.record({ place: fc.constantFrom(...places), character: fc.constantFrom(...characters) });
  let held = 0;
  fc.assert(
    fc.property(fc.array(named, { maxLength: 4 }), asked, (pauses, { place, character }) => {
      const all = pauses.map((one): Pause => ({ ...one, by: LOCAL_OWNER, atMs: 0 }));
      const over = all.filter(
        (one) => [null, character].includes(one.character) && [null, place.surface, place.id].some((where) => where === one.place),
      );
      const found = pauseOver(all, { surface: place.surface, place: place.id, within: [], character });
      if (found !== null) held += 1;
      assert.equal(found !== null, over.length > 0);
      if (found === null) return;
      assert.ok(over.includes(found));
      assert.ok(
        over.every(({ untilMs }) => (untilMs ?? Infinity) <= (found.untilMs ?? Infinity)),
        "the one that lasts longest",
      );
    }),
  );
  assert.ok(held > 10, "the property saw pauses that hold");
});

test("TR-082 a pause of a place holds for all that lies in it, on its surface alone, and for nothing it lies in", () => {
  const [parlour, garden] = surfaces;
  const [mirelle] = characters;
  assert.ok(parlour !== undefined && garden !== undefined && mirelle !== undefined);
  const of = (place: Pause["place"]): Pause => ({ character: null, place, by: LOCAL_OWNER, atMs: 0, untilMs: null });
  const [channel, thread] = [publicPlace(parlour, "11"), publicPlace(parlour, "12")];
  const asked = (place: typeof channel, within: readonly string[], surface = parlour): PauseQuestion => {
    return { surface, place: place.id, within, character: mirelle };
  };
  const pauses = [of(channel.id)];
  assert.equal(pauseOver(pauses, asked(thread, ["12", "11", "9"])), pauses[0]);
  assert.equal(pauseOver(pauses, asked(publicPlace(garden, "12"), ["12", "11", "9"], garden)), null);
  assert.equal(pauseOver([of(thread.id)], asked(channel, ["11", "9"])), null);
  assert.deepEqual(
    [parlour, garden].map((surface) => pausesPlaceOf([of(null), of(garden), of(channel.id)], surface)),
    [true, false],
  );
});
