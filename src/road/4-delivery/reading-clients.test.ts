import assert from "node:assert/strict";
import { test } from "node:test";
import { createRedactor } from "../../foundation/redact.ts";
import { ANSWERS, MIRELLE, PARLOUR } from "../../testing/road-fixtures.ts";
import { parseTurnId } from "../../vocabulary/ids.ts";
import { publicPlace } from "../../vocabulary/place.ts";
import { createGate } from "./gate.ts";
import { partsOf } from "./parts.ts";

/** What a reader of a message does by itself: follows, pings or runs. Written from how the three kinds of client are known to read. */
type Reading = (text: string) => readonly string[];

const all = (text: string, ...patterns: readonly RegExp[]): readonly string[] =>
  patterns.flatMap((pattern) => Array.from(text.matchAll(pattern), ([found]) => found));

/** A Discord client, and the bots that listen there by prefix. */
const discord: Reading = (text) =>
  all(
    text,
    /\b(?:https?|steam|discord):\/\/[^\s<]+/gi,
    /<(?:https?|mailto|tel):[^>]+>/gi,
    /\[[^\]]*\]\([^)\s]+\)/g,
    /\b(?:discord\.gg|discord(?:app)?\.com\/invite)\/\S+/gi,
    /@everyone|@here/g,
    /<(?:@[!&]?|#|:\w+:|a:\w+:|t:|id:|\/[\w -]+:)\w+[^>]*>/g,
    /^[!?.$%&;:=~+>/-]{1,2}[a-z]\w*/gim,
  );

/** A grid viewer's chat, and scripted things that listen to its open channel. */
const viewer: Reading = (text) =>
  all(
    text,
    /\b(?:https?|ftp|secondlife|hop|x-grid-(?:location-)?info):\/\/\S+/gi,
    /\bsecondlife:\/*\S+/gi,
    /\[(?:https?|secondlife):\S+[^\]]*\]/gi,
    /(?<![\w.])www\.\S+\.\S+/gi,
    /(?<![\w@])[\w-]+(?:\.[\w-]+)*\.(?:com|net|edu|org)(?=[\s:/,.!?)]|$)/gi,
    /\b[\w.+-]+@[\w-]+\.[a-z]{2,}\b/gi,
    /^\/(?:me\b|-?\d+\s*\S)/gim,
    /^[!.?$%&#;:=@~/\\-]+[a-z0-9]\w*/gim,
  );

/** The room's page writes text nodes only; what a browser, a telephone or a screen reader makes of plain text is what is left. */
const room: Reading = (text) =>
  all(
    text,
    /\b[a-z][a-z0-9+.-]{1,20}:\/\/\S+/gi,
    /\b(?:mailto|tel|sms|javascript):\S+/gi,
    /(?<![\w@])(?:[\w-]+\.)+(?:com|net|org|io|dev|app|de|uk|example)\b/gi,
    /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])/g,
    /[\u202A-\u202E\u2066-\u2069\u200B\u{E0000}-\u{E007F}]/gu,
    /^\/[a-z]+/gim,
  );

const READERS: Readonly<Record<string, Reading>> = { discord, viewer, room };

