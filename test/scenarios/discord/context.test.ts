import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { FakeChannel } from "../../../src/testing/fake-discord/world.ts";
import { readPacket } from "../../../src/vocabulary/packet-lines.ts";
import { openTown, stateOf } from "./town.ts";
import type { Town } from "./town.ts";

let town: Town;
let brief: FakeChannel;
let none: FakeChannel;

before(async () => {
  town = await openTown({
    before(scene) {
      const { discord, guild, tavern, ben } = scene;
      brief = discord.addChannel(guild, "brief");
      none = discord.addChannel(guild, "none");
      for (let at = 0; at < 20; at++) discord.say(ben, tavern, `early ${at}`);
      scene.keys = `allow: ["discord:${ben.id}"], places: { "${brief.id}": { context_messages: 3, context_chars: 20 }, "${none.id}": { context_messages: 0 } }`;
    },
  });
});
after(() => town[Symbol.asyncDispose]());

/** Say something that calls the bot, and give what the packet tells of before: `name: words`. */
async function told(channel: FakeChannel, words: string): Promise<readonly string[]> {
  const { discord, ann, mark, model } = town;
  const sofar = model.requests.length;
  const answered = discord.ledger.length;
  discord.say(ann, channel, `${mark} ${words}`);
  await town.until(() => model.requests.length > sofar && discord.ledger.length > answered);
  const request = model.requests[sofar];
  const packet = request === undefined ? null : readPacket(request.system, request.prompt);
  assert.equal(packet?.observed.said, words);
  return packet?.earlier.map(({ name, said }) => `${name}: ${said}`) ?? [];
}

const history = (channel: FakeChannel): number =>
  town.discord.requests.filter(({ route, path }) => route.startsWith("GET ") && path.includes(`/channels/${channel.id}/messages`)).length;

test("VS-029 VS-030 VS-032 TR-034 fifteen messages before a mention are data in its packet, without the mention itself", async () => {
  const { tavern, discord, ben } = town;
  assert.equal(history(tavern), 0, "nothing is collected before somebody calls");
  assert.deepEqual(
    await told(tavern, "what was that?"),
    Array.from({ length: 15 }, (_, at) => `ben: early ${at + 5}`).map((line) => line.replace("ben", "Ben")),
  );
  assert.equal(history(tavern), 1);
  const changed = discord.say(ben, tavern, "later, wrong");
  const gone = discord.say(ben, tavern, "never mind");
  const second = await told(tavern, "and now?");
  assert.ok(second.includes("Ben: later, wrong") && second.includes("Ben: never mind"), second.join("\n"));
  assert.equal(second.filter((line) => line === "Ann: what was that?").length, 1, "what is kept already is not told twice");
  assert.equal(second.filter((line) => line.includes("You said: what was that?")).length, 1, "nor are its own words");
  discord.edit(changed, "later, right");
  discord.remove(gone);
  const third = await told(tavern, "and then?");
  assert.ok(third.includes("Ben: later, right"), third.join("\n"));
  assert.ok(!third.some((line) => line.includes("wrong") || line.includes("never mind")), "changed and taken away");
});

test("VS-030 a channel has limits of its own; with none nothing is collected, and a thread has only what was said in it", async () => {
  const { discord, ben, tavern } = town;
  for (const words of ["one", "two", "three", "four and a lot more words"]) discord.say(ben, brief, words);
  assert.deepEqual(await told(brief, "hm?"), [], "the newest does not fit, and nothing older comes without it");
  discord.say(ben, none, "unheard");
  assert.deepEqual(await told(none, "hm?"), []);
  assert.equal(history(none), 0);
  const thread = discord.startThread(tavern, "aside");
  discord.say(ben, thread, "in the thread");
  assert.deepEqual(await told(thread, "hm?"), ["Ben: in the thread"]);
});

test("VS-029 TR-091 whose words are not to be collected, and what only one person sees, stays out", async () => {
  const { discord, ben, guild } = town;
  const other = discord.addChannel(guild, "other");
  discord.say(ben, other, "from ben");
  const before = await told(other, "who was here?");
  assert.ok(before.includes("Ben: from ben"), before.join("\n"));
  const answers = discord.ledger.length;
  discord.direct(ben, "/ignore me");
  await town.until(() => discord.ledger.length > answers);
  const eve = discord.addUser("eve");
  discord.join(guild, eve);
  discord.say(eve, other, "from eve");
  discord.say(eve, other, "secret", { flags: 64 });
  const words = await told(other, "who is here?");
  assert.ok(words.includes("eve: from eve"), words.join("\n"));
  assert.ok(!words.some((line) => line.includes("secret") || line.includes("from ben")), words.join("\n"));
});

test("VS-034 VS-038 what is collected stands in no file, wherever the environment points; after a restart it is empty and asked for anew", async () => {
  const { discord, ben, guild, folder } = town;
  const aside = discord.addChannel(guild, "aside");
  discord.say(ben, aside, "a heron on the quay");
  const cara = discord.addUser("cara");
  discord.join(guild, cara);
  discord.say(cara, aside, "the heron waits");
  process.env["VESKSLOP_CACHE_DIR"] = join(folder, "cache");
  try {
    assert.deepEqual(await told(aside, "what is there?"), ["cara: the heron waits"], "and not Ben, who asked not to be heard");
    await town.restart();
    await town.until(() => stateOf(town) === "online");
    const asked = history(aside);
    assert.ok((await told(aside, "and now?")).includes("cara: the heron waits"));
    assert.equal(history(aside), asked + 1);
  } finally {
    delete process.env["VESKSLOP_CACHE_DIR"];
  }
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.ok(files.length > 2);
  const holding = files.filter((file) => readFileSync(join(file.parentPath, file.name)).includes("heron waits"));
  assert.deepEqual(
    holding.map(({ name }) => name),
    [],
  );
  assert.ok(!existsSync(join(folder, "cache")));
  assert.ok(!town.log.some((line) => line.includes("heron")));
});
