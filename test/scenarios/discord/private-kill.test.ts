import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeDiscord } from "../../../src/testing/fake-discord/fake-discord.ts";
import { leanSpeech, startScriptedModel } from "../../../src/testing/scripted-model.ts";
import { readPacket } from "../../../src/vocabulary/packet-lines.ts";
import { Workshop } from "../troupe-process.ts";

const POST = "POST /channels/:id/messages";
/** In this time whatever is to come has come, also on a slow computer. */
const WAIT_MS = 20_000;

test("VS-021 TR-042 an answer for one person alone stays on that person's line when the program is killed: before it is thought, before and after it is posted, and where the line is closed by then", async () => {
  await using discord = new FakeDiscord();
  await discord.listen();
  await using model = await startScriptedModel({
    script: ({ system, prompt }) => leanSpeech(`You said: ${readPacket(system, prompt)?.observed.said ?? "nothing"}`),
  });
  const guild = discord.addGuild("Harbour");
  const tavern = discord.addChannel(guild, "tavern");
  const [ann, ben, cy, dee, eve] = ["ann", "ben", "cy", "dee", "eve"].map((name) => discord.addUser(name));
  assert.ok(ann !== undefined && ben !== undefined && cy !== undefined && dee !== undefined && eve !== undefined);
  const people = [ben, cy, dee, eve];
  for (const one of [ann, ...people]) discord.join(guild, one);
  await using workshop = new Workshop(`characters: { mirelle: { name: Mirelle, description: Keeps the inn. } }
models: { hosts: { s: { api: openai, url: "${model.url}", models: [scripted] } } }
people: { operators: ["discord:${ann.id}"] }
surfaces:
  town: { kind: discord, token_env: TOKEN, character: mirelle, api_base: "${discord.api}", other_server: true, admission: addressed, context_messages: 0 }
  parlour: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
`);
  const until = (done: () => boolean): Promise<void> => discord.until(done, AbortSignal.timeout(WAIT_MS));
  const privately = (one: typeof ann): readonly string[] => discord.postedIn(discord.world.directChannel(one));
  const call = (one: typeof ann): unknown => discord.say(one, tavern, `<@${discord.world.bot.id}> it is ${one.username}`);
  const policy = async (mode: string): Promise<void> => {
    const sofar = privately(ann).length;
    discord.direct(ann, `config defaultMode ${mode}`);
    await until(() => privately(ann).length > sofar);
  };
  const environment = { TOKEN: discord.token };

  const first = await workshop.start({ environment });
  await until(() => discord.gateway.ready);
  await policy("dm");
  const unanswered = (): number => discord.requestsOf(POST).filter(({ status }) => status === 0).length;
  discord.faults.add(POST, { kind: "hang" });
  call(ben);
  await until(() => unanswered() === 1);
  discord.faults.add(POST, { kind: "commit_and", after: "hang" });
  call(cy);
  await until(() => privately(cy).length === 1);
  model.fault("hanging_headers");
  const asked = model.requests.length;
  for (const one of [dee, eve]) call(one);
  await until(() => model.requests.length === asked + 2);
  await policy("channel");
  process.kill(first.pid, "SIGKILL");
  await first.ended();

  model.fault(null);
  model.release();
  discord.faults.clear();
  eve.acceptsDirect = false;
  const second = await workshop.start({ environment });
  const { partsFound, ...rows } = second.recovered;
  assert.deepEqual(rows, { messagesAgain: 2, expired: 0, interrupted: 0 });
  assert.ok(partsFound >= 2, `${partsFound} parts were on their way`);
  await until(() => [ben, cy, dee].every((one) => privately(one).length === 1) && second.errors.includes("direct_failed"));
  // What is said from now on is answered in the channel: whatever might have come there before is there by then.
  call(ben);
  await until(() => discord.postedIn(tavern).length > 0);
  assert.deepEqual(
    discord.postedIn(tavern).map((said) => said.includes("it is ben")),
    [true],
  );
  assert.deepEqual(
    people.map((one) => privately(one).map((said) => /it is (\w+)/.exec(said)?.[1])),
    [["ben"], ["cy"], ["dee"], []],
  );
});
