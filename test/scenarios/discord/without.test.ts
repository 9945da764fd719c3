import assert from "node:assert/strict";
import { test } from "node:test";
import { INTENTS } from "../../../src/testing/fake-discord/gateway.ts";
import type { FakeUser } from "../../../src/testing/fake-discord/world.ts";
import { openTown, stateOf } from "./town.ts";
import type { Town } from "./town.ts";

const CONTENT = INTENTS.messageContent;

/** Say something that is answered, and wait until it is: whatever was said before it has been heard then. */
async function marked(town: Town, words: string): Promise<void> {
  town.discord.say(town.ann, town.tavern, `${town.mark} ${words}`);
  await town.until(() => town.asked().at(-1) === words);
}

test("TR-025 VS-029 cases B22 without the right to read, it answers who calls it, asks nobody about empty words, and says once that context is off", async () => {
  await using town = await openTown({ discord: { messageContent: false }, lines: "agent: { lines: off }" });
  const { discord, ann, tavern, log } = town;
  assert.equal(discord.gateway.intents & CONTENT, 0, "what is not allowed is not asked for: the platform would close");
  discord.say(ann, tavern, "the canary sings");
  await marked(town, "hello");
  await town.until(() => discord.ledger.length === 1);
  const own = discord.ledger[0]?.message;
  assert.ok(own !== undefined);
  // The platform leaves the words of these out as well, so there is nothing to answer.
  discord.say(ann, tavern, "and you?", { replyTo: own, pingsReplied: false });
  discord.say(ann, tavern, "to nobody");
  discord.say(ann, tavern, "with a call", { replyTo: own });
  await town.until(() => town.asked().at(-1) === "with a call");
  await marked(town, "again");
  discord.direct(ann, "psst");
  await town.until(() => town.asked().at(-1) === "psst");
  assert.deepEqual(town.asked(), ["hello", "with a call", "again", "psst"]);
  assert.ok(town.model.requests.every(({ prompt }) => !prompt.includes("canary")));
  assert.equal(log.filter((line) => line.includes("discord_context_off")).length, 1);
  assert.equal(discord.requestsOf("GET /channels/:id/messages").length, 0, "no history that would come without words");
});

test("TR-025 where nothing of before is wanted the right to read is not asked for, and where it is wanted it is", async () => {
  await using none = await openTown({ keys: "context_messages: 0" });
  await using some = await openTown({ keys: `context_messages: 0, places: { "112233445566778899": { context_messages: 3 } }` });
  assert.deepEqual([none.discord.gateway.intents & CONTENT, some.discord.gateway.intents & CONTENT], [0, CONTENT]);
  await marked(none, "hello");
  assert.deepEqual(
    [none, some].map(({ log }) => log.filter((line) => line.includes("discord_context_off")).length),
    [0, 0],
  );
});

test("TR-025 a history whose words are all empty turns context off, and that is told once", async () => {
  await using town = await openTown();
  const { discord, ann, tavern, log } = town;
  for (const words of ["one", "two", "three"]) discord.say(ann, tavern, words);
  discord.privileges.messageContent = false;
  await marked(town, "hello");
  await marked(town, "and again");
  assert.equal(log.filter((line) => line.includes("discord_context_off")).length, 1);
});

test("TR-042 VS-001 who is answered for a role is answered for what was said in a gap too, by the role of now; nobody else is asked about", async () => {
  const people: FakeUser[] = [];
  await using town = await openTown({
    before(scene) {
      const { discord, guild } = scene;
      const role = discord.addRole(guild, "Regulars");
      people.push(...["reg", "former", "idle"].map((name) => discord.addUser(name)));
      for (const one of people) discord.join(guild, one, role);
      scene.keys = `allow: ["role:${guild.id}/${role.id}"]`;
    },
  });
  const { discord, guild, tavern, mark } = town;
  const [reg, gone, quiet] = people;
  assert.ok(reg !== undefined && gone !== undefined && quiet !== undefined);
  discord.say(reg, tavern, `${mark} before`);
  await town.until(() => town.asked().at(-1) === "before");
  await town.until(() => discord.ledger.length === 1);
  await town.quiet();
  await town.restart({
    while() {
      discord.gateway.forgetSession();
      discord.say(reg, tavern, `${mark} in the gap`);
      discord.say(gone, tavern, `${mark} me too`);
      discord.say(quiet, tavern, "to nobody");
      guild.members.get(gone.id)?.roles.clear();
      discord.say(reg, tavern, `${mark} and again`);
    },
  });
  await town.until(() => town.asked().some((said) => said.includes("and again")));
  await town.quiet();
  assert.deepEqual(
    town.asked().flatMap((said) => said.split("\n")),
    ["before", "in the gap", "and again"],
  );
  const asked = discord.requestsOf("GET /guilds/:id/members/:user").map(({ path }) => path.split("/").at(-1));
  assert.deepEqual(new Set(asked), new Set([reg.id, gone.id]));
});

test("TR-081 TR-034 cases B62 a server that sends nulls, tells history backwards and says 400 to everything is spoken with all the same", async () => {
  await using town = await openTown({ discord: { dialect: "other" }, keys: "admission: addressed" });
  const { discord, ann, ben, tavern, mark } = town;
  for (const words of ["one", "two", "three"]) discord.say(ben, tavern, words);
  await marked(town, "what was that?");
  const prompt = town.model.requests.at(-1)?.prompt ?? "";
  assert.match(prompt, /one[\s\S]*two[\s\S]*three/, "oldest first, however it came");
  await town.until(() => discord.ledger.length === 1);
  const locked = discord.startThread(tavern, "locked");
  locked.locked = true;
  discord.say(ann, locked, `${mark} anybody?`);
  await town.until(() => town.log.some((line) => line.includes("thread_locked")));
  tavern.rights.delete("send");
  discord.say(ann, tavern, `${mark} once more`);
  await town.until(() => town.log.some((line) => line.includes("no_permission")));
  tavern.rights.add("send");
  discord.direct(ann, "psst");
  await town.until(() => discord.ledger.length === 2);
  assert.equal(discord.ledger.at(-1)?.message.channel.kind, "direct");
  assert.equal(stateOf(town), "online");
});

test("TR-081 cases B19 a token that is rejected in the middle stops this surface, says what to do, and leaves room and console", async () => {
  await using town = await openTown({ surfaces: "  parlour: { kind: room, port: 0, character: tobias }" });
  const { discord, ann, tavern, mark } = town;
  discord.faults.add("POST /channels/:id/messages", { kind: "error", status: 401, code: 0 });
  discord.say(ann, tavern, `${mark} hello`);
  await town.until(() => stateOf(town) === "authentication-blocked");
  const requests = discord.requests.length;
  discord.say(ann, tavern, `${mark} again`);
  await town.quiet(200);
  assert.equal(discord.requests.length, requests, "nothing is asked with it any more");
  assert.match(town.log.find((line) => line.includes("discord_blocked")) ?? "", /"reason":"token_rejected","cure":"[^"]*fresh one/);
  const [room] = town.runtime.addresses.room;
  for (const url of [room?.url ?? "", town.runtime.addresses.console]) assert.equal((await fetch(url)).status, 200);
  // A fresh token is taken at the next start.
  await town.restart();
  await town.until(() => stateOf(town) === "online");
});
