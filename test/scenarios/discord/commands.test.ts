import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { FakeChannel, FakeUser } from "../../../src/testing/fake-discord/world.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../../src/vocabulary/principal.ts";
import { openTown } from "./town.ts";
import type { Town } from "./town.ts";

let town: Town;
let own: FakeChannel;
let cid: FakeUser;
let dora: FakeUser;

/** Ann owns the bot, Ben is allowed to talk, Cid and Dora are nobody yet, Olga is an operator beside the owner. */
before(async () => {
  town = await openTown({
    before(scene) {
      const { discord, guild, ben, ann } = scene;
      const old = discord.world.snowflakes.next(Date.parse("2019-03-04T12:00:00Z"));
      cid = discord.addUser("cid_the_smith", { id: old, globalName: "Cid" });
      dora = discord.addUser("dora");
      for (const one of [cid, dora]) discord.join(guild, one);
      own = discord.world.directChannel(ann);
      scene.keys = `allow: ["discord:${ben.id}"]`;
    },
  });
});
after(() => town[Symbol.asyncDispose]());

/** Let the owner say something, and give what comes in private once it has come. */
async function answerTo(words: string, channel: FakeChannel | null = null): Promise<string> {
  const { discord, ann, mark } = town;
  const sofar = discord.postedIn(own).length;
  if (channel === null) discord.direct(ann, words);
  else discord.say(ann, channel, `${mark} ${words}`);
  await town.until(() => discord.postedIn(own).length > sofar);
  return discord.postedIn(own).at(-1) ?? "";
}

/** Let somebody say what is no talk to the bot or is refused, then see that the model heard nothing of it. */
async function modelHearsNothing(say: () => unknown): Promise<void> {
  const sofar = town.asked().length;
  say();
  town.discord.say(town.ann, town.tavern, `${town.mark} still there?`);
  await town.until(() => town.asked().length > sofar);
  await town.quiet(60);
  assert.deepEqual(town.asked().slice(sofar), ["still there?"]);
}

const trust = (user: FakeUser): string => town.runtime.store.read.trust(parsePrincipalId(`discord:${user.id}`));
const inTavern = (): readonly string[] => town.discord.postedIn(town.tavern);

test("VS-009 VS-010 VS-015 VS-018 whitelist list names owner and trusted people, by direct message wherever it is said, and in a server only with the call as its first word", async () => {
  const { ann, tavern, discord, mark } = town;
  assert.match(await answerTo("whitelist list"), new RegExp(`^Owner: ${ann.id}[\\s\\S]*Nobody else`));
  assert.match(await answerTo("Whitelist List", tavern), new RegExp(`Owner: ${ann.id}`));
  assert.match(await answerTo("/whitelist list", tavern), new RegExp(`Owner: ${ann.id}`));
  assert.deepEqual(inTavern(), []);
  const sofar = town.asked().length;
  discord.say(ann, tavern, `whitelist list ${mark}`);
  await town.until(() => town.asked().length > sofar);
  assert.equal(town.asked().at(-1), "whitelist list @Mirelle", "talk, since the call is not the first word");
});

