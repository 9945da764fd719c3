import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { FakeInteraction } from "../../../src/testing/fake-discord/platform.ts";
import type { FakeChannel, FakeMessage, FakeUser } from "../../../src/testing/fake-discord/world.ts";
import { LOCAL_OWNER } from "../../../src/vocabulary/principal.ts";
import type { Town } from "./town.ts";
import { openTown } from "./town.ts";

const NOT_YOURS = /nothing here that you can do that to/;

let town: Town;
let moderator: FakeUser;
let second: FakeUser;
let guest: FakeUser;
let elsewhere: FakeChannel;

before(async () => {
  town = await openTown({
    faster: 4,
    before(scene) {
      const { discord, guild, tavern } = scene;
      const role = discord.addRole(guild, "Wardens");
      [moderator, second, guest] = [discord.addUser("mo"), discord.addUser("nell"), discord.addUser("gus")];
      for (const one of [moderator, second]) discord.join(guild, one, role);
      discord.join(guild, guest);
      elsewhere = discord.addChannel(guild, "elsewhere");
      scene.keys = `admission: addressed, owner_notices: dm, moderators: ["role:${guild.id}/${role.id}"], places: { "${tavern.id}": { delivery: hold } }`;
    },
  });
});
after(() => town[Symbol.asyncDispose]());

const pending = (): ReturnType<Town["runtime"]["store"]["read"]["calls"]["pending"]> =>
  town.runtime.store.read.calls.pending(town.clock.nowMs(), LOCAL_OWNER);

/** Let somebody be answered where replies wait, and wait until the reply does. */
async function held(user: FakeUser, words: string): Promise<FakeMessage> {
  const waits = pending().length;
  const said = town.discord.say(user, town.tavern, `${town.mark} ${words}`);
  await town.until(() => pending().length > waits);
  return said;
}

async function wordsOf(interaction: FakeInteraction): Promise<FakeInteraction> {
  await town.until(() => (interaction.shown[0]?.content ?? "") !== "");
  return interaction;
}

const list = (user: FakeUser, channel = town.tavern): Promise<FakeInteraction> =>
  wordsOf(town.discord.interact(user, channel, { kind: "command", name: "held" }));

async function press(user: FakeUser, customId: string, channel = town.tavern): Promise<string> {
  const message = { id: channel.id, content: "" };
  return (await wordsOf(town.discord.interact(user, channel, { kind: "button", message, customId }))).shown[0]?.content ?? "";
}

/** Ids of the buttons under an answer. */
function buttonsOf({ shown }: FakeInteraction): readonly string[] {
  return [...JSON.stringify(shown[0]?.components ?? []).matchAll(/"custom_id":"([^"]+)"/g)].map(([, id = ""]) => id);
}

const said = (): readonly string[] => town.discord.postedIn(town.tavern);

test("SE-084 a held reply is said once its exact words were shown and somebody who keeps order there said yes, once", async () => {
  await held(guest, "the word is zebra");
  assert.deepEqual(said(), [], "not before");
  const shown = await list(moderator);
  assert.match(JSON.stringify(shown.shown[0]?.embeds).replaceAll("\\", ""), /You said: the word is zebra/);
  const [allow = "", deny = ""] = buttonsOf(shown);
  assert.match(allow, /^held:allow:a-/);
  for (const [who, id, where] of [
    [second, allow, town.tavern],
    [guest, allow, town.tavern],
    [town.ben, allow, town.tavern],
    [moderator, allow, elsewhere],
    [moderator, deny.replace("deny", "allow"), town.tavern],
    [moderator, `${allow.slice(0, -1)}${allow.endsWith("x") ? "y" : "x"}`, town.tavern],
    [moderator, "held:allow:a-0000:0123456789abcdef", town.tavern],
    [moderator, "anything", town.tavern],
  ] as const)
    assert.match(await press(who, id, where), NOT_YOURS, id);
  assert.deepEqual([said().length, pending().length], [0, 1], "nothing changed");
  const third = town.discord.addUser("third");
  town.discord.join(town.guild, third, ...[...town.guild.roles.values()].filter(({ name }) => name === "Wardens"));
  const [own = ""] = buttonsOf(await list(third));
  assert.match(await press(third, own), /It is said/);
  await town.until(() => said().length === 1);
  assert.match(said()[0] ?? "", /^You said: the word is zebra/);
  assert.match(await press(third, own), NOT_YOURS, "a second time");
  await town.quiet();
  assert.equal(said().length, 1);
  assert.equal(town.model.requests.length, 1, "the model is not asked again");
});

test("SE-084 a refused one is never said, whoever may not sees nothing, an operator decides everywhere, and an operator's own answer is not held", async () => {
  const { ann } = town;
  const before = said().length;
  await held(guest, "drop this");
  assert.match((await list(guest)).shown[0]?.content ?? "", NOT_YOURS);
  assert.match((await list(second, elsewhere)).shown[0]?.content ?? "", /Nothing waits here/, "of another place");
  const told = town.discord.ledger.filter(({ message }) => message.channel === town.discord.world.directChannel(ann)).at(-1);
  const ids = [...JSON.stringify(told?.components ?? []).matchAll(/"custom_id":"([^"]+)"/g)].map(([, id = ""]) => id);
  assert.deepEqual(ids, buttonsOf(await list(ann, elsewhere)), "the owner was shown the same card in private");
  const [, deny = ""] = ids;
  assert.match(await press(moderator, deny), NOT_YOURS);
  assert.match(await press(ann, deny, elsewhere), /It is not said/);
  await town.until(() => pending().length === 0);
  town.discord.say(ann, town.tavern, `${town.mark} mine`);
  await town.until(() => said().length > before);
  assert.equal(said().at(-1)?.startsWith("You said: mine"), true);
});

test("SE-084 TR-042 a held reply outlives a restart and is said once, however often it is confirmed meanwhile; a taken away line holds nothing", async () => {
  const before = said().length;
  await held(guest, "over the restart");
  const [allow = ""] = buttonsOf(await list(second));
  await town.restart();
  assert.equal(pending().length, 1);
  const presses = await Promise.all([press(second, allow), press(second, allow)]);
  assert.equal(presses.filter((one) => /It is said/.test(one)).length, 1);
  await town.until(() => said().length > before);
  await town.restart();
  await town.quiet();
  assert.equal(said().length, before + 1);
  const gone = await held(guest, "take me away");
  town.discord.remove(gone);
  await town.until(() => pending().length === 0);
});

test("SE-084 nobody says a reply that waited for half an hour", async () => {
  const before = said().length;
  await held(guest, "too late");
  const [allow = ""] = buttonsOf(await list(town.ann));
  const { lapsed } = await town.runtime.store.lapse(town.clock.nowMs() + 31 * 60_000);
  assert.equal(lapsed.length, 1);
  assert.match(await press(town.ann, allow), NOT_YOURS);
  await town.until(() => pending().length === 0);
  await town.quiet();
  assert.equal(said().length, before);
});
