import assert from "node:assert/strict";
import { test } from "node:test";
import { buildPacket } from "../characters/packet/build-packet.ts";
import { understudyAnswer } from "../models/understudy.ts";
import type { ChronicleEvent } from "../vocabulary/event.ts";
import { parseCharacterId, parseMessageId, parseSurfaceName } from "../vocabulary/ids.ts";
import { readersOf } from "../vocabulary/label.ts";
import type { Place } from "../vocabulary/place.ts";
import { directPlace, publicPlace } from "../vocabulary/place.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";
import { DEMO_CHARACTER, DEMO_GREETING, RECORDED_LEAKS, demoSteps, makeCanary, secretWith } from "./demo-script.ts";
import { visibleOf } from "./visible-of.ts";

const mirelle = parseCharacterId(DEMO_CHARACTER);
const surface = parseSurfaceName("parlour");
const ann = parsePrincipalId("room:ann");
const ben = parsePrincipalId("room:ben");
const NOW_MS = 1_800_000_000_000;

/** Ann's two lines, the second one whispered, with their own labels or as a history that everyone shares. */
function eventsFor(destination: Place, shared: boolean): readonly ChronicleEvent[] {
  const lines = [
    { place: publicPlace(surface), text: DEMO_GREETING, minutes: 2 },
    { place: directPlace(surface, mirelle, ann), text: secretWith("larkspur"), minutes: 1 },
  ];
  return lines.map(({ place, text, minutes }, at) => ({
    id: parseMessageId(`m-line${at}`),
    place: shared ? destination.id : place.id,
    seq: at + 1,
    kind: "line",
    author: { kind: "person", principal: ann, name: "Ann" },
    text,
    action: "",
    atMs: NOW_MS - minutes * 60_000,
    state: "said",
    witnesses: [mirelle],
    audience: [readersOf(shared ? destination : place)],
    influence: [ann],
  }));
}

function answerToBen(said: string, hidden: boolean, shared: boolean): string {
  const place = hidden ? directPlace(surface, mirelle, ben) : publicPlace(surface);
  const { system, prompt } = buildPacket({
    key: new Uint8Array(32),
    character: { id: mirelle, name: "Mirelle", aliases: [], description: "", private: "", greeting: "" },
    cast: new Map(),
    visible: visibleOf(mirelle, place, eventsFor(place, shared)).visible,
    observed: { id: parseMessageId("m-asked"), person: ben, name: "Ben", said, did: "", atMs: NOW_MS },
    place: { name: "parlour", people: hidden ? 1 : 2 },
    allowedLabels: ["speak", "silence"],
    contract: "plain",
    maxBytes: 32_000,
    maxOutputTokens: 300,
    nowMs: NOW_MS,
    withheld: [],
  });
  return understudyAnswer(system, prompt).text;
}

test("TR-030 what the demonstration shows as recorded is what the stand-in says when everyone shares one history, and never with labels", () => {
  assert.equal(RECORDED_LEAKS.length, 2);
  for (const { said, private: hidden, answered } of RECORDED_LEAKS) {
    assert.equal(answerToBen(said, hidden, true), answered);
    assert.ok(answered.includes("larkspur"));
    assert.ok(!answerToBen(said, hidden, false).includes("larkspur"));
  }
});

test("the recorded questions are lines of the scene, and the secret stands in one private line of Ann's alone", () => {
  const canary = makeCanary();
  const steps = demoSteps(canary);
  for (const { said, private: hidden } of RECORDED_LEAKS)
    assert.ok(steps.some((step) => step.person === "Ben" && step.said === said && step.private === hidden));
  const holding = steps.filter(({ said }) => said.includes(canary));
  assert.deepEqual(
    holding.map(({ key, person, private: hidden }) => [key, person, hidden]),
    [["whisper", "Ann", true]],
  );
  assert.notEqual(makeCanary(), canary);
});
