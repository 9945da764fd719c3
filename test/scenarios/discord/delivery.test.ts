import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import type { RestFault } from "../../../src/testing/fake-discord/faults.ts";
import type { LedgerPost } from "../../../src/testing/fake-discord/platform.ts";
import type { FakeChannel } from "../../../src/testing/fake-discord/world.ts";
import { leanSpeech } from "../../../src/testing/scripted-model.ts";
import { readPacket } from "../../../src/vocabulary/packet-lines.ts";
import { openTown, stateOf } from "./town.ts";
import type { Town } from "./town.ts";

const POST = "POST /channels/:id/messages";
const LONG = `${"The tide is out. ".repeat(112)}\n\n\`\`\`\n${"fog\n".repeat(90)}\`\`\`\nend`;

let town: Town;
let channel: FakeChannel;
let count = 0;

before(async () => {
  town = await openTown({
    keys: "admission: addressed, context_messages: 0, dms: known",
    model: (request) => {
      const said = readPacket(request.system, request.prompt)?.observed.said ?? "";
      if (said.includes("at length")) return leanSpeech(LONG);
      if (said.includes("wave"))
        return JSON.stringify({ action_label: "gesture", visible_action: "waves a *cloth*", spoken_text: "Hello." });
      return leanSpeech(said.includes("say: ") ? said.slice(said.indexOf("say: ") + 5) : `heard ${said}`);
    },
  });
});
after(() => town[Symbol.asyncDispose]());
beforeEach(() => {
  count += 1;
  channel = town.discord.addChannel(town.guild, `room-${count}`);
  town.discord.faults.clear();
});

const postsIn = (where: FakeChannel = channel): readonly LedgerPost[] =>
  town.discord.ledger.filter(({ message }) => message.channel === where);

/** The same in private: answers there may be longer. */
async function privately(words: string, expected: number): Promise<readonly LedgerPost[]> {
  const line = town.discord.world.directChannel(town.ben);
  const sofar = postsIn(line).length;
  town.discord.direct(town.ben, words);
  await town.until(() => postsIn(line).length >= sofar + expected);
  await town.quiet();
  assert.equal(postsIn(line).length, sofar + expected);
  return postsIn(line).slice(sofar);
}

/** Say something to the bot, and give its posts there once they are so many and no more come. */
async function answersTo(words: string, expected = 1): Promise<readonly LedgerPost[]> {
  const sofar = postsIn().length;
  town.discord.say(town.ben, channel, `${town.mark} ${words}`);
  await town.until(() => postsIn().length >= sofar + expected);
  await town.quiet();
  assert.equal(
    postsIn().length,
    sofar + expected,
    postsIn()
      .map(({ content }) => content)
      .join("|"),
  );
  return postsIn().slice(sofar);
}

for (const [what, fault] of [
  ["was lost after it was done", { kind: "commit_and", after: "tear" }],
  ["failed after it was done", { kind: "commit_and", after: "fail" }],
  ["never got there", { kind: "tear" }],
  ["met a failing server", { kind: "answer", status: 503 }],
] as const satisfies readonly (readonly [string, RestFault])[]) {
  test(`TR-042 cases B9 a post whose answer ${what} is there exactly once`, async () => {
    town.discord.faults.add(POST, fault);
    const [post] = await answersTo("hello");
    assert.equal(typeof post?.nonce, "string");
    const tries = town.discord.requestsOf(POST).filter(({ path }) => path.includes(channel.id));
    assert.equal(tries.length, 2);
  });
}

test("TR-081 cases B39 a nonce of its own for each part, and nobody is called by any of them", async () => {
  const posts = await answersTo(`say: @everyone <@${town.ann.id}> <@&${town.guild.id}> @here`);
  assert.deepEqual(posts[0]?.pinged, { everyone: false, users: [], roles: [] });
  const parts = await privately("tell it at length", 2);
  for (const part of [...posts, ...parts]) assert.deepEqual(part.allowedMentions, { parse: [], replied_user: false });
  assert.equal(new Set([...posts, ...parts].map(({ nonce }) => nonce)).size, 3);
});

