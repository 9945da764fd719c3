import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { FakeMessage } from "../../../src/testing/fake-discord/world.ts";
import { leanSpeech } from "../../../src/testing/scripted-model.ts";
import type { OriginFacts } from "../../../src/vocabulary/origin.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../../src/vocabulary/principal.ts";
import { openTown, stateOf } from "./town.ts";
import type { Town } from "./town.ts";

const OWNER: OriginFacts = { principal: LOCAL_OWNER, role: "operator", assurance: "local", channel: "direct" };

let town: Town;
let rain: FakeMessage;
/** The message whose entry is looked for each time the model is asked, and what was found. */
let watched: string | null = null;
const heldWhenAsked: Promise<unknown>[] = [];

/** Ann owns the bot, Ben is trusted, Cid may talk though nobody trusts him, Dora may not. */
before(async () => {
  town = await openTown({
    before(scene) {
      const { discord, guild, tavern, ben } = scene;
      for (const name of ["cid", "dora"]) discord.join(guild, discord.addUser(name));
      rain = discord.say(ben, tavern, "it rains", { attachments: [{ filename: "map.png", url: "http://127.0.0.1:9/map.png", size: 12 }] });
      scene.keys = `allow: ["discord:${userId(discord.world.users.values(), "cid")}"]`;
    },
    model: () => {
      if (watched !== null) heldWhenAsked.push(run("trigger", { id: watched }));
      return leanSpeech("Hello.");
    },
  });
  await town.runtime.store.setTrust({ person: parsePrincipalId(`discord:${town.ben.id}`), role: "trusted", by: LOCAL_OWNER, atMs: 0 });
});
after(() => town[Symbol.asyncDispose]());

function userId(users: Iterable<{ readonly id: string; readonly username: string }>, name: string): string {
  return [...users].find(({ username }) => username === name)?.id ?? "";
}

function run(operation: string, args: object, actor: OriginFacts = OWNER): Promise<unknown> {
  return town.runtime.operations.run(operation, args, actor, AbortSignal.timeout(10_000));
}

async function entriesOf(operation: string, args: object = {}): Promise<readonly unknown[]> {
  const answer: unknown = await run(operation, args);
  assert.ok(typeof answer === "object" && answer !== null && "entries" in answer && Array.isArray(answer.entries));
  return answer.entries;
}

function idsOf(entries: readonly unknown[]): readonly unknown[] {
  return entries.map((entry) => (typeof entry === "object" && entry !== null && "id" in entry ? entry.id : null));
}

/** Let something be said that is answered, and give it once the answer is there. */
async function answered(say: () => FakeMessage): Promise<FakeMessage> {
  const sofar = town.discord.ledger.length;
  const message = say();
  await town.until(() => town.discord.ledger.length > sofar);
  return message;
}

const isoOf = (message: FakeMessage): string => new Date(Number((BigInt(message.id) >> 22n) + 1_420_070_400_000n)).toISOString();

test("VS-023 VS-025 VS-026 VS-031 each kind of trigger has exactly its fields: by mention, in private, and a command", async () => {
  const { discord, ann, ben, tavern, mark, guild } = town;
  const called = await answered(() => discord.say(ben, tavern, `${mark} hi <@${ann.id}>`));
  const alone = await answered(() => discord.direct(ben, "psst"));
  const order = await answered(() => discord.say(ann, tavern, `${mark} Whitelist  list`));
  const people = { ben: { authorId: ben.id, authorName: "ben" }, ann: { authorId: ann.id, authorName: "ann" } };
  const common = { channelId: tavern.id, guildId: guild.id, trusted: true };
  const whole = [
    { ...common, ...people.ben, id: called.id, content: `${mark} hi <@${ann.id}>`, timestamp: isoOf(called) },
    { ...people.ben, id: alone.id, channelId: alone.channel.id, content: "", timestamp: isoOf(alone), trusted: true },
    { ...common, ...people.ann, id: order.id, content: `${mark} Whitelist  list`, timestamp: isoOf(order), command: "Whitelist list" },
  ];
  assert.deepEqual(await entriesOf("triggers"), whole);
  const rained = { id: rain.id, ...people.ben, authorName: "Ben", content: "it rains\n[attached: map.png]", timestamp: isoOf(rain) };
  assert.deepEqual(await entriesOf("trigger", { id: called.id }), [{ ...whole[0], context: [rained] }], "without the trigger itself");
  assert.deepEqual(await entriesOf("trigger", { id: order.id }), [{ ...whole[2], context: [] }], "nothing is collected for an order");
  assert.deepEqual(await entriesOf("trigger", { id: alone.id }), [whole[1]], "nor in private");
  assert.ok(!town.discord.requests.some(({ path }) => path.includes("map.png")), "no file is asked for");
});

