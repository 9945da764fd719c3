import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ApplicationCommandType } from "@discordjs/core";
import { SLASH_COMMANDS } from "../../../src/surfaces/discord/interactions/slash-commands.ts";
import type { FakeInteraction } from "../../../src/testing/fake-discord/platform.ts";
import type { FakeChannel, FakeUser } from "../../../src/testing/fake-discord/world.ts";
import { parsePrincipalId } from "../../../src/vocabulary/principal.ts";
import type { Town } from "./town.ts";
import { openTown } from "./town.ts";

const EPHEMERAL = 64;

let town: Town;
let stranger: FakeUser;
let blocked: FakeUser;
/** Commands have a pace in each place: those of some tests are given elsewhere. */
let aside: FakeChannel;
let yard: FakeChannel;

before(async () => {
  town = await openTown({
    faster: 4,
    before({ discord, guild }) {
      stranger = discord.addUser("eve", { globalName: "Eve" });
      blocked = discord.addUser("mallory", { globalName: "Mallory" });
      for (const one of [stranger, blocked]) discord.join(guild, one);
      [aside, yard] = [discord.addChannel(guild, "aside"), discord.addChannel(guild, "yard")];
    },
  });
  await town.runtime.store.setTrust({
    person: parsePrincipalId(`discord:${blocked.id}`),
    role: "blocked",
    by: parsePrincipalId("local:owner"),
    atMs: town.clock.nowMs(),
  });
});
after(() => town[Symbol.asyncDispose]());

/** Use a command and wait for its answer. */
async function ask(
  user: FakeUser,
  name: string,
  options: Parameters<typeof given>[0] = {},
  channel: FakeChannel = town.tavern,
): Promise<FakeInteraction> {
  const interaction = town.discord.interact(user, channel, { kind: "command", name, options: given(options) });
  await town.until(() => (interaction.shown[0]?.content ?? "") !== "");
  return interaction;
}

function given(options: Readonly<Record<string, string | null>>): { name: string; type: number; value?: string }[] {
  return Object.entries(options).map(([name, value]) => (value === null ? { name, type: 1 } : { name, type: 3, value }));
}

test("TR-082 own commands are answered to whoever asks alone, acknowledged first, calling nobody, and nothing is posted", async () => {
  const posted = town.discord.ledger.length;
  for (const [name, words] of [
    ["about", /AI|made up/],
    ["privacy", /kept/],
    ["help", /\/why/],
    ["why", /know of nothing/],
    ["reset", /no more in mind/],
  ] as const) {
    const { callback, shown, token } = await ask(stranger, name);
    assert.deepEqual([callback?.type, callback?.flags], [5, EPHEMERAL], name);
    assert.equal(shown.length, 1, "one answer");
    assert.match(shown[0]?.content ?? "", words, name);
    assert.deepEqual(shown[0]?.allowedMentions, { parse: [] });
    assert.ok(!town.log.some((line) => line.includes(token)), "the token is in no log");
  }
  assert.equal(town.discord.ledger.length, posted);
  assert.equal(town.model.requests.length, 0);
});

test("TR-082 every command of the menu is answered, and the menu is written once, also over a restart", async () => {
  for (const { name, type } of SLASH_COMMANDS) {
    if (type === ApplicationCommandType.Message) continue;
    const options = name === "ignore" || name === "hear" ? { me: null } : {};
    // Each by somebody else: commands have a pace.
    const { shown } = await ask(town.discord.addUser(`user-${name}`), name, options, aside);
    assert.ok((shown[0]?.content ?? "").length > 10, name);
    assert.doesNotMatch(shown[0]?.content ?? "", /did not work/, name);
  }
  const writes = (): number => town.discord.requestsOf("PUT /applications/:id/commands").length;
  assert.equal(writes(), 1);
  assert.deepEqual(
    town.discord.commands.map((one) => (typeof one === "object" && one !== null ? Reflect.get(one, "name") : null)),
    SLASH_COMMANDS.map(({ name }) => name),
  );
  await town.restart();
  await ask(town.ben, "about");
  await town.quiet();
  assert.equal(writes(), 1);
});

