import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ownerWords } from "./owner-words.ts";

const BOT = "1000000000000000001";
const ROLE = "1000000000000000002";
const BEN = "1000000000000000003";
const said = (content: string, direct = false): string | null => ownerWords(content, { user: BOT, role: ROLE, direct });

test("VS-009 VS-045 in private the whole text is the command; where others read, the call is its first word", () => {
  assert.equal(said("whitelist list", true), "whitelist list");
  assert.equal(said(`<@${BOT}> whitelist list`, true), "whitelist list");
  assert.equal(said("so, whitelist list", true), null);
  assert.equal(said("whitelist list"), null);
  for (const call of [`<@${BOT}>`, `<@!${BOT}> `, `  <@${BOT}>, `, `<@&${ROLE}> /`])
    assert.equal(said(`${call}Whitelist add <@!${BEN}>`), `Whitelist add <@!${BEN}>`);
  for (const text of [
    `hey <@${BOT}> whitelist list`,
    `whitelist list <@${BOT}>`,
    `<@${BEN}> whitelist list`,
    `<@${BOT}> please whitelist list`,
    `<@${BOT}> whitelisting`,
  ])
    assert.equal(said(text), null, text);
  assert.equal(ownerWords(`<@&${ROLE}> config`, { user: BOT, role: null, direct: false }), null, "another server's role calls nobody");
});

test("VS-014 SE-096 what stands in code and quotes is no word of it, and marks need no blanks between them", () => {
  assert.equal(said(`<@${BOT}>whitelist add<@${BEN}><@!${BEN}>`), `whitelist add <@${BEN}> <@!${BEN}>`);
  assert.equal(said(`<@${BOT}> whitelist add \`<@${BEN}>\` 5\n> 6\n\`\`\`7\`\`\` 8`), "whitelist add 5 8");
  for (const text of [
    `> <@${BOT}> whitelist list`,
    `\`<@${BOT}>\` whitelist list`,
    `\\<@${BOT}> whitelist list`,
    `<@${BOT}> \`whitelist list\``,
    `<@${BOT}>\n> whitelist list`,
  ])
    assert.equal(said(text), null, text);
});

test("VS-009 no text is a command without the call in front, whatever else it holds", () => {
  const piece = fc.oneof(fc.constantFrom(`<@${BOT}>`, "whitelist", "config", "add", "`", "```", "> ", "\n", " ", "\\"), fc.string());
  fc.assert(
    fc.property(
      fc.array(piece).map((pieces) => pieces.join("")),
      (content) => {
        const words = said(content);
        if (words === null) return;
        assert.match(content, new RegExp(`^\\s*<@${BOT}>`));
        assert.match(words, /^(?:whitelist|config)(?: |$)/i);
        assert.doesNotMatch(words, /\n/);
      },
    ),
  );
});