test("VS-023 TR-091 private words stay closed until they are opened, which the audit notes first; nobody but the person here is told anything", async () => {
  const { ben } = town;
  const opened = await entriesOf("triggers", { direct: true });
  assert.ok(JSON.stringify(opened).includes("psst"));
  assert.deepEqual(
    town.runtime.store.read
      .audits(5)
      .filter(({ act }) => act === "read_lines")
      .map(({ person, by }) => [person, by]),
    [[`discord:${ben.id}`, LOCAL_OWNER]],
  );
  const ids = idsOf(await entriesOf("triggers"));
  assert.equal(ids.length, 3);
  assert.deepEqual(idsOf(await entriesOf("triggers", { since: ids[0] })), ids.slice(1));
  const [alone] = await entriesOf("trigger", { id: ids[1], direct: true });
  assert.match(JSON.stringify(alone), /"content":"psst"/);
  assert.doesNotMatch(JSON.stringify(alone), /"(?:context|guildId)"/, "what is said in private has neither");
  assert.deepEqual(await entriesOf("triggers", { untrusted: true }), []);
  await assert.rejects(run("trigger", { id: "1" }), { code: "not_found" });
  for (const actor of [
    { ...OWNER, assurance: "platform" },
    { ...OWNER, principal: parsePrincipalId("mcp:helper"), role: "guest" },
  ] as const)
    for (const name of ["triggers", "trigger"]) await assert.rejects(run(name, { id: ids[0] }, actor), { code: "forbidden" });
});

test("VS-003 VS-024 VS-025 nobody else's line enters: not a stranger's, not talk, not that of somebody who may only talk", async () => {
  const { discord, ben, tavern, mark } = town;
  const [cid, dora] = ["cid", "dora"].map((name) => [...discord.world.users.values()].find(({ username }) => username === name));
  assert.ok(cid !== undefined && dora !== undefined);
  const before = await entriesOf("triggers");
  discord.say(dora, tavern, `${mark} let me in`);
  discord.say(ben, tavern, "just talk");
  await answered(() => discord.say(cid, tavern, `${mark} hello`));
  assert.deepEqual(await entriesOf("triggers"), before);
  assert.deepEqual(await entriesOf("triggers", { untrusted: true }), []);
});

test("VS-039 an entry stands in the log, with what was said before it, when the model is asked", async () => {
  const { discord, ben, tavern, mark } = town;
  discord.say(ben, tavern, "the fog lifts");
  const line = await answered(() => {
    const said = discord.say(ben, tavern, `${mark} and now?`);
    watched = said.id;
    return said;
  });
  watched = null;
  const [held, ...more] = await Promise.all(heldWhenAsked);
  assert.equal(more.length, 0, "asked once");
  assert.match(JSON.stringify(held), new RegExp(`"id":"${line.id}".*"context":\\[.*the fog lifts`));
});

test("VS-027 a restart begins the log anew", async () => {
  await town.restart();
  await town.until(() => stateOf(town) === "online");
  assert.deepEqual(await entriesOf("triggers"), []);
  const { discord, ann, tavern, mark } = town;
  const line = await answered(() => discord.say(ann, tavern, `${mark} again`));
  assert.deepEqual(idsOf(await entriesOf("triggers")), [line.id]);
});
