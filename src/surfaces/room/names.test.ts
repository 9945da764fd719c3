import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MAX_NAME_CHARACTERS, foldName, parseMemberName } from "./names.ts";

test("SE-087 names that look alike fold to one", () => {
  const families = [
    [
      "Mirelle",
      "MIRELLE",
      "mirel1e",
      "Mіrеlle",
      "Ｍｉｒｅｌｌｅ",
      "Mírèllé",
      "M i r e l l e",
      "Mirelle.",
      "M\u200birelle",
      "mireIIe",
      "𝕄𝕚𝕣𝕖𝕝𝕝𝕖",
    ],
    ["Bob", "B0b", "Вob", "ВоЬ", "boｂ"],
    ["Ilse", "llse", "1lse", "|lse", "ІLSE"],
    ["Kaito", "Κaіtο", "Ka1t0"],
    ["corner", "comer"],
    ["dex_91", "dex91", "dex-9l"],
  ];
  for (const family of families) assert.equal(new Set(family.map(foldName)).size, 1, family.map(foldName).join(" "));
  assert.equal(new Set(families.map(([name]) => foldName(name ?? ""))).size, families.length, "and different ones stay apart");
});

test("SE-087 folding twice is folding once, and neither case, accents, width, spaces nor invisible characters change it", () => {
  const mark = fc.constantFrom("\u0301", "\u200b", "\u202e", "\ufe0f", " ", ".", "-", "_", "\u00ad");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (name) => {
      const folded = foldName(name);
      assert.equal(foldName(folded), folded);
    }),
    { numRuns: 2_000 },
  );
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9]{1,20}$/), mark, fc.nat(20), (name, sign, at) => {
      const changed = `${name.slice(0, at)}${sign}${name.slice(at)}`;
      assert.equal(foldName(changed), foldName(name));
      assert.equal(foldName(name.toUpperCase()), foldName(name.toLowerCase()));
    }),
    { numRuns: 1_000 },
  );
});

test("TR-080 a name is 1 to 40 visible characters, shown as it is: markup is data", () => {
  for (const bad of [
    "",
    "   ",
    "a".repeat(MAX_NAME_CHARACTERS + 1),
    "a\u202eb",
    "a\nb",
    "\u200b",
    "...",
    "a\ud800",
    "e\u0301\u0301\u0301\u0301",
  ])
    assert.equal(parseMemberName(bad), null, JSON.stringify(bad));
  assert.equal(parseMemberName("  Ann   Lee ")?.shown, "Ann Lee");
  assert.equal(parseMemberName("<b>Ann</b>")?.shown, "<b>Ann</b>");
  assert.equal(parseMemberName("🌊".repeat(MAX_NAME_CHARACTERS))?.shown, "🌊".repeat(MAX_NAME_CHARACTERS));
  assert.equal(parseMemberName("王芳")?.folded, "王芳");
});
