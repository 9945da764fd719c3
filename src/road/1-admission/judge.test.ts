import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MIRELLE, TOBIAS, inboundLine } from "../../testing/road-fixtures.ts";
import { withoutAlias } from "./addressed.ts";
import type { Circumstances, Judgment } from "./judge.ts";
import { judge } from "./judge.ts";

const BOTH = [
  { id: MIRELLE, aliases: ["mirelle", "miri"] },
  { id: TOBIAS, aliases: ["tobias", "Al"] },
];
const circumstances = (changes: Partial<Circumstances> = {}): Circumstances => ({
  role: "guest",
  mode: "addressed",
  present: BOTH,
  modeKey: "surfaces.parlour.admission",
  people: () => [],
  engagedWith: null,
  greeting: null,
  everyoneIsMention: false,
  bots: "ignore",
  botsKey: "surfaces.parlour.bots",
  isEcho: () => false,
  ...changes,
});
const outcome = (judgment: Judgment): string =>
  judgment.kind === "passed" ? `${judgment.to.character}:${judgment.rule}` : judgment.reason;
const said = (text: string, changes: Partial<Circumstances> = {}): string => outcome(judge(inboundLine({ text }), circumstances(changes)));

test("MC-023 admits a line that names a character, as a whole word, first name first", () => {
  assert.equal(said("good evening, Mirelle"), "mirelle:alias");
  assert.equal(said("MIRI?"), "mirelle:alias");
  assert.equal(said("Tobias, ask Mirelle"), "tobias:alias");
  assert.equal(said("@mirelle hello"), "mirelle:alias");
});

test("MC-024 lets ambient talk go no further", () => {
  assert.equal(said("what a fog tonight"), "ambient");
  assert.equal(said("Mirelles are birds"), "ambient");
});

test("cases A6 a short alias is no part of another word, and stripping leaves the text intact", () => {
  assert.equal(said("also, that is all"), "ambient");
  assert.equal(said("Al, hi"), "tobias:alias");
  assert.equal(withoutAlias("Al, hi also", ["Al"]), "hi also");
  assert.equal(withoutAlias("Also hi", ["Al"]), "Also hi");
});

test("cases A5 a name inside code speaks to nobody", () => {
  assert.equal(said("see `Mirelle` there"), "ambient");
  assert.equal(said("```\nMirelle\n```"), "ambient");
  assert.equal(said("`x` Mirelle"), "mirelle:alias");
});

test("MC-012 MC-013 MC-014 TR-023 stops what no person said, whatever it says", () => {
  for (const [kind, reason] of [
    ["self", "self"],
    ["object", "object"],
    ["system", "system"],
    ["bot", "bot"],
  ] as const) {
    assert.equal(outcome(judge(inboundLine({ kind }), circumstances())), reason);
  }
});

test("TR-020 a person alone with one character need not name it, and with several must", () => {
  const alone = inboundLine({ text: "hello there", alone: true });
  assert.equal(outcome(judge(alone, circumstances({ present: BOTH.slice(0, 1) }))), "mirelle:alone");
  assert.equal(outcome(judge(alone, circumstances())), "ambient");
  assert.equal(outcome(judge(inboundLine({ text: "hello there" }), circumstances({ present: BOTH.slice(0, 1) }))), "ambient");
});

test("TR-020 the composer says to whom a line goes, whoever is named in it", () => {
  assert.equal(outcome(judge(inboundLine({ text: "ask Mirelle", to: TOBIAS }), circumstances())), "tobias:composer");
  assert.equal(outcome(judge(inboundLine({ text: "hello", direct: MIRELLE }), circumstances())), "mirelle:direct_line");
  assert.equal(outcome(judge(inboundLine({ text: "hello", direct: MIRELLE }), circumstances({ present: [] }))), "ambient");
});

test("TR-020 a silent space admits nothing in public, a trusted one no guest", () => {
  assert.equal(said("Mirelle?", { mode: "silent" }), "silent_space");
  assert.equal(said("Mirelle?", { mode: "trusted" }), "untrusted");
  assert.equal(said("Mirelle?", { mode: "trusted", role: "trusted" }), "mirelle:alias");
  assert.equal(said("Mirelle?", { mode: "trusted", role: "operator" }), "mirelle:alias");
});

