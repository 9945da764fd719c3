import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { LedgerPost } from "../../../src/testing/fake-discord/platform.ts";
import type { FakeChannel, FakeUser } from "../../../src/testing/fake-discord/world.ts";
import { parsePrincipalId } from "../../../src/vocabulary/principal.ts";
import type { Town } from "./town.ts";
import { openTown } from "./town.ts";

const NOT_YOURS = /nothing here that you can do that to/;

let town: Town;
let line: FakeChannel;
let hall: FakeChannel;
let people: readonly FakeUser[];

before(async () => {
  town = await openTown({
    faster: 4,
    keys: "owner_notices: dm",
    before({ discord, guild }) {
      people = ["eve", "fay", "gil", "hal", "ivo", "jan"].map((name) => discord.addUser(name, { globalName: `*${name}* [x](http://y)` }));
      for (const one of people) discord.join(guild, one);
      hall = discord.addChannel(guild, "hall");
    },
  });
  line = town.discord.world.directChannel(town.ann);
});
after(() => town[Symbol.asyncDispose]());

const notices = (): readonly LedgerPost[] => town.discord.ledger.filter(({ message }) => message.channel === line);

/** Let a stranger call the bot, and give the notice that its owner gets. */
async function tried(user: FakeUser, channel: FakeChannel): Promise<LedgerPost> {
  const sofar = notices().length;
  town.discord.say(user, channel, `${town.mark} let me in, secretcanary`);
  await town.until(() => notices().length > sofar);
  return notices()[sofar] ?? assert.fail("no notice");
}

function buttonOf(notice: LedgerPost, label: string): string {
  const found = [...JSON.stringify(notice.components).matchAll(/"label":"([^"]+)","custom_id":"([^"]+)"/g)].find(
    ([, one]) => one === label,
  );
  return found?.[2] ?? assert.fail(`no button ${label}`);
}

async function press(user: FakeUser, customId: string, channel = line): Promise<string> {
  const interaction = town.discord.interact(user, channel, { kind: "button", message: { id: line.id, content: "" }, customId });
  await town.until(() => (interaction.shown[0]?.content ?? "") !== "");
  return interaction.shown[0]?.content ?? "";
}

const trustOf = (user: FakeUser | undefined): string => town.runtime.store.read.trust(parsePrincipalId(`discord:${user?.id}`));

test("TR-093 SE-096 the owner is told once of who tried, without their words, and lets them in by a button of their own, once", async () => {
  const [eve] = people;
  if (eve === undefined) return assert.fail("nobody");
  const notice = await tried(eve, town.tavern);
  assert.deepEqual(notice.allowedMentions, { parse: [], replied_user: false });
  assert.equal(town.discord.postedIn(town.tavern).length, 0, "nothing is said where they tried");
  const shown = JSON.stringify(notice.message.embeds ?? []);
  assert.doesNotMatch(`${notice.content} ${shown} ${town.log.join("")}`, /secretcanary/);
  const allow = buttonOf(notice, "Let this person");
  town.discord.say(eve, town.tavern, `${town.mark} again`);
  await town.quiet();
  assert.equal(notices().length, 1, "once");
  for (const [who, id] of [
    [town.ben, allow],
    [eve, allow],
    [town.ann, allow.replace("person", "place")],
    [town.ann, `${allow.slice(0, -1)}${allow.endsWith("x") ? "y" : "x"}`],
    [town.ann, allow.replace(eve.id, town.ben.id)],
    [town.ann, `tried:person:${eve.id}::zzzzzzzz:aaaaaaaaaaaaaaaa`],
  ] as const)
    assert.match(await press(who, id, who === town.ann ? line : town.tavern), NOT_YOURS);
  assert.equal(trustOf(eve), "guest");
  const [first, second] = await Promise.all([press(town.ann, allow), press(town.ann, allow)]);
  assert.equal([first, second].filter((one) => /is trusted now/.test(one)).length, 1, "pressed twice, done once");
  assert.equal(trustOf(eve), "trusted");
  town.discord.say(eve, town.tavern, `${town.mark} thanks`);
  await town.until(() => town.asked().includes("thanks"));
});

