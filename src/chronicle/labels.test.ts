import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChronicleEvent } from "../vocabulary/event.ts";
import { parseCharacterId, parseMessageId, parseSurfaceName } from "../vocabulary/ids.ts";
import { SEALED, readersOf } from "../vocabulary/label.ts";
import { directPlace, publicPlace } from "../vocabulary/place.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";
import { labelsOfLine, labelsOfReply, withSoundLabels } from "./labels.ts";
import { judgeEvent } from "./visibility.ts";

const mirelle = parseCharacterId("mirelle");
const tobias = parseCharacterId("tobias");
const ann = parsePrincipalId("room:ann");
const ben = parsePrincipalId("room:ben");
const room = publicPlace(parseSurfaceName("parlour"));
const line = directPlace(parseSurfaceName("parlour"), mirelle, ann);

test("TR-030 SE-080 a public line is for its place, heard by the characters there", () => {
  assert.deepEqual(labelsOfLine({ author: ann, place: room, characters: [tobias, mirelle, tobias], ambient: false }), {
    witnesses: ["mirelle", "tobias"],
    audience: ["place:public:parlour"],
    influence: ["room:ann"],
  });
});

test("TR-030 a whisper to one of two characters is that one's and that person's alone", () => {
  assert.deepEqual(labelsOfLine({ author: ann, place: line, characters: [mirelle, tobias], ambient: false }), {
    witnesses: ["mirelle"],
    audience: ["person:room:ann"],
    influence: ["room:ann"],
  });
});

test("TR-004 TR-030 a suppressed line has no witness but keeps its readers", () => {
  const labels = labelsOfLine({ author: ann, place: room, characters: [mirelle], ambient: true });
  assert.deepEqual(labels, { witnesses: [], audience: ["place:public:parlour"], influence: ["room:ann"] });
});

test("SE-080 a reply carries the influence of all that was in its prompt, and its own card's", () => {
  assert.deepEqual(labelsOfReply({ character: mirelle, place: room, present: [tobias], influence: [ben, ann, ben] }), {
    witnesses: ["mirelle", "tobias"],
    audience: ["place:public:parlour"],
    influence: ["character:mirelle", "room:ann", "room:ben"],
  });
  const direct = labelsOfReply({ character: mirelle, place: line, present: [mirelle, tobias], influence: [ann] });
  assert.deepEqual([direct.witnesses, direct.audience], [["mirelle"], ["person:room:ann"]]);
});

const reader = readersOf(room);
const event: ChronicleEvent = {
  id: parseMessageId("m-0001"),
  place: room.id,
  seq: 1,
  atMs: 0,
  author: { kind: "person", principal: ann, name: "Ann" },
  text: "hello",
  action: "",
  state: "said",
  witnesses: [mirelle],
  audience: [reader],
  influence: [ann],
};

const BROKEN: readonly (readonly [what: string, labels: object])[] = [
  ["no witnesses", { witnesses: undefined }],
  ["no audience", { audience: undefined }],
  ["no influence", { influence: undefined }],
  ["witnesses as text", { witnesses: "mirelle" }],
  ["audience as text that contains the reader", { audience: "place:public:parlour anyone" }],
  ["a reader of no known kind", { audience: ["place:public:parlour", "everybody"] }],
  ["a reader with a blank", { audience: ["place:public:parlour", "place: x"] }],
  ["a number among readers", { audience: ["place:public:parlour", 1] }],
  ["a witness that is no character's name", { witnesses: ["mirelle", "Mirelle!"] }],
  ["null", { witnesses: null, audience: null }],
  ["a look-alike of a list", { audience: { includes: () => true, every: () => true } }],
];

for (const [what, labels] of BROKEN) {
  test(`TR-030 C22 labels with ${what} seal the event: no witness, operators`, () => {
    const broken: ChronicleEvent = { ...event, ...labels };
    const { witnesses, audience, influence } = withSoundLabels(broken);
    assert.deepEqual({ witnesses, audience, influence }, SEALED);
    assert.equal(judgeEvent(broken, mirelle, reader), "not_witnessed");
  });
}

test("TR-030 TR-042 an event is visible to a witness, for readers within its audience, once it was said", () => {
  assert.equal(withSoundLabels(event), event);
  assert.equal(judgeEvent(event, mirelle, reader), "visible");
  assert.equal(judgeEvent(event, tobias, reader), "not_witnessed");
  assert.equal(judgeEvent(event, mirelle, `person:${ann}`), "other_readers");
  assert.equal(judgeEvent(event, mirelle, readersOf(publicPlace(parseSurfaceName("parlour"), "thread"))), "other_readers");
  assert.equal(judgeEvent({ ...event, audience: ["operators"] }, mirelle, reader), "other_readers");
  assert.equal(judgeEvent({ ...event, audience: [] }, mirelle, reader), "other_readers");
  assert.equal(judgeEvent({ ...event, audience: ["anyone"] }, mirelle, reader), "visible");
  assert.equal(judgeEvent({ ...event, state: "pending" }, mirelle, reader), "pending");
  assert.equal(judgeEvent({ ...event, state: "unsaid" }, mirelle, reader), "unsaid");
});
