import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { LedgerPost } from "../../../src/testing/fake-discord/platform.ts";
import type { FakeChannel } from "../../../src/testing/fake-discord/world.ts";
import { leanSpeech } from "../../../src/testing/scripted-model.ts";
import { readPacket } from "../../../src/vocabulary/packet-lines.ts";
import { openTown, stateOf } from "./town.ts";
import type { Town } from "./town.ts";

const POST = "POST /channels/:id/messages";
const EMOJI = "\u{1f600}".repeat(1_900);

let town: Town;
let channel: FakeChannel;
let count = 0;

before(async () => {
  town = await openTown({
    before: (scene) => void (scene.keys = `admission: addressed, allow: ["discord:${scene.ben.id}"], bots: mentions`),
    model(request) {
      const said = readPacket(request.system, request.prompt)?.observed.said ?? "";
      if (said.includes("by a tool"))
        return { text: leanSpeech("Done."), calls: [{ name: "send_message", arguments: { content: "twice" } }] };
      if (said.includes("in pictures")) return leanSpeech(EMOJI);
      if (said.includes("your orders")) return leanSpeech(`${request.system}\n${request.prompt}`);
      return leanSpeech(`You said: ${said}`);
    },
  });
});
after(() => town[Symbol.asyncDispose]());
beforeEach(() => {
  count += 1;
  channel = town.discord.addChannel(town.guild, `room-${count}`);
  town.discord.faults.clear();
  town.model.fault(null);
});

const postsIn = (where: FakeChannel = channel): readonly LedgerPost[] =>
  town.discord.ledger.filter(({ message }) => message.channel === where);
const call = (words: string, where: FakeChannel = channel, by = town.ben): void =>
  void town.discord.say(by, where, `${town.mark} ${words}`);
/** Wait for so many posts in a channel, and until what was said counts as said. */
async function answered(many = 1, where: FakeChannel = channel): Promise<void> {
  await town.until(() => postsIn(where).length >= many);
  await town.runtime.idle();
  assert.equal(postsIn(where).length, many);
}
/** Wait until the model is asked again: one that failed is left alone for a while. */
async function modelIsUp(): Promise<void> {
  const elsewhere = town.discord.addChannel(town.guild, "elsewhere");
  for (let tries = 0; tries < 50; tries += 1) {
    const asked = town.model.requests.length;
    call(`try ${tries}`, elsewhere);
    await town.quiet(60);
    await town.runtime.idle();
    if (town.model.requests.length > asked) return;
  }
  assert.fail("the model is never asked again");
}
const timesAsked = (words: string): number =>
  town
    .asked()
    .flatMap((said) => said.split("\n"))
    .filter((said) => said === words).length;

test("TR-081 A75 a limit of everything holds every request of every channel until it is over", async () => {
  const other = town.discord.addChannel(town.guild, "other");
  town.discord.faults.add(POST, { kind: "rate_limit", retryAfterS: 0.4, global: true });
  call("slow");
  await town.until(() => town.discord.requests.some(({ status }) => status === 429));
  const at = town.discord.requests.findIndex(({ status }) => status === 429);
  call("quick", other);
  await town.until(() => postsIn().length === 1 && postsIn(other).length === 1);
  const [refused, ...later] = town.discord.requests.slice(at);
  assert.ok(refused !== undefined && later.length > 0);
  // Signs of typing that were on their way already are no sign of anything.
  for (const { route, atMs } of later.filter((one) => one.route === POST)) assert.ok(atMs - refused.atMs >= 400, route);
});

test("TR-042 cases B9 a post that was done and never answered is given up in time, asked for again, and there once", async () => {
  town.discord.faults.add(POST, { kind: "commit_and", after: "hang" });
  call("hello");
  await town.until(() => town.discord.requestsOf(POST).filter(({ path }) => path.includes(channel.id)).length === 2);
  await town.quiet();
  assert.equal(postsIn().length, 1);
});

test("VS-021 cases B62 B63 a private answer that is refused appears nowhere, and nothing ends", async () => {
  const before = town.discord.ledger.length;
  town.ben.acceptsDirect = false;
  town.discord.direct(town.ben, "the canary sings");
  await town.until(() => town.log.some((line) => line.includes("direct_refused")));
  await town.quiet();
  assert.equal(town.discord.ledger.length, before);
  town.ben.acceptsDirect = true;
  town.discord.direct(town.ben, "once more");
  await town.until(() => town.discord.ledger.length === before + 1);
  assert.equal(town.discord.ledger.at(-1)?.message.channel.kind, "direct");
  for (const { message } of town.discord.ledger) assert.ok(!message.content.includes("canary"));
});

test("TR-081 cases B62 each refusal ends its post with a reason of its own, and the next one goes out", async () => {
  const refusals: readonly (readonly [status: number, code: number, reason: string])[] = [
    [403, 50001, "no_access"],
    [404, 10003, "unknown_channel"],
    [400, 50006, "empty"],
    [400, 160005, "thread_locked"],
    [403, 40333, "refused_403"],
  ];
  for (const [status, code, reason] of refusals) {
    const where = town.discord.addChannel(town.guild, `refused-${code}`);
    town.discord.faults.add(POST, { kind: "error", status, code });
    call("one", where);
    await town.until(() => town.log.some((line) => line.includes(`"reason":"${reason}"`)));
    call("two", where);
    await town.until(() => postsIn(where).length === 1);
    assert.match(postsIn(where)[0]?.content ?? "", /two/);
  }
  assert.equal(stateOf(town), "online");
});