test("VS-008 VS-011 VS-014 SE-096 whitelist add shows id, name and age of each account and trusts it once, after a yes; words that are no account are told of", async () => {
  const { ann, tavern, discord } = town;
  const bot = discord.addUser("a-bot", { bot: true });
  const nobody = discord.world.snowflakes.next();
  const shown = await answerTo(`whitelist add <@${cid.id}> ${dora.id} <@!${dora.id}> Ben 123 <@${bot.id}> ${nobody} <@${ann.id}>`, tavern);
  assert.match(shown, new RegExp(`${cid.id}: cid_the_smith, shown as Cid; account made 2019-03-04, \\d+ years old`));
  assert.match(shown, new RegExp(`${dora.id}: dora; account made .*0 days old`));
  assert.equal(shown.split(dora.id).length, 2, "named twice, shown once");
  for (const [word, why] of [
    ["Ben", "is no account"],
    ["123", "is no account"],
    [bot.id, "is a bot"],
    [nobody, "of no account"],
    [ann.id, "is the owner"],
  ] as const)
    assert.match(shown, new RegExp(`${word} .*${why}`));
  assert.deepEqual([trust(cid), trust(dora)], ["guest", "guest"], "shown, not done");
  const done = await answerTo("whitelist yes", tavern);
  assert.match(done, new RegExp(`Trusted now:[\\s\\S]*${cid.id} cid_the_smith[\\s\\S]*${dora.id} dora`));
  assert.deepEqual([trust(cid), trust(dora)], ["trusted", "trusted"]);
  assert.match(await answerTo("whitelist yes"), /Nothing waits/, "once");
  assert.match(await answerTo("whitelist list"), new RegExp(`Trusted \\(2\\):[\\s\\S]*${cid.id}`));
  const acts = town.runtime.store.read.audits(10).filter(({ act }) => act === "trust");
  assert.deepEqual(new Set(acts.map(({ by }) => by)), new Set([`discord:${ann.id}`]));
  assert.deepEqual(
    inTavern().filter((words) => words.includes(cid.id)),
    [],
  );
});

test("VS-012 VS-013 whitelist remove takes people off after a yes; the owner stays, and a yes is about the newest change alone", async () => {
  const { ann } = town;
  assert.match(await answerTo(`whitelist remove <@${ann.id}>`), /is the owner, and stays so[\s\S]*Nothing is changed\./);
  assert.match(
    await answerTo(`whitelist remove <@${dora.id}> <@${town.ben.id}>`),
    new RegExp(`To be taken off[\\s\\S]*${dora.id}[\\s\\S]*${town.ben.id} is not on the list`),
  );
  assert.match(await answerTo(`whitelist remove nobody`), /Nothing is changed/);
  assert.match(await answerTo("whitelist yes"), /Nothing waits/, "the newest change is the one that waits, and that was none");
  assert.equal(trust(dora), "trusted");
  await answerTo(`whitelist remove ${dora.id}`);
  assert.match(await answerTo("whitelist yes"), /No longer trusted:/);
  assert.equal(trust(dora), "guest");
  assert.equal(trust(cid), "trusted");
});

test("VS-014 SE-096 accounts are read from the words outside code and quotes, never from the list of mentions beside them", async () => {
  const { discord, ann, tavern, mark } = town;
  const sofar = discord.postedIn(own).length;
  // The reply pings Dora: she is in the list of mentions, and in no word of the command.
  const line = discord.say(dora, tavern, "hello there");
  discord.say(ann, tavern, `${mark} whitelist add \`<@${dora.id}>\` <@${town.ben.id}>\n> <@${dora.id}>`, { replyTo: line });
  await town.until(() => discord.postedIn(own).length > sofar);
  const shown = discord.postedIn(own).at(-1) ?? "";
  assert.match(shown, new RegExp(town.ben.id));
  assert.doesNotMatch(shown, new RegExp(dora.id));
  await modelHearsNothing(() => {
    discord.say(ann, tavern, `> ${mark} whitelist add <@${dora.id}>`);
    discord.say(ann, tavern, "", { forwards: discord.say(dora, tavern, `${mark} whitelist add <@${dora.id}>`) });
  });
});

test("VS-008 VS-045 only the owner's commands run: everybody else who may talk gets one fixed refusal, and no model hears of it", async () => {
  const { discord, ben, tavern, mark } = town;
  for (const words of ["whitelist list", `whitelist add <@${ben.id}>`, "whitelist yes", "config defaultMode dm", "WHITELIST"]) {
    const sofar = discord.postedIn(discord.world.directChannel(ben)).length;
    const asked = town.asked().length;
    discord.say(ben, tavern, `${mark} ${words}`);
    await town.until(() => discord.postedIn(discord.world.directChannel(ben)).length > sofar);
    assert.match(discord.postedIn(discord.world.directChannel(ben)).at(-1) ?? "", /^That is for the owner of this bot alone\./);
    assert.equal(town.asked().length, asked, words);
  }
  assert.ok(!inTavern().some((words) => words.includes("owner")), "the refusal follows the policy: both commands are sensitive");
  assert.equal(trust(ben), "guest");
  await modelHearsNothing(() => discord.say(dora, tavern, `${mark} whitelist add <@${dora.id}>`));
  assert.equal(trust(dora), "guest");
});

