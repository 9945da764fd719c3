import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MIRELLE, TOBIAS, inboundLine } from "../../testing/road-fixtures.ts";
import type { InboundEvent } from "../../vocabulary/inbound.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import type { Hearing } from "./addressed.ts";
import { addressedBy, withoutAlias } from "./addressed.ts";
import { STANDARD_GREETING } from "./greeting.ts";
import { commandWords, ownWords } from "./own-words.ts";

const HEARING: Hearing = {
  present: [
    { id: MIRELLE, aliases: ["Mirelle", "Mary-Ann"] },
    { id: TOBIAS, aliases: ["Tobias", "Al"] },
  ],
  people: () => ["Ann", "Bob Resident"],
  engagedWith: null,
  greeting: STANDARD_GREETING,
  everyoneIsMention: false,
};
const by = (line: Partial<InboundEvent>, hearing: Partial<Hearing> = {}): string => {
  const to = addressedBy(inboundLine(line), { ...HEARING, ...hearing });
  return to === null ? "nobody" : `${to.character} ${to.rule}`;
};

test("TR-051 a brief greeting from nearby needs no name; a long, a far, a whispered far one and a place without distances do", () => {
  assert.equal(by({ text: "Hello there!", distanceMetres: 20 }), "mirelle greeting");
  assert.equal(by({ text: "guten Abend zusammen", distanceMetres: 3 }), "mirelle greeting");
  assert.equal(by({ text: "Hello there!", distanceMetres: 20.1 }), "nobody");
  assert.equal(by({ text: "Hello there!", distanceMetres: 10.1, whisper: true }), "nobody");
  assert.equal(by({ text: "Hello there!", distanceMetres: 10, whisper: true }), "mirelle greeting");
  assert.equal(by({ text: `hello ${"x".repeat(26)}`, distanceMetres: 1 }), "mirelle greeting");
  assert.equal(by({ text: `hello ${"x".repeat(27)}`, distanceMetres: 1 }), "nobody");
  assert.equal(by({ text: "Hello there!" }), "nobody", "the room has no distance");
  assert.equal(by({ text: "hit the drum", distanceMetres: 1 }), "nobody", "no part of a word");
  assert.equal(by({ text: "Hello there!", distanceMetres: Number.NaN }), "nobody");
  assert.equal(by({ text: "hi Bob", distanceMetres: 1 }), "nobody", "it greets somebody else");
});

test("cases A9 in conversation, alone or greeting: a line that calls somebody else is not for the character", () => {
  const engaged = { engagedWith: TOBIAS };
  assert.equal(by({ text: "and then?" }, engaged), "tobias engaged");
  const elsewhere = ["@Bob can you row?", "Bob, come here", "bob: yes", "Bob can you row?", "hey Bob", "come here, Bob!", "@stranger hi"];
  for (const text of elsewhere) {
    assert.equal(by({ text }, engaged), "nobody", text);
    for (const alone of [true, false]) assert.equal(by({ text, alone }, { present: HEARING.present.slice(0, 1) }), "nobody", text);
  }
  assert.equal(by({ text: "Bob is late again" }, engaged), "tobias engaged", "it tells of Bob");
  assert.equal(by({ text: "Bobby, and then?" }, engaged), "tobias engaged");
  assert.equal(by({ text: "yes", mentions: { characters: [], others: true, everyone: false } }, engaged), "nobody");
  assert.equal(by({ text: "yes", replyTo: parsePrincipalId("discord:77") }, engaged), "nobody");
  assert.equal(by({ text: "Mirelle, tell Bob" }, engaged), "mirelle alias", "a name comes before a conversation");
});

test("cases A7 @everyone calls nobody, unless the space says so", () => {
  assert.equal(by({ text: "@everyone look" }), "nobody");
  assert.equal(by({ text: "@everyone look" }, { engagedWith: TOBIAS }), "nobody");
  assert.equal(by({ text: "@everyone look" }, { everyoneIsMention: true }), "mirelle everyone");
  assert.equal(
    by({ text: "look", mentions: { characters: [], others: false, everyone: true } }, { everyoneIsMention: true }),
    "mirelle everyone",
  );
  assert.equal(by({ text: "`@everyone`" }, { everyoneIsMention: true }), "nobody");
});

test("TR-020 the platform's mention and a reply to a character's line call it", () => {
  assert.equal(by({ text: "Mirelle?", mentions: { characters: [TOBIAS], others: false, everyone: false } }), "tobias mention");
  assert.equal(by({ text: "and then?", replyTo: TOBIAS }), "tobias reply");
});

test("cases A5 A6 SE-096 what is code, quoted, escaped or an address calls nobody", () => {
  for (const text of [
    "see ``a ` Mirelle`` there",
    "```\nMirelle\n```",
    "``` Mirelle",
    "> Mirelle said so\nindeed",
    ">>> so\nMirelle\nsaid",
    "\\@Mirelle hm",
    "https://mirelle.example/Mirelle",
    "write to Mirelle@host.example",
    "also",
    "@Al2 hm",
  ]) {
    assert.equal(by({ text }), "nobody", text);
  }
  assert.equal(by({ text: "> so\nMirelle?" }), "mirelle alias");
  assert.equal(by({ text: "mary-ann, hello" }), "mirelle alias");
  assert.equal(withoutAlias("Al, also this", ["Al"]), "also this");
});

test("SE-096 commands are read from own words alone", () => {
  assert.equal(commandWords("> /trust @x\n/about"), "/about");
  assert.equal(commandWords("`/about`"), "");
  assert.equal(commandWords("/about `x`"), "/about");
});

test("SE-096 own words keep their length and everything that is plain, whatever is written", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
      const plain = text.normalize("NFKC");
      const own = ownWords(text);
      assert.equal(own.length, plain.length);
      if (!/[`>\\]|:\/\//.test(plain)) assert.equal(own, plain);
    }),
  );
});

test("MC-087 no text within the ceiling takes long to read", () => {
  for (const text of [
    "`".repeat(65_536),
    "``a".repeat(20_000),
    "> ".repeat(30_000),
    "\\@".repeat(30_000),
    "@".repeat(65_536),
    "a, ".repeat(20_000),
  ]) {
    const startedMs = process.cpuUsage().user;
    by({ text, alone: true }, { engagedWith: TOBIAS });
    assert.ok(process.cpuUsage().user - startedMs < 500_000, text.slice(0, 6));
  }
});
