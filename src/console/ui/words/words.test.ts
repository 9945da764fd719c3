import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExplanationView, OperatorWhyView } from "../../../surfaces/room/protocol.ts";
import { SUPPRESS_REASONS } from "../../../vocabulary/inbound.ts";
import { CURES } from "./cures.ts";
import { outcomeWords } from "./outcome-words.ts";
import { roadOf } from "./road-stations.ts";
import { duration, stretch } from "./times.ts";

const PUBLIC = { kind: "public" } as const;

test("SE-094 a person reads one of the plain outcomes in words, and what would change it", () => {
  const scene = { place: PUBLIC, names: ["Mirelle"], isLive: true, optedOut: false };
  const words = (outcome: Parameters<typeof outcomeWords>[0]["outcome"], tookMs: number | null = null, hasWords = true): string => {
    const told = outcomeWords({ outcome, tookMs, words: hasWords }, scene);
    return [told.first, told.reason, told.cure].filter((text) => text !== "").join(" / ");
  };
  assert.equal(words("waiting"), "being answered");
  const lost = outcomeWords({ outcome: "waiting", tookMs: null, words: true }, { ...scene, isLive: false });
  assert.equal(lost.first, "was being answered", "nobody can know whether it still is");
  assert.equal(words("answered", 912), "answered, 0.9 s");
  assert.equal(words("answered", 912, false), "answered without words, 0.9 s");
  assert.equal(words("not_addressed"), "not answered / nobody was named. / It would be answered with a name in it (Mirelle).");
  assert.match(words("resting"), /^not answered \/ resting\./);
  assert.match(words("interrupted"), /^interrupted \//);
  assert.match(words("too_long"), /^not answered \/ it was too long\./);
  const unheard = (more: Partial<typeof scene>): string =>
    outcomeWords({ outcome: "not_addressed", tookMs: null, words: true }, { ...scene, ...more }).cure;
  assert.match(unheard({ names: ["Mirelle", "Tobias"] }), /\(Mirelle, Tobias\), or with one of them chosen under Answer by\.$/);
  assert.match(unheard({ optedOut: true }), /\/hear me/, "whoever asked not to be heard is told what they asked");
});

const ADMITTED: ExplanationView = {
  atMs: 1_800_000_000_000,
  surface: "parlour",
  place: "public:parlour",
  person: "room:m-02aa",
  character: "mirelle",
  admission: "admitted",
  reason: null,
  gate: "address",
  rule: "alias",
  key: "surfaces.parlour.admission",
  class: "talk",
  count: 1,
  state: "ended",
  end: "answered",
  endReason: null,
  attempts: 1,
  turn: {
    id: "t-1",
    startedAtMs: 1_800_000_000_912,
    endedAtMs: 1_800_000_002_762,
    voice: "responder",
    by: "local/qwen3-8b",
    firstTokenMs: 240,
    skipped: [{ by: "near/qwen3-8b", reason: "model_unreachable" }],
    usage: { promptTokens: 1_204, completionTokens: 58, costMicros: 100 },
    candidates: 1,
    packet: {
      id: "p-0f41",
      bytes: 3_412,
      segments: [],
      withheld: [{ class: "direct", count: 2 }],
    },
    gate: [],
  },
  parts: [{ id: "t-1.0", state: "delivered", reason: "", settledAtMs: 1_800_000_002_879 }],
};

function why(explanation: ExplanationView, tookMs: number | null = 2_879): OperatorWhyView {
  return { lineId: "m-8c27", outcome: "answered", tookMs, words: true, command: "troupe why m-8c27", explanation };
}

function roadText(explanation: ExplanationView): readonly string[] {
  return roadOf(why(explanation), () => "Mirelle").stations.map((station) =>
    `${station.name} [${station.state}] ${station.what.map((phrase) => phrase.text).join("")} ${station.time}`.trim(),
  );
}

test("SE-094 an operator reads the whole road: stations, rule, key, packet, cost", () => {
  const road = roadOf(why(ADMITTED), () => "Mirelle");
  assert.equal(`${road.summary} ${road.rest}`, "Admitted, and answered by Mirelle 2.88 s after it arrived.");
  assert.deepEqual(road.times, { waitMs: 912, voiceMs: 1_850, sendMs: 117 });
  assert.equal(road.cure, "");
  const text = roadText(ADMITTED);
  assert.deepEqual(text.slice(1), [
    "Admission [passed] admitted as talk. Gate address, rule alias, from surfaces.parlour.admission",
    "Lane [passed] waited for its turn 912 ms",
    "Turn [passed] t-1, packet p-0f41: 3,412 bytes, 2 withheld (2 direct)",
    "Voice [passed] responder local/qwen3-8b, instead of near/qwen3-8b (model unreachable), 1,204 in, 58 out, 0.0001, first word after 240 ms. 1 proposed, 0 applied 1.85 s",
    "Delivery [passed] 1 of 1 part delivered 117 ms",
  ]);
});

test("a message that got off early says where, and what would have led on", () => {
  const off: ExplanationView = {
    ...ADMITTED,
    admission: "suppressed",
    reason: "ambient",
    class: null,
    state: null,
    end: null,
    turn: null,
    parts: [],
  };
  const road = roadOf(why(off, null), () => "Mirelle");
  assert.equal(road.summary, "Not answered: ambient.");
  assert.deepEqual(
    road.stations.map((station) => `${station.name} ${station.state}`),
    ["Surface passed", "Admission stopped", "Lane to delivery not_reached"],
  );
  assert.match(road.cure, /name in it/);
});

test("an understudy is named as one, and a run after a restart is told", () => {
  const turn = ADMITTED.turn === null ? null : { ...ADMITTED.turn, by: "understudy" };
  const road = roadOf(why({ ...ADMITTED, attempts: 2, turn }), () => "Mirelle");
  assert.equal(road.summary, "Admitted, and answered by Mirelle’s understudy");
  assert.match(roadText({ ...ADMITTED, attempts: 2, turn }).join("\n"), /Run 2 times[^]*No model was called/);
});

test("a failed voice and an undelivered reply stop where they failed", () => {
  const failed = roadText({ ...ADMITTED, end: "failed", endReason: "model_unreachable", parts: [] });
  assert.match(failed[4] ?? "", /^Voice \[stopped\] failed: model_unreachable/);
  assert.equal(failed[5], "Delivery [not_reached] not reached");
  const undelivered = roadText({ ...ADMITTED, parts: [{ id: "t-1.0", state: "unknown", reason: "cut", settledAtMs: 1 }] });
  assert.match(undelivered[5] ?? "", /^Delivery \[stopped\] 0 of 1 part delivered, t-1\.0 unknown: cut/);
});

test("a message under way can be asked about again", () => {
  assert.equal(roadOf(why({ ...ADMITTED, state: "running", end: null, parts: [] }), () => "Mirelle").isOpen, true);
  assert.equal(roadOf(why(ADMITTED), () => "Mirelle").isOpen, false);
});

test("cures are written for reasons that exist", () => {
  const unknown = Object.keys(CURES).filter((reason) => !SUPPRESS_REASONS.some((each) => each === reason));
  assert.deepEqual(unknown, []);
  assert.ok(Object.keys(CURES).length > 5);
});

test("durations read as people say them", () => {
  assert.deepEqual([3, 912, 2_879, 125_000].map(duration), ["3 ms", "0.9 s", "2.9 s", "2 min 5 s"]);
  assert.deepEqual([4_900, 720_000, 11_520_000, 200_000_000].map(stretch), ["4 s", "12 min", "3 h 12 min", "2 days"]);
});
