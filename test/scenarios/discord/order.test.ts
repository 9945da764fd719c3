import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { FakeInteraction } from "../../../src/testing/fake-discord/platform.ts";
import type { FakeChannel, FakeMessage, FakeUser } from "../../../src/testing/fake-discord/world.ts";
import { readPacket } from "../../../src/vocabulary/packet-lines.ts";
import { parsePrincipalId } from "../../../src/vocabulary/principal.ts";
import type { Town } from "./town.ts";
import { openTown } from "./town.ts";

const NOT_YOURS = /nothing here that you can do that to/;

let town: Town;
let moderator: FakeUser;
let second: FakeUser;
let guest: FakeUser;
/** A channel of another server, where the moderator has a role of the same standing that counts for nothing. */
let abroad: FakeChannel;

before(async () => {
  town = await openTown({
    faster: 4,
    before(scene) {
      const { discord, guild } = scene;
      const other = discord.addGuild("Elsewhere");
      const [role, foreign] = [discord.addRole(guild, "Wardens"), discord.addRole(other, "Wardens")];
      [moderator, second, guest] = [discord.addUser("mo"), discord.addUser("nell"), discord.addUser("gus", { globalName: "Gus" })];
      for (const one of [moderator, second]) discord.join(guild, one, role);
      discord.join(other, moderator, foreign);
      for (const server of [guild, other]) discord.join(server, guest);
      abroad = discord.addChannel(other, "abroad");
      scene.keys = `admission: addressed, moderators: ["role:${guild.id}/${role.id}"]`;
    },
  });
});
after(() => town[Symbol.asyncDispose]());

type Given = Readonly<Record<string, string>>;

async function use(user: FakeUser, name: string, given: Given = {}, channel: FakeChannel = town.tavern): Promise<string> {
  const options = Object.entries(given).map(([key, value]) => ({ name: key, type: key === "person" ? 6 : 3, value }));
  return wordsOf(town.discord.interact(user, channel, { kind: "command", name, options }));
}

async function takeBack(user: FakeUser, message: Pick<FakeMessage, "id">, channel: FakeChannel = town.tavern): Promise<string> {
  return wordsOf(town.discord.interact(user, channel, { kind: "message_command", name: "Take back", message }));
}

async function wordsOf(interaction: FakeInteraction): Promise<string> {
  await town.until(() => (interaction.shown[0]?.content ?? "") !== "");
  return interaction.shown[0]?.content ?? "";
}

/** Let somebody be answered, and give the bot's message. */
async function answered(user: FakeUser, words: string, channel: FakeChannel = town.tavern): Promise<FakeMessage> {
  const sofar = town.discord.ledger.length;
  town.discord.say(user, channel, `${town.mark} ${words}`);
  await town.until(() => town.discord.ledger.length > sofar);
  return town.discord.ledger[sofar]?.message ?? assert.fail("no answer");
}

const isGone = (message: FakeMessage): boolean => town.discord.ledger.some((one) => one.message === message && one.deleted);

test("TR-082 a moderator blocks a guest in that server for a time: there the guest is as one who is not addressed, elsewhere nothing changed", async () => {
  const { ann, discord, tavern } = town;
  assert.match(await use(guest, "block", { person: moderator.id, for: "1h" }), NOT_YOURS);
  assert.match(await use(moderator, "block", { person: guest.id, for: "1y" }), /Say for how long/);
  assert.match(await use(moderator, "block", { person: guest.id, for: "29d" }), /28d at most/);
  assert.match(await use(moderator, "block", { person: ann.id, for: "1h" }), /cannot be blocked here/, "an operator");
  assert.match(await use(moderator, "block", { person: guest.id, for: "1h" }), /Blocked in this server until/);
  assert.match(await use(moderator, "block", { person: guest.id, for: "2h" }), /already/);
  const sofar = town.asked().length;
  discord.say(guest, tavern, `${town.mark} let me in`);
  await answered(guest, "hello from abroad", abroad);
  await answered(ann, "and here");
  assert.deepEqual(town.asked().slice(sofar), ["hello from abroad", "and here"]);
  assert.ok(!town.runtime.store.read.setting(`server_blocks:town:${town.guild.id}`)?.includes(guest.id), "no id of anybody is kept");
  await town.restart();
  discord.say(guest, tavern, `${town.mark} and now?`);
  await answered(ann, "after the restart");
  assert.equal(town.asked().at(-2), "and here", "it holds over a restart");
  const acts = town.runtime.store.read.audits(5, parsePrincipalId(`discord:${guest.id}`)).map(({ act, by }) => [act, by]);
  assert.deepEqual(acts, [["block", `discord:${moderator.id}`]]);
  assert.match(await use(moderator, "unblock", { person: guest.id }), /Not blocked/);
  await answered(guest, "thank you");
});