test("cases B41 B42 A75 the parts of a long answer arrive whole, in order and within the limit, also when one is told to wait", async () => {
  town.discord.faults.add(POST, { kind: "delay", ms: 2_000 });
  town.discord.faults.add(POST, { kind: "rate_limit", retryAfterS: 2, bucket: "b" }, { skip: 1 });
  const parts = await privately("tell it at length", 2);
  for (const { content } of parts) {
    assert.ok(content.length <= 2_000);
    assert.equal((content.match(/```/g) ?? []).length % 2, 0, "fences are balanced");
  }
  assert.match(parts.at(-1)?.content ?? "", /end/);
  assert.match(parts[0]?.content ?? "", /^The tide/);
});

test("A75 a limit of everything holds everything, one of a channel that channel alone", async () => {
  const other = town.discord.addChannel(town.guild, "other");
  town.discord.faults.add(POST, { kind: "rate_limit", retryAfterS: 20 });
  town.discord.say(town.ben, channel, `${town.mark} slow`);
  await town.until(() => town.discord.requestsOf(POST).some(({ path, status }) => status === 429 && path.includes(channel.id)));
  town.discord.say(town.ben, other, `${town.mark} quick`);
  await town.until(() => postsIn(other).length === 1);
  assert.equal(postsIn().length, 0, "the other channel was answered meanwhile");
  await town.until(() => postsIn().length === 1);
});

test("VS-021 cases B62 a refusal is the end of that post, and the next one goes out", async () => {
  town.discord.faults.add(POST, { kind: "error", status: 403, code: 50013 });
  town.discord.say(town.ben, channel, `${town.mark} one`);
  await town.until(() => town.log.some((line) => line.includes("no_permission")));
  await answersTo("two");
  assert.equal(town.discord.requestsOf(POST).filter(({ path }) => path.includes(channel.id)).length, 2, "it was not tried again");
});

test("cases B45 an answer to what cannot be answered is posted without saying what it answers", async () => {
  town.discord.faults.add(POST, { kind: "error", status: 400, code: 50035 });
  const [post] = await answersTo("hello");
  assert.equal(post?.replyTo, null);
  channel.rights.delete("read_history");
  const [second] = await answersTo("again");
  assert.equal(second?.replyTo, null);
});

test("a gesture stands in front of the words, in the platform's own way", async () => {
  const [post] = await answersTo("wave to me");
  assert.equal(post?.content.split("\n")[0], "*waves a cloth*");
  assert.match(post?.content ?? "", /\nHello\./);
});

test("cases B58 signs of typing end with the answer, and with a refusal", async () => {
  town.discord.faults.add(POST, { kind: "error", status: 403, code: 50013 }, { skip: 1 });
  await answersTo("hello");
  const given = (): number => town.discord.typing.filter((sign) => sign.channel === channel).length;
  assert.ok(given() >= 1);
  const before = given();
  await town.quiet(420);
  assert.equal(given(), before, "none after the post, for ten seconds of the town");
  town.discord.say(town.ben, channel, `${town.mark} refused`);
  await town.until(() => town.log.filter((line) => line.includes("no_permission")).length >= 2);
  const then = given();
  await town.quiet(420);
  assert.equal(given(), then);
});

test("SE-096 nothing is asked of the platform because of a message that is not for the bot", async () => {
  const seen = town.discord.requests.length;
  for (const text of ["good evening", "mirelle?", `\`${town.mark}\``, `> ${town.mark} hi`]) town.discord.say(town.ben, channel, text);
  await town.quiet(200);
  assert.equal(town.discord.requests.length, seen);
});

test("TR-042 a part that may have been sent when the process ended is looked for, and not said twice", async () => {
  town.discord.faults.add(POST, { kind: "commit_and", after: "hang" });
  town.discord.say(town.ben, channel, `${town.mark} hello`);
  await town.until(() => postsIn().length === 1);
  await town.restart();
  await town.until(() => stateOf(town) === "online");
  await town.quiet(200);
  assert.equal(postsIn().length, 1);
  town.discord.faults.add(POST, { kind: "hang" });
  town.discord.say(town.ben, channel, `${town.mark} once more`);
  await town.until(
    () =>
      town.discord.requestsOf(POST).some(({ path, status }) => status === 0 && path.includes(channel.id)) &&
      town.asked().at(-1) === "once more",
  );
  await town.quiet(100);
  await town.restart();
  await town.until(() => postsIn().length === 2);
});

test("MC-105 no byte of the token is in the log, the state folder or a post", async () => {
  const words = town.discord.token.split(".").filter((word) => word.length > 8);
  const files = readdirSync(town.folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = [town.log.join("\n"), JSON.stringify(town.discord.ledger.map(({ content }) => content))];
  for (const file of files) texts.push(readFileSync(join(file.parentPath, file.name)).toString("latin1"));
  for (const word of words) for (const text of texts) assert.ok(!text.includes(word));
  assert.ok(files.length > 2);
});
