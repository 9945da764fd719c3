import assert from "node:assert/strict";
import { test } from "node:test";
import { isRuntimeError } from "../foundation/errors.ts";
import { silentLog } from "../foundation/log.ts";
import { LOCAL_ACTOR } from "../operations/local-actor.ts";
import type { DecisionRow, Explanation } from "../store/store.ts";
import { parseCharacterId, parseMessageId, parseSurfaceName, parseTurnId, partIdOf } from "../vocabulary/ids.ts";
import type { SuppressReason } from "../vocabulary/inbound.ts";
import { SUPPRESS_REASONS } from "../vocabulary/inbound.ts";
import type { OutcomeChange } from "../vocabulary/outcome.ts";
import { outcomeOfEnd, outcomeOfSuppression } from "../vocabulary/person-outcome.ts";
import { publicPlace } from "../vocabulary/place.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";
import { INBOX_ENDS } from "../vocabulary/turn.ts";
import { createOutcomes, outcomeOf } from "./outcomes.ts";
import { publishRoad } from "./road-outcomes.ts";
import { whyOf } from "./why.ts";
import type { WhyReader } from "./why-operation.ts";
import { bindWhy, renderWhy, why } from "./why-operation.ts";

const signal = new AbortController().signal;
const ANN = parsePrincipalId("room:ann");
const BEN = parsePrincipalId("room:ben");
const PARLOUR = parseSurfaceName("parlour");
const PLACE = publicPlace(PARLOUR);
const ID = parseMessageId("m-aaaa1111");
const TURN = parseTurnId("t-aaaa1111");

function decision(reason: SuppressReason | null): DecisionRow {
  return {
    id: ID,
    atMs: 1_800_000_000_000,
    surface: PARLOUR,
    place: PLACE.id,
    person: ANN,
    character: parseCharacterId("mirelle"),
    outcome: reason === null ? "admitted" : "suppressed",
    reason,
    gate: "admission",
    rule: "some_rule",
    key: "surfaces.parlour.admission",
    class: reason === null ? "talk" : null,
  };
}

function suppressed(reason: SuppressReason): Explanation {
  return {
    decision: decision(reason),
    count: 1,
    end: null,
    endReason: null,
    endedAtMs: null,
    inboxState: null,
    attempts: 0,
    turn: null,
    parts: [],
  };
}

function answered(): Explanation {
  const packet = {
    id: "p-1",
    bytes: 900,
    segments: [
      { kind: "card", count: 1, bytes: 300 },
      { kind: "conversation", count: 2, bytes: 300 },
    ],
    withheld: [{ class: "direct", count: 2 }],
  };
  const record = {
    voice: "responder" as const,
    by: "understudy",
    packet,
    usage: { promptTokens: 7, completionTokens: 3, costMicros: 1_500 },
    firstTokenMs: 12.4,
    candidates: 1,
  };
  const turn = {
    id: TURN,
    startedAtMs: 1_800_000_000_010,
    endedAtMs: 1_800_000_000_060,
    record,
    packet,
    gate: [{ code: "mention", count: 2 }],
  };
  const parts = [{ id: partIdOf(TURN, 0), state: "delivered" as const, reason: "", settledAtMs: 1_800_000_000_070 }];
  return {
    decision: decision(null),
    count: 1,
    end: "answered",
    endReason: "",
    endedAtMs: 1_800_000_000_060,
    inboxState: "ended",
    attempts: 2,
    turn,
    parts,
  };
}

function readerOf(explanations: readonly Explanation[]): WhyReader {
  const known = new Map(explanations.map((one) => [one.decision.id, one]));
  return {
    explain: (id) => known.get(id) ?? null,
    recentDecisions: (limit) => [...known.keys()].slice(0, limit),
    idsStartingWith: (prefix) => [...known.keys()].filter((id) => id.startsWith(prefix)).slice(0, 2),
    calls: { decisions: () => [] },
  };
}

