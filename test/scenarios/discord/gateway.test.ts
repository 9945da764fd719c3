import assert from "node:assert/strict";
import { test } from "node:test";
import { openTown, stateOf } from "./town.ts";
import type { Town } from "./town.ts";

/** Resolve once the model was asked so often; fails when it is asked more a moment later. */
async function asked(town: Town, count: number): Promise<readonly string[]> {
  await town.until(() => town.discord.ledger.length >= count);
  await town.quiet();
  assert.equal(town.discord.ledger.length, count);
  return town.asked();
}

test("TR-042 TR-081 cases B1 B3 B7 B11 whatever happens to the connection, each message is answered once, and in order", async () => {
  await using town = await openTown();
  const { discord, ann, tavern, mark } = town;
  const { gateway } = discord;

  discord.say(ann, tavern, `${mark} twice told`);
  gateway.tellAgain("MESSAGE_CREATE", 1);
  await asked(town, 1);

  gateway.overReplay = 20;
  gateway.tearAll();
  await town.until(() => gateway.resumes === 1 && stateOf(town) === "online");
  gateway.askToReconnect();
  await town.until(() => gateway.resumes === 2 && stateOf(town) === "online");
  assert.equal(gateway.connections.length, 1);
  discord.say(ann, tavern, `${mark} after two reconnects`);
  await asked(town, 2);
  assert.equal(gateway.identifies, 1);

  await town.restart({ while: () => discord.say(ann, tavern, `${mark} while nobody ran`) });
  await asked(town, 3);
  assert.equal(gateway.identifies, 1, "the session was taken up by the next process");

  gateway.next.push({ tearAtResume: true });
  gateway.forgetSession();
  gateway.tearAll();
  discord.say(ann, tavern, `${mark} in the gap`);
  await town.until(() => gateway.identifies === 2 && stateOf(town) === "online");
  discord.say(ann, tavern, `${mark} behind it`);
  await town.until(() => town.asked().some((said) => said.includes("behind it")));
  await town.quiet();
  assert.deepEqual(
    town.asked().flatMap((said) => said.split("\n")),
    ["twice told", "after two reconnects", "while nobody ran", "in the gap", "behind it"],
  );
});

test("TR-042 MC-049 cases B13 B73 after a lost session every channel is asked what was said in it, also one that was silent before, and none waits for another", async () => {
  await using town = await openTown({
    keys: "context_messages: 0",
    before({ discord, guild, ann }) {
      const old = discord.addChannel(guild, "old");
      discord.say(ann, old, `<@${discord.world.bot.id}> before there was a bot`);
    },
  });
  const { discord, ann, tavern, guild, mark } = town;
  const [silent, lively] = [discord.addChannel(guild, "silent"), discord.addChannel(guild, "lively")];
  discord.say(ann, tavern, `${mark} before`);
  await asked(town, 1);
  discord.gateway.forgetSession();
  discord.gateway.tearAll();
  // The channel with the newest news is asked first, and wants that later.
  discord.say(ann, silent, `${mark} where nobody spoke`);
  discord.say(ann, tavern, `${mark} where somebody did`);
  discord.faults.add("GET /channels/:id/messages", { kind: "rate_limit", retryAfterS: 18 }, { times: 1 });
  await town.until(() => discord.gateway.identifies === 2 && stateOf(town) === "online");
  discord.say(ann, tavern, `${mark} and went on`);
  await town.until(() => town.asked().includes("where nobody spoke"));
  discord.say(ann, lively, `${mark} meanwhile elsewhere`);
  await town.until(() => town.asked().includes("meanwhile elsewhere"));
  assert.equal(discord.requestsOf("GET /channels/:id/messages").length, 2, "the one has not been asked again yet");
  await town.until(() => town.asked().length === 4);
  await town.quiet();
  assert.deepEqual(
    town.asked(),
    ["before", "where nobody spoke", "meanwhile elsewhere", "where somebody did\nand went on"],
    "each channel in its order, and nobody waits for the one that is read later",
  );
});

test("cases B19 a bot that is stopped for good takes nothing else with it, and says what to do", async () => {
  await using town = await openTown();
  town.discord.gateway.closeAll(4014);
  await town.until(() => stateOf(town) === "authentication-blocked");
  const line = town.log.find((one) => one.includes("discord_blocked")) ?? "";
  assert.match(line, /"reason":"closed_4014","cure":"[^"]*Message Content Intent/);
  assert.equal((await fetch(town.runtime.addresses.console)).status, 200);
});