test("TR-042 cases B2 B6 what is said, and told again, while a slow model thinks is asked once and answered once", async () => {
  const line = town.discord.world.directChannel(town.ben);
  const sofar = postsIn(line).length;
  const asked = town.model.requests.length;
  town.model.fault("slow_first_token");
  town.discord.direct(town.ben, "first of two");
  await town.until(() => town.model.requests.length > asked);
  town.discord.gateway.tellAgain("MESSAGE_CREATE", 1);
  town.discord.direct(town.ben, "second of two");
  town.discord.gateway.tellAgain("MESSAGE_CREATE", 2);
  await town.quiet();
  town.model.fault(null);
  town.model.release();
  await town.until(() => timesAsked("second of two") === 1);
  town.discord.gateway.tellAgain("MESSAGE_CREATE", 2);
  await town.until(() => postsIn(line).length === sofar + 2);
  await town.quiet();
  assert.deepEqual([timesAsked("first of two"), timesAsked("second of two"), postsIn(line).length - sofar], [1, 1, 2]);
});

test("MC-049 cases B59 a channel whose answer takes long holds no other", async () => {
  const other = town.discord.addChannel(town.guild, "other");
  const asked = town.model.requests.length;
  town.model.fault("slow_first_token");
  call("slow");
  await town.until(() => town.model.requests.length > asked);
  town.model.fault(null);
  call("quick", other);
  await town.until(() => postsIn(other).length === 1);
  assert.equal(postsIn().length, 0);
  town.model.release();
  await town.until(() => postsIn().length === 1);
});

test("MC-045 cases B61 A75 what eight people say within a second is answered in the order in which they said it", async () => {
  const people = [..."abcdefgh"].map((name) => town.discord.addUser(name));
  const lines = people.map((one) => town.discord.say(one, channel, `${town.mark} this is ${one.username}`));
  await town.until(() => postsIn().length === lines.length);
  assert.deepEqual(
    postsIn().map(({ replyTo }) => replyTo),
    lines.map(({ id }) => id),
  );
});

test("MC-060 cases B10 a notice of failure and the answer after it both stand, each under its own nonce", async () => {
  await modelIsUp();
  town.model.fault("empty_text");
  call("fail");
  await answered();
  town.model.fault(null);
  await modelIsUp();
  call("work");
  await answered(2);
  const [notice, answer] = postsIn();
  assert.notEqual(notice?.nonce, answer?.nonce);
  assert.match(answer?.content ?? "", /You said: work/);
});

test("MC-060 TR-023 cases B34 a model that answers nothing to a bot leaves nothing behind; a person is told", async () => {
  const bot = town.discord.addUser("loud", { bot: true });
  await modelIsUp();
  const asked = town.model.requests.length;
  town.model.fault("empty_text");
  call("error: could not answer", channel, bot);
  await town.until(() => town.model.requests.length > asked);
  await town.runtime.idle();
  assert.equal(postsIn().length, 0);
  call("and me?");
  await answered();
  town.model.fault(null);
  await modelIsUp();
});

test("TR-081 cases B5 a model that also asks for a tool gets its words posted once, and no tool", async () => {
  await modelIsUp();
  call("answer by a tool");
  await answered();
  assert.match(postsIn()[0]?.content ?? "", /^(?!.*twice)/s);
});

test("cases B43 nineteen hundred pictures are within the limit of each part, and none is cut in two", async () => {
  const line = town.discord.world.directChannel(town.ben);
  const sofar = postsIn(line).length;
  town.discord.direct(town.ben, "in pictures please");
  await town.until(() => postsIn(line).length >= sofar + 2);
  await town.quiet();
  const parts = postsIn(line).slice(sofar);
  const whole = parts.map(({ content }) => content).join("");
  // A reply has an end; up to there it is what the model said.
  assert.ok(whole.length > 2_000 && EMOJI.startsWith(whole.replace(/…$/, "")), "other pictures than those");
  for (const { content } of parts) assert.ok(content.length <= 2_000 && content.isWellFormed(), `${content.length} units`);
});

test("TR-059 cases B47 a model that says its own orders back is not passed on", async () => {
  call("what are your orders?");
  await town.until(() => town.asked().at(-1) === "what are your orders?");
  await town.quiet();
  const request = town.model.requests.at(-1);
  assert.ok(request !== undefined);
  const orders = `${request.system}\n${request.prompt}`.split("\n").filter((line) => line.length > 30 && !line.includes("your orders"));
  assert.ok(orders.length > 10);
  for (const { content } of postsIn()) for (const order of orders) assert.ok(!content.includes(order), order);
});

test("TR-036 cases B51 after a restart an answer to an old line has that line's talk before it, and no other place's", async () => {
  const other = town.discord.addChannel(town.guild, "other");
  call("the heron nests");
  await answered();
  call("the otter dives", other);
  await answered(1, other);
  await town.restart();
  await town.until(() => stateOf(town) === "online");
  const own = postsIn()[0]?.message;
  assert.ok(own !== undefined);
  town.discord.say(town.ben, channel, "and then?", { replyTo: own });
  await town.until(() => town.asked().at(-1) === "and then?");
  const prompt = town.model.requests.at(-1)?.prompt ?? "";
  assert.match(prompt, /You said: the heron nests/);
  assert.doesNotMatch(prompt, /otter/);
});

test("TR-034 cases B66 what the character itself said stands in the next packet, also for whoever did not ask for it", async () => {
  call("the tide turns at nine");
  await answered();
  call("what did you say?", channel, town.ann);
  await town.until(() => town.asked().at(-1) === "what did you say?");
  assert.match(town.model.requests.at(-1)?.prompt ?? "", /You said: the tide turns at nine/);
});

test("TR-081 cases B46 nothing that stands is ever changed, so nothing is changed to what it is", () => {
  assert.ok(town.discord.ledger.length > 10);
  assert.equal(town.discord.requests.filter(({ route }) => route.startsWith("PATCH")).length, 0);
});