test("SE-094 each suppress reason maps to one of the person's outcomes; blocked, untrusted and ambient look the same", () => {
  const table = Object.fromEntries(SUPPRESS_REASONS.map((reason) => [reason, outcomeOfSuppression(reason)]));
  assert.deepEqual(table, {
    self: "not_addressed",
    object: "not_addressed",
    system: "not_addressed",
    muted: "not_addressed",
    blocked: "not_addressed",
    typing: "not_addressed",
    group: "not_addressed",
    malformed: "not_addressed",
    oversized: "too_long",
    duplicate: "not_addressed",
    reflection: "not_addressed",
    ambient: "not_addressed",
    untrusted: "not_addressed",
    bot: "not_addressed",
    loop: "not_addressed",
    budget: "resting",
    overflow: "interrupted",
    silent_space: "not_addressed",
    stale: "interrupted",
    stopped: "resting",
  });
});

test("SE-094 the whole of what a blocked, an untrusted and an unaddressed person sees is equal", () => {
  const seen = (["blocked", "untrusted", "ambient"] as const).map((reason) => outcomeOf(suppressed(reason)));
  assert.deepEqual(seen[0], seen[1]);
  assert.deepEqual(seen[1], seen[2]);
  assert.deepEqual(Object.keys(seen[0] ?? {}).toSorted(), ["id", "outcome", "person", "place", "tookMs", "words"]);
});

test("SE-094 an end maps to an outcome, and a turn refused for a budget rests", () => {
  assert.deepEqual(
    INBOX_ENDS.map((end) => outcomeOfEnd(end, "")),
    ["answered", "answered", "interrupted", "interrupted", "interrupted", "interrupted", "interrupted"],
  );
  assert.equal(outcomeOfEnd("refused", "budget"), "resting");
  assert.equal(outcomeOfEnd(null, null), "waiting");
});

test("SE-094 missing and another person's message give one answer", () => {
  using outcomes = createOutcomes({ reader: readerOf([answered()]), capacity: 8, log: silentLog });
  assert.equal(outcomes.of(ID, ANN), "answered");
  assert.equal(outcomes.of(ID, BEN), null);
  assert.equal(outcomes.of(parseMessageId("m-zzzz9999"), BEN), null);
  assert.deepEqual(outcomes.change(ID, ANN), { id: ID, person: ANN, place: PLACE.id, outcome: "answered", tookMs: 70, words: true });
});

test("SE-094 outcomes reach each follower in order, a failing one hinders nobody, memory is bounded", () => {
  const failures: string[] = [];
  const log = { write: () => undefined, failure: (event: string) => void failures.push(event) };
  using outcomes = createOutcomes({ reader: readerOf([]), capacity: 2, log });
  const seen: string[] = [];
  using _broken = outcomes.subscribe(() => assert.fail("broken page"));
  const handle = outcomes.subscribe(({ id, outcome }) => void seen.push(`${id} ${outcome}`));
  const change = (id: string): OutcomeChange => ({
    id: parseMessageId(id),
    person: ANN,
    place: PLACE.id,
    outcome: "answered",
    tookMs: 5,
    words: true,
  });
  for (const id of ["m-0001", "m-0002", "m-0003"]) outcomes.publish(change(id));
  handle[Symbol.dispose]();
  outcomes.publish(change("m-0004"));
  assert.deepEqual(seen, ["m-0001 answered", "m-0002 answered", "m-0003 answered"]);
  assert.equal(failures.length, 4);
  assert.equal(outcomes.of(parseMessageId("m-0001"), ANN), null, "the oldest is forgotten, and the store has none");
  assert.equal(outcomes.of(parseMessageId("m-0004"), ANN), "answered");
});

test("SE-094 what the road tells becomes waiting, then one end", () => {
  using outcomes = createOutcomes({ reader: readerOf([]), capacity: 8, log: silentLog });
  const seen: OutcomeChange[] = [];
  using _following = outcomes.subscribe((change) => void seen.push(change));
  const road = publishRoad(outcomes);
  const row = {
    id: ID,
    kind: "message" as const,
    class: "talk" as const,
    atMs: 100,
    role: "guest" as const,
    assurance: "anonymous" as const,
    trigger: { id: ID, deliveryId: "d-1", text: "hello", displayName: "Ann", atMs: 100 },
    character: parseCharacterId("mirelle"),
    place: PLACE,
    person: ANN,
  };
  road.waiting(row);
  road.ended({ row, end: "silent", reason: "silence", words: false, endedAtMs: 150 });
  assert.deepEqual(
    seen.map(({ outcome, tookMs, words }) => [outcome, tookMs, words]),
    [
      ["waiting", null, false],
      ["answered", 50, false],
    ],
  );
});

