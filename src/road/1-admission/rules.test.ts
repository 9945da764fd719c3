import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../testing/manual-clock.ts";
import { MIRELLE, ANN, PARLOUR } from "../../testing/road-fixtures.ts";
import { directPlace, publicPlace } from "../../vocabulary/place.ts";
import { classOf } from "./message-class.ts";
import type { ClassFacts } from "./message-class.ts";
import { publicCommandRule } from "./owner-commands.ts";
import { Reflections } from "./reflections.ts";
import { isStale } from "./stale.ts";

test("TR-007 talk, command, answer and control", () => {
  const question = { askedAtMs: 5 };
  const facts: ClassFacts = {
    role: "guest",
    direct: true,
    atMs: 10,
    isCommand: (text) => text === "/about",
    questions: () => [question],
    isControl: (text) => /^stop/i.test(text),
  };
  assert.equal(classOf("good evening", facts), "talk");
  assert.equal(classOf("/about", facts), "command");
  assert.equal(classOf("YES!", facts), "answer");
  assert.equal(classOf("yes please", facts), "talk");
  assert.equal(classOf("maybe", facts), "talk");
  assert.equal(classOf("Nein; nimm Hafermilch", facts), "answer");
  assert.equal(classOf("no milk; please", facts), "talk");
  assert.equal(classOf("yes; but hurry", facts), "talk", "a yes with words may be a yes to something else");
  assert.equal(classOf("yes", { ...facts, questions: () => [question, question] }), "talk", "nobody can tell which one is meant");
  assert.equal(classOf("yes", { ...facts, atMs: 4 }), "talk", "typed before it was asked");
  assert.equal(classOf("stop", facts), "talk", "control is an operator's");
  assert.equal(classOf("Stop.", { ...facts, role: "operator" }), "control");
  assert.equal(classOf("stop", { ...facts, role: "operator", isControl: () => false }), "talk");
  const operator = { ...facts, role: "operator", questions: () => [] } as const;
  assert.equal(classOf("allow 7", operator), "answer", "with its number an answer says which question it means");
  assert.equal(classOf("allow 7", { ...operator, direct: false }), "talk");
  assert.equal(classOf("allow 7", { ...operator, role: "trusted" }), "talk");
  for (const talk of ["allow", "allow it", "allow 7 please", "please allow 7", "deny 7 session", "allow 07"])
    assert.equal(classOf(talk, operator), "talk", talk);
});

test("TR-021 an owner's command in public: denied on a grid and in a room, on Discord only list and configuration, sensitive answers to the own line", () => {
  const command = { surface: "discord", group: "list", byOwner: true, sensitive: false } as const;
  assert.deepEqual(publicCommandRule(command), { kind: "run", answerTo: "place" });
  assert.deepEqual(publicCommandRule({ ...command, group: "config", sensitive: true }), { kind: "run", answerTo: "direct" });
  for (const denied of [{ surface: "grid" }, { surface: "room" }, { group: "other" }, { byOwner: false }] as const) {
    assert.deepEqual(publicCommandRule({ ...command, ...denied }), { kind: "denied" });
  }
});

test("TR-044 a line older than ten minutes when it is heard is stale, and clocks may differ by two", () => {
  const nowMs = 1_800_000_000_000;
  for (const [ageMs, stale] of [
    [0, false],
    [-3_600_000, false],
    [12 * 60_000, false],
    [12 * 60_000 + 1, true],
  ] as const) {
    assert.equal(isStale({ saidAtMs: nowMs - ageMs }, nowMs), stale, String(ageMs));
  }
  assert.equal(isStale({}, nowMs), false, "heard at once");
});

test("MC-021 TR-052 reflections: 256 texts for each surface, in their place, whatever marks and case they come back in", async () => {
  const clock = new ManualClock();
  const said = new Reflections(clock);
  const place = publicPlace(PARLOUR);
  said.remember(place, "The ferry leaves at nine.");
  assert.equal(said.isEcho(place, "*the FERRY leaves at nine*", "person"), true);
  assert.equal(said.isEcho(place, "The ferry leaves at ten.", "person"), false);
  assert.equal(said.isEcho(directPlace(PARLOUR, MIRELLE, ANN), "The ferry leaves at nine.", "person"), false);
  said.remember(place, "Yes.");
  assert.equal(said.isEcho(place, "yes", "person"), false, "people say that too");
  assert.equal(said.isEcho(place, "yes", "bot"), true);
  said.remember(place, "🙂🙂");
  assert.equal(said.isEcho(place, "🙂🙂", "self"), true);
  for (let at = 0; at < 300; at += 1) said.remember(place, `number ${at}`);
  assert.equal(said.sizeOf(PARLOUR), 256);
  assert.equal(said.isEcho(place, "The ferry leaves at nine.", "person"), false);
  await clock.advance(60_001);
  assert.equal(said.isEcho(place, "number 299", "bot"), false, "a minute later");
});
