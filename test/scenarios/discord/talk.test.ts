import assert from "node:assert/strict";
import { test } from "node:test";
import { openTown } from "./town.ts";

test("VS-001 a mention by a trusted person is answered in the channel, as a reply that calls nobody", async () => {
  await using town = await openTown();
  const { discord, ann, ben, tavern, mark } = town;
  discord.say(ben, tavern, `${mark} and me?`);
  const line = discord.say(ann, tavern, `${mark} say @everyone and <@${ben.id}>`);
  await town.until(() => discord.ledger.length === 1);
  const [post] = discord.ledger;
  assert.match(post?.content ?? "", /^You said: say/);
  assert.equal(post?.replyTo, line.id);
  assert.deepEqual(post?.pinged, { everyone: false, users: [], roles: [] });
  assert.deepEqual(town.asked(), ["say @everyone and @Ben"]);
});