test("TR-015 cases B23 a role of one server is nothing in another or in private, and one that was taken away counts no more", async () => {
  const { discord, guild } = town;
  const line = town.discord.world.directChannel(moderator);
  for (const channel of [abroad, line]) {
    assert.match(await use(moderator, "block", { person: guest.id, for: "1h" }, channel), NOT_YOURS);
    assert.match(await use(moderator, "pause", { for: "1h" }, channel), NOT_YOURS);
  }
  const said = await answered(guest, "abroad again", abroad);
  assert.match(await takeBack(moderator, said, abroad), NOT_YOURS);
  const here = await answered(guest, "here again");
  assert.match(await takeBack(moderator, here, abroad), NOT_YOURS, "from another place");
  const roles = guild.members.get(moderator.id)?.roles ?? new Set<string>();
  const held = [...roles];
  roles.clear();
  assert.match(await takeBack(moderator, here), NOT_YOURS);
  for (const role of held) roles.add(role);
  assert.equal(isGone(here), false);
  assert.match(await takeBack(moderator, here), /Taken back/);
  await discord.until(() => isGone(here), AbortSignal.timeout(5_000));
});

test("TR-082 a moderator pauses a place for a time and lets it go on; an operator's pause is neither ended nor made shorter", async () => {
  const { ann, discord, tavern } = town;
  assert.match(await use(second, "pause", { for: "2d" }), /1d at most/);
  assert.match(await use(second, "pause", { for: "30m" }), /Nobody is answered/);
  const sofar = town.asked().length;
  discord.say(guest, tavern, `${town.mark} hi`);
  await town.quiet();
  assert.equal(town.asked().length, sofar);
  assert.match(await use(guest, "resume"), NOT_YOURS);
  assert.match(await use(second, "resume"), /answered here again/);
  assert.match(await use(ann, "pause", { for: "2d" }), /Nobody is answered/);
  assert.match(await use(second, "pause", { for: "1h" }), /paused already, for longer/);
  assert.match(await use(second, "resume"), NOT_YOURS);
  assert.match(await use(ann, "resume"), /answered here again/);
  assert.match(await use(ann, "resume"), NOT_YOURS, "there is none");
});

test("TR-082 a pause of a channel holds in its threads as well, also for a process that was never told of them, and a thread's nowhere else", async () => {
  const { ann, discord, tavern, mark } = town;
  const aside = discord.startThread(tavern, "aside");
  await answered(ann, "in the thread", aside);
  assert.match(await use(second, "pause", { for: "30m" }), /in this place and its threads/);
  const sofar = town.asked().length;
  await town.restart();
  for (const channel of [tavern, aside]) discord.say(ann, channel, `${mark} still there?`);
  await answered(ann, "elsewhere", abroad);
  assert.deepEqual(town.asked().slice(sofar), ["elsewhere"]);
  assert.match(await use(second, "resume", {}, aside), NOT_YOURS, "it is no pause of the thread's own");
  assert.match(await use(second, "resume"), /answered here again/);
  assert.match(await use(second, "pause", { for: "30m" }, aside), /Nobody is answered/);
  discord.say(ann, aside, `${mark} and now?`);
  await answered(ann, "in the channel");
  assert.equal(town.asked().at(-1), "in the channel");
  assert.match(await use(second, "resume", {}, aside), /answered here again/);
});

test("TR-081 SE-094 whoever was answered takes it back by the mark, nobody else does, and it is in no packet afterwards", async () => {
  const { ann, discord } = town;
  const said = await answered(guest, "the canary word is zebra");
  await answered(ann, "what did you say?");
  const earlier = (): string =>
    JSON.stringify(readPacket(town.model.requests.at(-1)?.system ?? "", town.model.requests.at(-1)?.prompt ?? ""));
  assert.match(town.model.requests.at(-1)?.prompt ?? "", /You said: the canary word is zebra/, earlier());
  discord.react(ann, said, "❌");
  discord.react(guest, said, "👍");
  await town.quiet();
  assert.equal(isGone(said), false);
  discord.faults.add("DELETE /channels/:id/messages/:message", { kind: "commit_and", after: "tear" });
  discord.react(guest, said, "❌");
  await town.until(() => isGone(said));
  await town.until(() => town.runtime.store.read.conversations.takingBack().length === 0);
  await answered(ann, "and what was that?");
  assert.doesNotMatch(town.model.requests.at(-1)?.prompt ?? "", /You said: the canary word is zebra/);
  assert.match(await takeBack(guest, said), NOT_YOURS, "it is gone");
  const never = { id: String(BigInt(said.id) - (60_000n << 22n)) };
  assert.match(await takeBack(guest, never), NOT_YOURS, "it never was");
});

test("TR-042 TR-081 what was to be taken back when the process ended is taken back by the next one", async () => {
  const { discord } = town;
  const said = await answered(guest, "one more");
  discord.faults.add("DELETE /channels/:id/messages/:message", { kind: "hang" });
  discord.react(guest, said, "❌");
  await town.until(() => town.runtime.store.read.conversations.takingBack().length === 1);
  await town.restart();
  await town.until(() => isGone(said));
  await town.until(() => town.runtime.store.read.conversations.takingBack().length === 0);
});
