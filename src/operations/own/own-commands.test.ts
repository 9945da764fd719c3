import assert from "node:assert/strict";
import { test } from "node:test";
import { isRuntimeError } from "../../foundation/errors.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { MIRELLE, PARLOUR } from "../../testing/road-fixtures.ts";
import { parseMessageId } from "../../vocabulary/ids.ts";
import { directPlace, publicPlace } from "../../vocabulary/place.ts";
import type { Assurance, PrincipalId } from "../../vocabulary/principal.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import type { ChatFace } from "../faces/chat.ts";
import { createChatFace } from "../faces/chat.ts";
import { LOCAL_ACTOR } from "../local-actor.ts";
import { createOperations } from "../operations.ts";
import { bindAbout } from "./about.ts";
import { CONFIRM_WITHIN_MS, bindForgetMe } from "./forget-me.ts";
import { bindHelp } from "./help.ts";
import { bindIgnoreMe } from "./ignore-me.ts";
import { bindPrivacy } from "./privacy.ts";
import { bindReset } from "./reset.ts";
import { bindWhyMine } from "./why-mine.ts";

const ANN = parsePrincipalId("room:ann");
const BEN = parsePrincipalId("room:ben");
const AVATAR = parsePrincipalId("grid:osgrid:11111111-2222-4333-8444-555555555555");
const DISCLOSURE = "AI character · run by Ilse · /about · /forget";
const { signal } = new AbortController();

interface Bench {
  readonly clock: ManualClock;
  readonly chat: ChatFace;
  readonly out: Set<PrincipalId>;
  readonly forgotten: PrincipalId[];
  readonly resets: string[];
  last: Parameters<typeof bindWhyMine>[0] extends (...given: never[]) => infer Outcome ? Outcome : never;
  model: string | null;
  readonly say: (
    text: string,
    by?: { person?: PrincipalId; direct?: boolean; assurance?: Assurance; language?: string },
  ) => Promise<string>;
}

function bench(): Bench {
  const clock = new ManualClock();
  const out = new Set<PrincipalId>();
  const forgotten: PrincipalId[] = [];
  const resets: string[] = [];
  const counts = { lines: 3, answers: 2 };
  const operations = createOperations([
    bindAbout({ disclosure: () => DISCLOSURE, voice: () => (made.model === null ? "understudy" : "model") }),
    bindPrivacy({
      operator: () => "Ilse",
      modelHost: () => made.model,
      keptMs: { public: 1_800_000, direct: 86_400_000, decisions: 2_592_000_000 },
    }),
    bindForgetMe(
      {
        keptOf: () => Promise.resolve(counts),
        forget: ({ person }) => {
          forgotten.push(person);
          return Promise.resolve({ counts, bytesGone: true });
        },
      },
      clock,
    ),
    ...bindIgnoreMe(
      {
        optedOut: (person) => out.has(person),
        setOptedOut: ({ person, optedOut }) => Promise.resolve(void (optedOut ? out.add(person) : out.delete(person))),
      },
      clock,
    ),
    bindWhyMine((person, place) => (person === ANN && place === publicPlace(PARLOUR).id ? made.last : null)),
    bindReset({ reset: (row) => Promise.resolve((resets.push(`${row.person} ${row.place.id}`), { lines: 2, answers: 1 })) }, clock),
    bindHelp(),
  ]);
  const chat = createChatFace(operations);
  const made: Bench = {
    resets,
    last: null,
    clock,
    chat,
    out,
    forgotten,
    model: null,
    say(text, { person = ANN, direct = true, assurance = "anonymous", language } = {}) {
      const [, name = "", rest = ""] = /^\/(\S+)\s*(.*)$/.exec(text) ?? [];
      const actor = { principal: person, role: "guest", assurance, channel: direct ? "direct" : "public" } as const;
      const place = direct ? directPlace(PARLOUR, MIRELLE, person) : publicPlace(PARLOUR);
      const said = {
        id: parseMessageId("m-00000001"),
        place,
        character: MIRELLE,
        characterName: "Mirelle",
        ...(language === undefined ? {} : { language }),
      };
      return chat.answer({ name, rest }, { actor, said }, signal);
    },
  };
  return made;
}

test("TR-091 /about begins with the disclosure, says what speaks, and names what one can do about oneself", async () => {
  const one = bench();
  const [first, what, commands] = (await one.say("/about", { direct: false })).split("\n");
  assert.equal(first, DISCLOSURE);
  assert.match(what ?? "", /Mirelle is made up.*stand-in/);
  for (const command of ["/privacy", "/forget", "/ignore me"]) assert.ok(commands?.includes(command), command);
  one.model = "local/tiny";
  assert.match(await one.say("/about"), /a language model speaks for it/);
});

test("TR-091 /privacy says what is stored, how long, and that operator and model host can read it", async () => {
  const one = bench();
  const told = await one.say("/privacy", { direct: false });
  assert.match(told, /everyone there reads.*nobody has talked there for 30 minutes, and a day at most/);
  assert.match(told, /nobody else there is shown what you say\. It is kept for a day/);
  assert.match(told, /For 30 days: when your lines came.*without your words/);
  assert.match(told, /run by Ilse, who can read all of it/);
  assert.match(told, /No model is set up: nothing leaves that computer/);
  one.model = "hosted/large";
  assert.match(await one.say("/privacy"), /sent to the model at hosted\/large; whoever runs that host can read it/);
});