test("TR-003 why names all seven stations with gate, rule, key, cost, segments and what was withheld", () => {
  const report = whyOf(answered());
  assert.deepEqual(
    report.stations.map(({ station, state }) => `${station} ${state}`),
    ["surface passed", "admission passed", "lane passed", "turn passed", "packet passed", "voice passed", "delivery passed"],
  );
  const lines = renderWhy(report).map(({ text }) => text);
  assert.ok(
    lines.every((line) => Array.from(line).length <= 80),
    "a terminal of 80 columns shows it without a break of its own",
  );
  const shown = lines.map((line) => line.trim()).join(" · ");
  for (const words of [
    "gate admission · rule some_rule · key surfaces.parlour.admission",
    "after a restart yes",
    "waited 10 ms",
    "segments 1 card (300 B), 2 conversation (300 B) · withheld since this start 2 · withheld by class 2 direct",
    "cost 0.001500 · candidates 1 proposed, 0 applied",
    "states t-aaaa1111.0 delivered · gate 2 mention",
    "nothing: it was answered",
  ])
    assert.ok(shown.includes(words), `${words}\nin\n${shown}`);
});

test("TR-003 a program reads lists and numbers where people read words", () => {
  const facts = Object.fromEntries(whyOf(answered()).stations.map((one) => [one.station, one.facts]));
  assert.deepEqual(facts["packet"], {
    packet: "p-1",
    bytes: 900,
    segments: [
      { kind: "card", count: 1, bytes: 300 },
      { kind: "conversation", count: 2, bytes: 300 },
    ],
    withheld_since_this_start: 2,
    withheld_by_class: [{ class: "direct", count: 2 }],
  });
  assert.deepEqual(facts["delivery"], {
    parts: 1,
    states: [{ part: "t-aaaa1111.0", state: "delivered" }],
    gate: [{ code: "mention", count: 2 }],
  });
  assert.deepEqual(why.parse(JSON.parse(JSON.stringify({ messages: [whyOf(answered())] }))).messages, [whyOf(answered())]);
});

test("A10 why of a line that was kept out names gate, rule, key and what would change it", () => {
  for (const reason of SUPPRESS_REASONS) {
    const report = whyOf(suppressed(reason));
    assert.deepEqual(
      report.stations.slice(1).map(({ state }) => state),
      ["stopped", "not_reached", "not_reached", "not_reached", "not_reached", "not_reached"],
    );
    assert.equal(report.stations[1]?.facts["key"], "surfaces.parlour.admission");
    assert.equal(report.stations[1]?.facts["reason"], reason);
    assert.ok(report.change.length > 10);
  }
  assert.match(whyOf(suppressed("untrusted")).change, /troupe trust PERSON, or set surfaces\.parlour\.admission wider/);
});

test("TR-003 why takes an id, a unique beginning or --last, and tells not found from not unique", async () => {
  const other = { ...answered(), decision: { ...decision(null), id: parseMessageId("m-aaaa2222") } };
  const operation = bindWhy(readerOf([answered(), other]));
  const context = { actor: LOCAL_ACTOR, signal };
  const ids = async (args: unknown): Promise<readonly string[]> =>
    why.parse(await operation.run(args, context)).messages.map(({ id }) => id);
  assert.deepEqual(await ids({ message: "m-aaaa1111" }), ["m-aaaa1111"]);
  assert.deepEqual(await ids({ message: "m-aaaa2" }), ["m-aaaa2222"]);
  assert.deepEqual(await ids({ last: 2 }), ["m-aaaa1111", "m-aaaa2222"]);
  assert.deepEqual(await ids({}), ["m-aaaa1111"]);
  await assert.rejects(ids({ message: "m-aaaa" }), (error) => isRuntimeError(error, "usage"));
  await assert.rejects(ids({ message: "m-none" }), (error) => isRuntimeError(error, "not_found"));
  await assert.rejects(ids({ message: "m-aaaa1", last: 1 }), (error) => isRuntimeError(error, "usage"));
});

test("SE-094 why is for the owner on a local line alone", () => {
  assert.deepEqual(why.who, { role: "operator", assurance: "local", where: "direct" });
});