test("TR-082 VS-008 VS-046 /trust and /config are the owner's alone, answered to them alone, and a change of trust is confirmed", async () => {
  const { discord, ann, ben } = town;
  const posted = discord.ledger.length;
  const trust = async (user: FakeUser, word: string, whom?: FakeUser): Promise<string> => {
    const value = whom === undefined ? {} : { options: [{ name: "person", type: 6, value: whom.id }] };
    const interaction = discord.interact(user, yard, { kind: "command", name: "trust", options: [{ name: word, type: 1, ...value }] });
    await town.until(() => (interaction.shown[0]?.content ?? "") !== "");
    return interaction.shown[0]?.content ?? "";
  };
  const roleOf = (user: FakeUser): string => town.runtime.store.read.trust(parsePrincipalId(`discord:${user.id}`));
  const refusal = await trust(ben, "list");
  assert.equal(await trust(ben, "add", ben), refusal);
  assert.equal((await ask(discord.addUser("kim"), "config", { key: "defaultMode", value: "dm" }, yard)).shown[0]?.content, refusal);
  assert.match(await trust(ann, "add", ben), /Nothing is changed yet/);
  assert.equal(roleOf(ben), "guest");
  assert.equal(await trust(discord.addUser("lou"), "yes"), refusal);
  assert.match(await trust(ann, "yes"), /Trusted now/);
  assert.equal(roleOf(ben), "trusted");
  const person = parsePrincipalId(`discord:${ben.id}`);
  await town.runtime.store.setTrust({ person, role: "guest", by: parsePrincipalId("local:owner"), atMs: town.clock.nowMs() });
  await ask(ann, "config", { key: "defaultMode", value: "dm" }, yard);
  assert.match((await ask(ann, "config", {}, yard)).shown[0]?.content ?? "", /defaultMode\W+dm/);
  await ask(ann, "config", { key: "defaultMode", value: "channel" }, yard);
  assert.equal(discord.ledger.length, posted, "nothing is posted");
});

test("SE-094 a blocked person's own commands are answered like a stranger's, word by word", async () => {
  for (const name of ["about", "privacy", "why", "reset"]) {
    town.discord.say(stranger, town.tavern, `${town.mark} hi`);
    town.discord.say(blocked, town.tavern, `${town.mark} hi`);
    await town.quiet(60);
    const [one, other] = [await ask(stranger, name), await ask(blocked, name)];
    assert.equal(one.shown[0]?.content, other.shown[0]?.content, name);
    if (name === "why") assert.match(one.shown[0]?.content ?? "", /not taken as said to me/);
  }
});

test("TR-082 what was said before a reset is in no packet afterwards, others' words are", async () => {
  const { discord, ann, ben, tavern, mark } = town;
  await town.runtime.store.setTrust({
    person: parsePrincipalId(`discord:${ben.id}`),
    role: "trusted",
    by: parsePrincipalId("local:owner"),
    atMs: town.clock.nowMs(),
  });
  const say = async (user: FakeUser, words: string): Promise<void> => {
    const sofar = discord.postedIn(tavern).length;
    discord.say(user, tavern, `${mark} ${words}`);
    await town.until(() => discord.postedIn(tavern).length > sofar);
  };
  await say(ann, "the anncanary is in the cellar");
  await say(ben, "the bencanary is in the attic");
  await say(ann, "where is what?");
  assert.match(town.model.requests.at(-1)?.prompt ?? "", /anncanary[\s\S]*bencanary/);
  assert.match((await ask(ann, "reset")).shown[0]?.content ?? "", /2 of your lines, 2 answers/);
  const isOutOfMind = async (): Promise<void> => {
    await say(ann, "and now?");
    const prompt = town.model.requests.at(-1)?.prompt ?? "";
    assert.match(prompt, /bencanary/);
    assert.doesNotMatch(prompt, /anncanary/);
  };
  await isOutOfMind();
  // The next process asks the platform for all of it again.
  await town.restart();
  await isOutOfMind();
  assert.match(town.model.requests.at(-1)?.prompt ?? "", /You said: and now\?/, "what was said since is there");
  assert.ok(!town.runtime.store.read.setting("began_anew:town")?.includes(ann.id), "no id of anybody is kept");
});

test("TR-043 SE-081 /forget asks once and is done by yes, of whoever asks and of nobody else", async () => {
  assert.match((await ask(town.ben, "forget")).shown[0]?.content ?? "", /This erases/);
  assert.match((await ask(stranger, "forget", { confirm: "yes" })).shown[0]?.content ?? "", /This erases/);
  assert.match((await ask(town.ben, "forget", { confirm: "yes" })).shown[0]?.content ?? "", /^Forgotten/);
});

test("TR-081 cases B65 an interaction that comes late, twice or malformed runs nothing and ends nothing", async () => {
  const { discord, ann, tavern } = town;
  discord.faults.add("POST /interactions/:id/:token/callback", { kind: "error", status: 404, code: 10062 });
  const late = discord.interact(ann, tavern, { kind: "command", name: "about" });
  await town.until(() => town.log.some((line) => line.includes("discord_interaction_late")));
  assert.equal(late.shown.length, 0);
  for (const d of [{}, { id: "1", type: 2 }, { id: "1", type: 9, token: "x".repeat(30), channel_id: tavern.id, data: {} }])
    discord.gateway.dispatch("INTERACTION_CREATE", 0, () => d);
  const unknown = discord.interact(ann, tavern, { kind: "command", name: "sudo" });
  await ask(ann, "about");
  assert.equal(unknown.callback, null, "nobody asked for that");
});
