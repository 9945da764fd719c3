import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import type { RestFault } from "../../../src/testing/fake-discord/faults.ts";
import type { FakeChannel } from "../../../src/testing/fake-discord/world.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../../src/vocabulary/principal.ts";
import { openTown, stateOf } from "./town.ts";
import type { Town } from "./town.ts";

const POST = "POST /channels/:id/messages";
const OPEN = "POST /users/@me/channels";

let town: Town;
let own: FakeChannel;
let count = 0;

before(async () => {
  town = await openTown({
    before(scene) {
      own = scene.discord.world.directChannel(scene.ben);
      scene.keys = `allow: ["discord:${scene.ben.id}"]`;
      scene.discord.say(scene.ann, scene.tavern, "the canary sings in the tavern");
    },
  });
  await setDefault("dm");
});
after(() => town[Symbol.asyncDispose]());
afterEach(() => {
  town.discord.faults.clear();
});

function asOwner(operation: string, args: object): Promise<unknown> {
  const owner = { principal: LOCAL_OWNER, role: "operator", assurance: "local", channel: "direct" } as const;
  return town.runtime.operations.run(operation, args, owner, AbortSignal.timeout(10_000));
}

async function setDefault(mode: "dm" | "channel"): Promise<void> {
  await asOwner("set-policy", { default_mode: mode });
}

const inPrivate = (): readonly string[] => town.discord.postedIn(own);
const failures = (): number => town.log.filter((line) => line.includes('"direct_failed"') && !line.includes('"notice"')).length;

/** Let Ben call the bot in the tavern, with words of their own; give them. */
function call(): string {
  count += 1;
  const words = `number ${count}`;
  town.discord.say(town.ben, town.tavern, `${town.mark} ${words}`);
  return words;
}

/** What the tavern was shown of the bot: nothing, in every one of these tests. */
function tavernIsQuiet(): void {
  assert.deepEqual(town.discord.postedIn(town.tavern), []);
  assert.deepEqual(
    town.discord.typing.filter(({ channel }) => channel === town.tavern),
    [],
  );
  assert.ok(!town.discord.requestsOf(POST).some(({ path }) => path.includes(town.tavern.id)), "nor was anything tried there");
}

test("VS-015 VS-017 TR-030 a character's answer goes to the person alone, built of nothing that only readers of the channel may know", async () => {
  const { discord, ben, model } = town;
  discord.direct(ben, "between us: the cellar");
  await town.until(() => inPrivate().length === 1);
  const words = call();
  await town.until(() => inPrivate().some((said) => said.includes(`You said: ${words}`)));
  const prompt = model.requests.at(-1)?.prompt ?? "";
  assert.match(prompt, /cellar/, "what was said on that line is there");
  assert.doesNotMatch(prompt, /canary/, "what was said in the channel is not");
  assert.equal(
    discord.requests.filter(({ route, path }) => route.startsWith("GET") && path.includes(`${town.tavern.id}/messages`)).length,
    0,
  );
  assert.equal(discord.ledger.at(-1)?.replyTo, null);
  tavernIsQuiet();
  discord.direct(ben, "and what did I ask you there?");
  await town.until(() => inPrivate().length === 3);
  const later = model.requests.at(-1)?.prompt ?? "";
  assert.ok(later.includes(`You said: ${words}`), "its own words to Ben alone are there");
  assert.ok(!later.includes(`"said":"${words}"`), "Ben's line in the channel stays the channel's");
});

for (const [what, route, fault] of [
  ["is refused where it is posted", POST, { kind: "error", status: 403, code: 50007 }],
  ["meets no mutual server", POST, { kind: "error", status: 403, code: 50278 }],
] as const satisfies readonly (readonly [string, string, RestFault])[]) {
  test(`VS-021 cases B62 B63 A38 an answer in private that ${what} is nowhere; the log and the operator know, and the next one goes out`, async () => {
    const before = failures();
    const sofar = inPrivate().length;
    town.discord.faults.add(route, fault);
    call();
    await town.until(() => failures() > before);
    await town.quiet();
    assert.equal(inPrivate().length, sofar);
    assert.match(JSON.stringify(await asOwner("notices", {})), /direct_failed/);
    tavernIsQuiet();
    const words = call();
    await town.until(() => inPrivate().some((said) => said.includes(words)));
  });
}

for (const [what, fault] of [
  ["was lost after it was done", { kind: "commit_and", after: "tear" }],
  ["failed after it was done", { kind: "commit_and", after: "fail" }],
  ["met a failing server", { kind: "answer", status: 503 }],
  ["was told to wait", { kind: "rate_limit", retryAfterS: 2 }],
] as const satisfies readonly (readonly [string, RestFault])[]) {
  test(`VS-021 TR-042 an answer in private whose post ${what} is there once, and never in the channel`, async () => {
    town.discord.faults.add(POST, fault);
    const words = call();
    await town.until(() => inPrivate().some((said) => said.includes(words)));
    await town.quiet();
    assert.equal(inPrivate().filter((said) => said.includes(words)).length, 1);
    tavernIsQuiet();
  });
}

test("VS-021 a private line that cannot be opened gives no answer anywhere", async () => {
  const { discord, guild, tavern, mark } = town;
  const eve = discord.addUser("eve", { acceptsDirect: false });
  discord.join(guild, eve);
  const before = failures();
  const trusted = { person: parsePrincipalId(`discord:${eve.id}`), role: "trusted", by: LOCAL_OWNER, atMs: town.clock.nowMs() } as const;
  await town.runtime.store.setTrust(trusted);
  for (const fault of [
    { kind: "error", status: 403, code: 50278 },
    { kind: "error", status: 400, code: 40003 },
  ] as const) {
    town.discord.faults.add(OPEN, fault, { times: 5 });
    const seen = failures();
    discord.say(eve, tavern, `${mark} hello`);
    await town.until(() => failures() > seen);
    town.discord.faults.clear();
  }
  assert.ok(failures() > before);
  tavernIsQuiet();
});

test("VS-021 TR-042 what was on its way in private when the process ended stays there, whatever the policy says by then", async () => {
  const unanswered = (): number => town.discord.requestsOf(POST).filter(({ status }) => status === 0).length;
  const before = unanswered();
  town.discord.faults.add(POST, { kind: "hang" });
  const words = call();
  await town.until(() => unanswered() > before);
  await setDefault("channel");
  await town.restart();
  await town.until(() => stateOf(town) === "online" && inPrivate().some((said) => said.includes(words)));
  await town.quiet();
  assert.equal(inPrivate().filter((said) => said.includes(words)).length, 1);
  tavernIsQuiet();
  const next = call();
  await town.until(() => town.discord.postedIn(town.tavern).some((said) => said.includes(next)));
});