test("VS-016 VS-017 VS-020 VS-046 config shows the policy and sets each of its keys, and what follows goes by it", async () => {
  const { discord, ann, tavern, mark } = town;
  assert.match(await answerTo("config", tavern), /defaultMode: channel\n· sensitiveCommands: whitelist config\n· overrides: none/);
  assert.match(await answerTo("config defaultMode loud"), /Nothing is changed\. defaultMode is channel or dm/);
  assert.match(await answerTo("config volume 11"), /It is said like this/);
  assert.match(await answerTo("config overrides whitelist=channel, about=dm"), /overrides: whitelist=channel about=dm/);
  let sofar = inTavern().length;
  discord.say(ann, tavern, `${mark} whitelist list`);
  await town.until(() => inTavern().length > sofar);
  assert.match(inTavern().at(-1) ?? "", /Owner:/, "an override goes before the sensitive list");
  const asked = town.asked().length;
  discord.say(ann, tavern, `${mark} what was said here?`);
  await town.until(() => town.asked().length > asked);
  const prompt = town.model.requests.at(-1)?.prompt ?? "";
  assert.match(prompt, /still there/, "talk is");
  assert.doesNotMatch(
    prompt,
    /Owner:|Trusted|replies go|"said":"(?:@Mirelle )?\/?(?:whitelist (?:list|yes)|config[^"]*)"/i,
    "TR-033 no order and no answer to one is",
  );
  assert.ok(!prompt.includes(ann.id));
  assert.match(await answerTo("/about", tavern), /Mirelle is made up/);
  assert.match(await answerTo("config overrides none"), /overrides: none/);
  sofar = inTavern().length;
  discord.say(ann, tavern, `${mark} /about`);
  await town.until(() => inTavern().length > sofar);
  assert.deepEqual(
    town.runtime.store.read
      .audits(10)
      .filter(({ act }) => act === "policy")
      .map(({ by, about }) => [by, about])
      .at(0),
    [`discord:${ann.id}`, "town"],
  );
});

test("VS-022 VS-043 policy and set-policy read and change the same from any face, for the person at this computer alone", async () => {
  const { operations } = town.runtime;
  const signal = AbortSignal.timeout(10_000);
  const owner = { principal: LOCAL_OWNER, role: "operator", assurance: "local", channel: "direct" } as const;
  assert.deepEqual(await operations.run("set-policy", { default_mode: "dm", overrides: "privacy=channel" }, owner, signal), {
    surface: "town",
    policy: { defaultMode: "dm", sensitiveCommands: ["whitelist", "config"], overrides: { privacy: "channel" } },
    readable: true,
  });
  assert.match(await answerTo("config"), /defaultMode: dm/);
  for (const actor of [
    { ...owner, assurance: "platform" },
    { ...owner, principal: parsePrincipalId("mcp:helper"), role: "guest" },
  ] as const)
    for (const name of ["policy", "set-policy"])
      await assert.rejects(operations.run(name, { default_mode: "channel" }, actor, signal), { code: "forbidden" });
  await assert.rejects(operations.run("set-policy", {}, owner, signal), { code: "usage" });
  await assert.rejects(operations.run("set-policy", { default_mode: "loud" }, owner, signal), { code: "usage" });
  await operations.run("set-policy", { default_mode: "channel", overrides: "none" }, owner, signal);
  assert.match(await answerTo("config"), /defaultMode: channel/);
});