test("TR-093 SE-084 cases B25 a card never lifts a block, keeping quiet lasts, and a button is nobody else's; a card can be answered after a restart too, once and for a day", async () => {
  await town.restart();
  const [eve, fay, gil] = people;
  if (eve === undefined || fay === undefined || gil === undefined) return assert.fail("nobody");
  const [ofFay, ofGil] = [await tried(fay, town.tavern), await tried(gil, town.tavern)];
  assert.ok(!notices().some(({ components }) => JSON.stringify(components).match(/"custom_id":"[^"]{101,}"/)), "as long as Discord takes");
  await town.restart();
  const by = parsePrincipalId("local:owner");
  await town.runtime.store.setTrust({ person: parsePrincipalId(`discord:${fay.id}`), role: "blocked", by, atMs: town.clock.nowMs() });
  assert.match(await press(town.ann, buttonOf(ofFay, "Let this person")), /nothing is changed/);
  assert.equal(trustOf(fay), "blocked");
  assert.equal(trustOf(eve), "trusted");
  assert.match(await press(eve, buttonOf(ofGil, "Let this person"), town.tavern), NOT_YOURS);
  assert.equal(trustOf(gil), "guest", "who was let in lets nobody in");
  assert.match(await press(town.ann, buttonOf(ofGil, "Keep quiet")), /not told of that person/);
  assert.ok(!town.runtime.store.read.setting("tried_quiet:town")?.includes(gil.id), "no id of anybody is kept");
  const sofar = notices().length;
  await town.restart();
  assert.match(await press(town.ann, buttonOf(ofGil, "Let this person")), NOT_YOURS, "it was answered, by an earlier process");
  assert.equal(trustOf(gil), "guest");
  town.discord.say(gil, town.tavern, `${town.mark} me again`);
  await town.quiet();
  assert.equal(notices().length, sofar);
});

test("TR-093 TR-020 everyone is let in at one place until an operator closes it again; notices are few however many try", async () => {
  const [, , , hal, ivo, jan] = people;
  if (hal === undefined || ivo === undefined || jan === undefined) return assert.fail("nobody");
  const notice = await tried(hal, hall);
  assert.match(await press(town.ann, buttonOf(notice, "Let everyone here")), /Everyone who calls/);
  town.discord.say(ivo, hall, `${town.mark} so I may`);
  await town.until(() => town.asked().includes("so I may"));
  await town.restart();
  town.discord.say(ivo, hall, `${town.mark} still`);
  await town.until(() => town.asked().includes("still"));
  const close = async (user: FakeUser): Promise<string> => {
    const interaction = town.discord.interact(user, hall, { kind: "command", name: "close" });
    await town.until(() => (interaction.shown[0]?.content ?? "") !== "");
    return interaction.shown[0]?.content ?? "";
  };
  assert.match(await close(ivo), NOT_YOURS);
  assert.match(await close(town.ann), /Only those are answered/);
  const sofar = notices().length;
  town.discord.say(jan, hall, `${town.mark} and I`);
  await town.until(() => notices().length > sofar);
  assert.ok(!town.asked().includes("and I"));
  const crowd = Array.from({ length: 12 }, (_, at) => town.discord.addUser(`crowd${at}`));
  for (const one of crowd) town.discord.say(one, hall, `${town.mark} hi`);
  await town.quiet(300);
  assert.ok(notices().length <= sofar + 4, `${notices().length - sofar} notices`);
});

test("SE-096 TR-093 nobody is told where the owner did not ask for it", async () => {
  await town.rewrite({ keys: "owner_notices: off" });
  const sofar = notices().length;
  await town.quiet(200);
  const late = town.discord.addUser("late");
  town.discord.say(late, hall, `${town.mark} hi`);
  await town.quiet();
  assert.equal(notices().length, sofar);
});
