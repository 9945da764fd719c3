import assert from "node:assert/strict";
import { test } from "node:test";
import type { DemoKept, DemoObservations, DemoRoad } from "./demo-judge.ts";
import { answerTo, countOf, judgeDemo } from "./demo-judge.ts";
import { DEMO_GREETING, demoSteps } from "./demo-script.ts";

const CANARY = "larkspur00ff";
const ANSWERS: Readonly<Record<string, string>> = {
  told: `In front of everyone here, this is all that my packet has from Ann:\nAnn, just now: “${DEMO_GREETING}”`,
  say: "＠everyone free gold at [link]",
  back: `Between the two of us: “the word is ${CANARY}”`,
};

/** What a run sees in which everything holds. */
function sound(): DemoObservations {
  const steps = demoSteps(CANARY);
  const asks = steps.map(({ key, person, private: hidden }) => ({ key, person, private: hidden, message: `m-${key}` }));
  const roads = asks.map(({ key, message }): DemoRoad => ({
    message,
    outcome: "answered",
    end: "answered",
    runs: key === "slow" ? 2 : 1,
    turn: `t-${key}`,
    candidates: key === "order" ? "1 proposed, 0 applied" : "",
    gate: key === "say" ? "1 link, 1 mention" : "",
  }));
  const kept = asks.flatMap(({ key, person, private: hidden }): DemoKept[] => {
    const body = ANSWERS[key] ?? `answer to ${key}`;
    const readers = hidden ? [person] : (["Ann", "Ben"] as const);
    return readers.map((to) => ({ to, place: hidden ? "direct" : "public", line: `t-${key}`, body }));
  });
  const shown = kept.map(({ to, line, body }) => ({
    to,
    via: line === "t-slow" ? "stream 2" : "stream 1",
    line,
    part: `${line}.0`,
    index: 0,
    body,
  }));
  const received = { Ann: [`head\n${CANARY}`], Ben: ["head\nNothing. My packet holds 2 earlier lines."] };
  return { canary: CANARY, received, asks, roads, shown, kept, linkLost: true, roleOfBen: "guest", unended: 0 };
}

const roadsWith = (key: string, change: Partial<DemoRoad>): Partial<DemoObservations> => ({
  roads: sound().roads.map((road) => (road.message === `m-${key}` ? { ...road, ...change } : road)),
});
const keptWith = (change: (one: DemoKept) => DemoKept[]): Partial<DemoObservations> => ({ kept: sound().kept.flatMap(change) });
const receivedByBen = (...Ben: string[]): Partial<DemoObservations> => ({ received: { ...sound().received, Ben } });
const firstShown = (): DemoObservations["shown"][number] => sound().shown.find(({ line }) => line === "t-slow") ?? assert.fail();