test("SE-094 a blocked person is stopped before anything else is looked at", () => {
  assert.equal(said("Mirelle?", { role: "blocked" }), "blocked");
  assert.equal(said("Mirelle?", { role: "blocked", mode: "silent" }), "blocked");
});

test("VS-001 TR-020 by the platform's marks alone: a mention, a person's reply, and @everyone only where that counts", () => {
  const marked = (line: Parameters<typeof inboundLine>[0], more: Partial<Circumstances> = {}): string =>
    outcome(judge(inboundLine(line), circumstances({ addressing: "platform", present: BOTH.slice(0, 1), ...more })));
  const mentions = { characters: [MIRELLE], others: false, everyone: false };
  assert.equal(marked({ text: "hello", mentions }), "mirelle:mention");
  assert.equal(marked({ text: "mirelle, hello" }), "ambient");
  assert.equal(marked({ text: "hello" }, { engagedWith: MIRELLE }), "ambient");
  assert.equal(
    marked({ text: "hi" }, { greeting: { words: ["hi"], maxCharacters: 32, radiusMetres: 20, whisperRadiusMetres: 10 } }),
    "ambient",
  );
  assert.equal(marked({ text: "and then?", replyTo: MIRELLE }), "mirelle:reply");
  assert.equal(marked({ text: "and then?", replyTo: MIRELLE, kind: "bot" }, { bots: "all" }), "ambient");
  const everyone = { characters: [], others: false, everyone: true };
  assert.equal(marked({ text: "@everyone up!", mentions: everyone }), "ambient");
  assert.equal(marked({ text: "@everyone up!", mentions: everyone }, { everyoneIsMention: true }), "mirelle:everyone");
});

test("VS-042 VS-001 VS-002 VS-004 VS-005 one pure rule over every kind of line: a trigger is a trusted person's private line or mention, and nothing else", () => {
  const roles = ["operator", "trusted", "guest", "blocked"] as const;
  const kinds = ["person", "bot", "self", "system", "object"] as const;
  const places = ["private", "server", "group"] as const;
  fc.assert(
    fc.property(
      fc.record({
        role: fc.constantFrom(...roles),
        kind: fc.constantFrom(...kinds),
        place: fc.constantFrom(...places),
        mentioned: fc.boolean(),
        words: fc.string(),
      }),
      ({ role, kind, place, mentioned, words }) => {
        const mentions = { characters: mentioned ? [MIRELLE] : [], others: false, everyone: false };
        const line = inboundLine({ text: `x${words}`, kind, mentions, ...(place === "private" ? { direct: MIRELLE } : {}) });
        const facts = circumstances({
          role,
          mode: "trusted",
          direct: { mode: "trusted", key: "dms" },
          addressing: "platform",
          present: BOTH.slice(0, 1),
        });
        const frozen = Object.freeze(structuredClone({ ...line }));
        const judged = judge(frozen, facts);
        const triggers = kind === "person" && (role === "operator" || role === "trusted") && (place === "private" || mentioned);
        assert.equal(judged.kind === "passed", triggers, outcome(judged));
        assert.deepEqual(judge(frozen, facts), judged, "the same again");
      },
    ),
    { numRuns: 400 },
  );
});

test("VS-003 TR-020 whoever a place allows is answered there beside trusted people; blocked wins, and private lines have rules of their own", () => {
  const line = (changes: Partial<Circumstances>, direct?: typeof MIRELLE): string =>
    outcome(
      judge(inboundLine({ text: "Mirelle?", ...(direct === undefined ? {} : { direct }) }), circumstances({ mode: "trusted", ...changes })),
    );
  assert.equal(line({}), "untrusted");
  assert.equal(line({ allowed: () => true }), "mirelle:alias");
  assert.equal(line({ allowed: () => true, role: "blocked" }), "blocked");
  assert.equal(line({ role: "trusted" }), "mirelle:alias");
  assert.equal(line({}, MIRELLE), "mirelle:direct_line");
  const key = "surfaces.town.dms";
  assert.equal(line({ direct: { mode: "trusted", key } }, MIRELLE), "untrusted");
  assert.equal(line({ direct: { mode: "trusted", key }, allowed: () => true }, MIRELLE), "mirelle:direct_line");
  assert.equal(line({ direct: { mode: "silent", key }, role: "operator" }, MIRELLE), "silent_space");
  assert.equal(line({ direct: { mode: "trusted", key }, allowed: () => true, role: "blocked" }, MIRELLE), "blocked");
});
