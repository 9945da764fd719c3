import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCharacterId, parseSurfaceName } from "./ids.ts";
import type { Place } from "./place.ts";
import { directPlace, publicPlace } from "./place.ts";
import { parsePrincipalId } from "./principal.ts";

const [parlour, garden] = [parseSurfaceName("parlour"), parseSurfaceName("garden")];
const [mirelle, tobias] = [parseCharacterId("mirelle"), parseCharacterId("tobias")];
const [ann, ben] = [parsePrincipalId("room:ann"), parsePrincipalId("room:ben")];

test("MC-066 a place is public or direct; a group line does not compile", () => {
  const kinds: Readonly<Record<Place["kind"], true>> = { public: true, direct: true };
  assert.deepEqual(Object.keys(kinds), ["public", "direct"]);
  // @ts-expect-error there is no third kind of place
  const group: Place = { kind: "group", id: "group:1", surface: parlour };
  assert.ok(group);
});

test("TR-030 places are told apart by surface, channel, character and person, and by nothing else", () => {
  const places = [
    publicPlace(parlour),
    publicPlace(garden),
    publicPlace(parlour, "hall"),
    directPlace(parlour, mirelle, ann),
    directPlace(parlour, mirelle, ben),
    directPlace(parlour, tobias, ann),
  ];
  assert.equal(new Set(places.map(({ id }) => id)).size, places.length);
  assert.equal(directPlace(garden, mirelle, ann).id, directPlace(parlour, mirelle, ann).id, "one line, from whichever surface");
});