test("TR-043 SE-081 /forget asks once on the own line, is done by yes within five minutes, and only for whoever says it", async () => {
  const one = bench();
  assert.match(await one.say("/forget", { direct: false }), /in private/);
  assert.match(await one.say("/forget yes"), /This erases 3 of your lines and 2 answers/, "yes to nothing asked is a question");
  assert.match(await one.say("/forget yes", { person: BEN }), /This erases/, "and another's yes is no answer to it");
  assert.match(await one.say("/forget YES"), /^Forgotten: 3 of your lines/);
  assert.deepEqual(one.forgotten, [ANN]);
  assert.match(await one.say("/forget yes"), /This erases/, "once");
  await one.clock.advance(CONFIRM_WITHIN_MS + 1);
  assert.match(await one.say("/forget yes"), /This erases/, "too late");
  assert.match(await one.say("/forget", { person: AVATAR, assurance: "relayed" }), /Nobody vouches/);
  assert.deepEqual(one.forgotten, [ANN]);
});

test("TR-091 /ignore me and /hear me change what is heard of whoever says it, in public and in private, and of nobody else", async () => {
  const one = bench();
  assert.match(await one.say("/hear me"), /You are being heard/);
  assert.match(await one.say("/ignore me", { direct: false }), /no character hears what you say.*\/hear me/s);
  assert.deepEqual([...one.out], [ANN]);
  for (const wrong of ["/ignore", "/ignore ben", "/ignore me please", `/ignore ${BEN}`]) {
    assert.equal(await one.say(wrong, { person: BEN }), "It is said like this: /ignore me", wrong);
  }
  assert.deepEqual([...one.out], [ANN]);
  assert.match(await one.say("/hear ME"), /heard again/);
  assert.deepEqual([...one.out], []);
  assert.match(await one.say("/ignore me", { person: AVATAR, assurance: "relayed" }), /Nobody vouches/);
  assert.deepEqual([...one.out], []);
});

test("TR-091 the fixed texts come in the character's language, and in English where there is no other", async () => {
  const one = bench();
  assert.match(await one.say("/privacy", { language: "de-CH" }), /Niemand sonst dort bekommt es zu sehen/);
  assert.match(await one.say("/forget", { language: "de" }), /^Das löscht 3 deiner Zeilen/);
  assert.match(await one.say("/ignore", { language: "de" }), /^Man sagt es so: \/ignore me$/);
  assert.match(await one.say("/privacy", { language: "fr" }), /nobody else there is shown/);
});

test("SE-095 no line of an answer begins like a command to another program", async () => {
  const one = bench();
  for (const language of ["en", "de"])
    for (const text of ["/about", "/privacy", "/forget", "/ignore me", "/hear me", "/help", "/ignore"])
      for (const row of (await one.say(text, { language })).split("\n")) assert.doesNotMatch(row, /^\s*[/!.?$%&#;:=@~-]\S/, row);
});

test("TR-009 what is said in a conversation is on no other face: called without a line it is refused", async () => {
  const operations = createOperations([bindHelp()]);
  await assert.rejects(operations.run("help", {}, LOCAL_ACTOR, signal), (error) => isRuntimeError(error, "forbidden"));
  const { chat } = bench();
  assert.deepEqual(
    ["about", "trust", "pause", "invite"].map((name) => chat.has(name)),
    [true, false, false, false],
  );
});

test("SE-094 TR-082 /why tells of the last own line here in one of five ways, and knows nothing of another's", async () => {
  const one = bench();
  assert.match(await one.say("/why", { direct: false }), /know of nothing/);
  const told = new Set<string>();
  for (const outcome of ["answered", "not_addressed", "resting", "interrupted", "too_long"] as const) {
    one.last = outcome;
    told.add(await one.say("/why", { direct: false }));
    for (const other of [{ person: BEN, direct: false }, { direct: true }]) assert.match(await one.say("/why", other), /know of nothing/);
  }
  assert.equal(told.size, 5);
  assert.doesNotMatch([...told].join(" "), /block|trust|budget|role|rule|admission/i);
});

test("TR-082 SE-081 /reset is about whoever says it, with this character, here, and only where somebody vouches", async () => {
  const one = bench();
  assert.match(await one.say("/reset", { direct: false }), /2 of your lines, 1 answers/);
  assert.match(await one.say("/reset", { person: BEN }), /Mirelle has no more in mind/);
  assert.match(await one.say("/reset ben"), /It is said like this/);
  assert.match(await one.say("/reset", { person: AVATAR, assurance: "relayed" }), /Nobody vouches/);
  assert.deepEqual(one.resets, [`${ANN} ${publicPlace(PARLOUR).id}`, `${BEN} ${directPlace(PARLOUR, MIRELLE, BEN).id}`]);
});