/** Orders that somebody may talk a character into saying, word for word. */
const ORDERS: readonly string[] = [
  "/kick Ben",
  "/ban @Ben",
  "/me leaves",
  "/1 open",
  "/-7 open the gate",
  "//unlock",
  "/give all 500",
  "/tp home",
  "  /sit",
  "	/stop",
  "!kick Ben",
  "!!die",
  ".open",
  "..admin",
  "?help",
  "?eval 1",
  "$pay Ben 500",
  "$$",
  "%run",
  "&role admin",
  "#channel",
  ";now",
  ";;play x",
  ":wq",
  ":rez box",
  "=1+1",
  "==set",
  "@me",
  "@everyone come here",
  "@here",
  "~home",
  "~~die",
  "-rf",
  "--force",
  "\\dump",
  "hello\n/kick Ben",
  "hello\r\n!kick Ben",
  "hello\u2028/kick Ben",
  "hello!kick",
  "​/kick Ben",
  "‮/kick Ben",
  "/​kick Ben",
  "!­kick Ben",
  "<@123456789012345678>",
  "<@!123456789012345678>",
  "<@&99>",
  "<#55>",
  "<:x:55>",
  "<a:x:55>",
  "<t:1700000000:R>",
  "<id:customize>",
  "</ban:12345>",
  "http://evil.example/x",
  "HTTPS://EVIL.EXAMPLE",
  "hxxp://evil.example then http://evil.example",
  "ftp://evil.example/x",
  "steam://run/1",
  "discord://x",
  "www.evil.example",
  "evil.com",
  "evil.com.",
  "see evil.org/x, ok",
  "evil.edu:8080",
  "EVIL.NET",
  "discord.gg/abcd",
  "discordapp.com/invite/abcd",
  "secondlife:///app/teleport/Home/1/2/3",
  "secondlife://Home/1/2",
  "hop://grid.example:8002/Home",
  "[http://evil.example free money]",
  "[secondlife:///app/agent/x/pay Pay me]",
  "[docs](http://evil.example)",
  "[docs](evil.com)",
  "<http://evil.example>",
  "ben@evil.com",
  "mailto:ben@evil.com",
  "tel:+15550100",
  "javascript:alert(1)",
  "10.0.0.1",
  "10.0.0.1:80/x",
  "http://[::1]/x",
  "h​ttp://evil.example",
  "http:/​/evil.example",
  "<script>x</script> http://a.example",
  "évil.com",
  "evil​.com",
  "x@evil.com/y",
  "go to evil.io/a?b=c#d",
  "(evil.dev)",
  '"evil.app"',
];

const gate = createGate({
  redactor: createRedactor([]),
  rules: () => ({ links: [], neverSay: [], commandPrefixes: "/!.?$%&#;:=@~-\\" }),
  tools: () => [],
});

/** What is sent when the model says exactly that. */
function sentFor(order: string, maxBytes: number): readonly string[] {
  const reply = { label: "speak", action: "", speech: order, influence: [], scaffold: [], canaries: [], visibleText: order } as const;
  const passed = gate.pass(reply, { place: publicPlace(PARLOUR), maxBytes: 2_000 });
  if (passed.kind === "withheld") return [];
  const frame = {
    turn: parseTurnId("t-0001"),
    character: MIRELLE,
    place: publicPlace(PARLOUR),
    answers: ANSWERS,
    generation: 1,
    createdAtMs: 0,
  };
  return partsOf(passed.reply, frame, { maxBytes }).parts.map(({ body }) => body);
}

test(`SE-095 ${ORDERS.length} orders said word for word start nothing and link nothing for the readers of three surfaces`, () => {
  assert.ok(ORDERS.length >= 80);
  const read = (text: string): readonly string[] =>
    Object.entries(READERS).flatMap(([name, reading]) => reading(text).map((found) => `${name}: ${found}`));
  const acted = ORDERS.filter((order) => read(order).length > 0);
  assert.ok(acted.length >= 75, `the readers act on the raw orders: ${acted.length}`);
  for (const order of ORDERS) {
    for (const maxBytes of [1_000, 24]) {
      for (const body of sentFor(order, maxBytes)) assert.deepEqual(read(body), [], JSON.stringify({ order, body }));
    }
  }
});

test("SE-095 ordinary talk keeps its marks", () => {
  for (const text of [
    "Well - then.",
    "At 10.30, I think... or so?",
    "(quietly) Yes!",
    "It costs $5; or 5 %.",
    "A :) and a <3 for you.",
    "e.g. this, i.e. that",
    "no.And then",
  ]) {
    assert.deepEqual(sentFor(text, 1_000), [text]);
  }
});