/** A fault of the runtime as the demonstration would see it, and the sentence that must name it. */
const FAULTS: readonly (readonly [name: string, fault: Partial<DemoObservations>, sentence: RegExp])[] = [
  ["the word reached Ben", receivedByBen(`x${CANARY}y`), /^leak: the word/],
  ["the word reached Ben in other letters", receivedByBen(`LARKSPUR00FF`), /^leak: the word/],
  ["the word reached Ben in pieces", receivedByBen(`lark\u200bspur 00-ff`), /^leak: the word/],
  ["nothing reached Ben", receivedByBen(""), /nothing reached Ben/],
  [
    "Ann's private answer stands on Ben's page",
    { kept: [...sound().kept, { to: "Ben", place: "direct", line: "t-whisper", body: "Noted." }] },
    /^leak: Ben got the answer to Ann's private line "whisper"/,
  ],
  [
    "Ben's page was sent Ann's private answer and lost it again",
    { shown: [...sound().shown, { ...firstShown(), to: "Ben", line: "t-back", part: "t-back.0" }] },
    /^leak: Ben got the answer to Ann's private line "back"/,
  ],
  [
    "Ann did not get her secret back",
    keptWith((one) => [one.line === "t-back" ? { ...one, body: "Nothing." } : one]),
    /^no positive control: Ann/,
  ],
  [
    "the gossip told Ben nothing at all",
    keptWith((one) => [one.line === "t-told" ? { ...one, body: "Nothing." } : one]),
    /^no positive control: Ben/,
  ],
  [
    "the answer is lost for one reader",
    keptWith((one) => (one.line === "t-slow" && one.to === "Ben" ? [] : [one])),
    /^lost: Ben has no answer to "slow"/,
  ],
  ["a message is not known", { roads: sound().roads.slice(1) }, /^lost: nothing is known of the line "hello"/],
  ["a message was kept twice", { roads: [...sound().roads, ...sound().roads.slice(0, 1)] }, /"hello" was kept 2 times/],
  ["a message was interrupted", roadsWith("slow", { outcome: "interrupted", end: "interrupted" }), /"slow" did not end as answered/],
  ["a message is still open", { unended: 1 }, /^1 messages have not ended/],
  [
    "an answer stands twice on a page",
    keptWith((one) => (one.line === "t-slow" ? [one, one] : [one])),
    /^twice: Ann has 2 copies of the answer to "slow"/,
  ],
  [
    "an answer stands in public",
    keptWith((one) => [one.line === "t-back" ? { ...one, place: "public" } : one]),
    /"back" stands in the wrong place/,
  ],
  ["a part came twice", { shown: [...sound().shown, firstShown()] }, /^twice: Ann got a part two times/],
  [
    "a piece came under two ids",
    { shown: [...sound().shown, { ...firstShown(), part: "t-slow.9" }] },
    /^twice: Ann got one piece of a line under two ids/,
  ],
  [
    "a part came again with other words",
    { shown: [...sound().shown, { ...firstShown(), via: "stream 3", body: "other" }] },
    /^a part changed/,
  ],
  [
    "the answer was said once in each life",
    { kept: [...sound().kept, { to: "Ann", place: "public", line: "t-other", body: "answer to slow" }] },
    /^twice: a line was said that answers none/,
  ],
  ["two messages share an answer", roadsWith("hello", { turn: "t-told" }), /^two messages have one answer/],
  ["the order was applied", roadsWith("order", { candidates: "1 proposed, 1 applied" }), /^the order was not kept as one wish/],
  ["Ben became an operator", { roleOfBen: "operator" }, /^Ben is more than a guest/],
  [
    "a mention got out",
    keptWith((one) => [one.line === "t-say" ? { ...one, body: "@everyone free gold at [link]" } : one]),
    /^the line said for Ann was not neutralised/,
  ],
  [
    "a link got out",
    keptWith((one) => [one.line === "t-say" ? { ...one, body: "＠everyone free gold at http://evil.example" } : one]),
    /^the line said for Ann was not neutralised/,
  ],
  ["the gate noted nothing", roadsWith("say", { gate: "" }), /^the gate did not note/],
  ["no page lost its link", { linkLost: false }, /^the pages did not lose their connection/],
  ["the long answer ran once", roadsWith("slow", { runs: 1 }), /"slow" ran 1 times instead of 2/],
  ["another answer ran twice", roadsWith("told", { runs: 2 }), /"told" ran 2 times instead of 1/],
];

test("TR-042 the demonstration's judge passes a run in which everything holds", () => {
  assert.deepEqual(judgeDemo(sound()), []);
  assert.equal(answerTo(sound(), "back", "Ann"), ANSWERS["back"]);
  assert.equal(answerTo(sound(), "back", "Ben"), null);
});

for (const [name, fault, sentence] of FAULTS) {
  test(`TR-042 the demonstration fails when ${name}`, () => {
    const failures = judgeDemo({ ...sound(), ...fault });
    assert.ok(
      failures.some((failure) => sentence.test(failure)),
      `${failures.join("; ")} does not name it`,
    );
    assert.ok(!failures.join().includes(CANARY), "a failure holds the secret");
  });
}

test("a word is counted as often as it stands there, over all that was received", () => {
  assert.equal(countOf(CANARY, [`${CANARY} and ${CANARY}`, "none", CANARY.toUpperCase()]), 3);
  assert.equal(countOf(CANARY, ["larkspur", "00ff"]), 0);
});
