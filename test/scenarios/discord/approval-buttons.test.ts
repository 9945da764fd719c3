import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { LOCAL_ACTOR } from "../../../src/operations/local-actor.ts";
import type { FakeInteraction, LedgerPost } from "../../../src/testing/fake-discord/platform.ts";
import type { FakeChannel, FakeUser } from "../../../src/testing/fake-discord/world.ts";
import { sha256Hex } from "../../../src/foundation/ids.ts";
import { parsePrincipalId } from "../../../src/vocabulary/principal.ts";
import { AgentTown } from "./agent-town.ts";
import { stateOf } from "./town.ts";

const NOT_YOURS = /nothing here that you can do/;
const STRANGER = parsePrincipalId("room:m-1");
const EDIT = "PATCH /channels/:id/messages/:message";

let one: AgentTown;
let kit: FakeUser;

before(async () => {
  one = await AgentTown.open({
    faster: 4,
    before(scene) {
      kit = scene.discord.addUser("kit");
      scene.keys = `allow: ["discord:${scene.ben.id}"]`;
      scene.people = `operators: ["discord:${scene.ann.id}", "discord:${kit.id}"], own_accounts: ["discord:${scene.ann.id}"]`;
    },
  });
  for (const user of [one.town.ann, kit]) {
    await one.ask("good evening", /Good evening/, user);
    await one.read("Somebody wrote: keep this", STRANGER, user);
  }
});
after(() => one[Symbol.asyncDispose]());
afterEach(() => one.town.discord.faults.clear());

interface Card {
  readonly number: number;
  readonly post: LedgerPost;
  readonly ids: readonly string[];
  readonly labels: readonly string[];
}

/** Let the agent ask its operator, and give the message that has the question. */
async function asked(text: string, user: FakeUser = one.town.ann): Promise<Card> {
  const { store } = one.town.runtime;
  const found = (): LedgerPost | undefined =>
    one.town.discord.ledger.findLast(({ message, components }) => message.channel === one.line(user) && components.length > 0);
  const last = found();
  one.town.discord.direct(user, `keep ${text}`);
  await one.town.until(() => found() !== last);
  const post = found() ?? assert.fail();
  const number = store.read.calls.pending(one.town.clock.nowMs()).at(-1)?.number ?? 0;
  const drawn = JSON.stringify(post.components);
  const all = (name: string): string[] => [...drawn.matchAll(new RegExp(`"${name}":"([^"]+)"`, "g"))].map(([, value = ""]) => value);
  return { number, post, ids: all("custom_id"), labels: all("label") };
}

async function press(user: FakeUser, id: string, channel: FakeChannel = one.line(user)): Promise<string> {
  const message = { id: channel.id, content: "" };
  const pressed: FakeInteraction = one.town.discord.interact(user, channel, { kind: "button", message, customId: id });
  await one.town.until(() => (pressed.shown[0]?.content ?? "") !== "");
  assert.equal(pressed.callback?.flags, 64, "shown to nobody else");
  return pressed.shown[0]?.content ?? "";
}

/** What a settled question's message says of it, once it does. */
async function told({ post }: Card): Promise<string> {
  await one.town.until(() => post.edits.length > 0);
  const [edit, ...more] = post.edits;
  assert.deepEqual([edit?.components, edit?.content, more.length], [[], post.content, 0], "its words stay, its buttons go, once");
  return JSON.stringify(edit?.embeds).replaceAll("\\", "");
}

const notes = (user: FakeUser = one.town.ann): readonly string[] => {
  const { id } = one.session(user) ?? assert.fail();
  return one.town.runtime.store.read.sessions.notes(id).map(({ text }) => text);
};

test("SE-084 SE-081 a question on an operator's private line has buttons under its whole card: allowed by one it runs once, and the message says who said what", async () => {
  const { town } = one;
  const before = one.said().length;
  const card = await asked("milk");
  const words = one.said().slice(before).join("\n");
  const bytes = /```\n([\s\S]*?)\n```/.exec(words)?.[1]?.replaceAll("\n", "") ?? "";
  assert.ok(words.includes(sha256Hex(bytes)) && words.includes("room:m-1 (not you)"), words);
  assert.deepEqual(card.labels, ["Allow once", "Deny"], "what this line may not answer is not offered");
  assert.ok(card.ids.every((id) => id.length <= 100));
  assert.deepEqual(notes(), []);
  const [allow = ""] = card.ids;
  const presses = await Promise.all([press(town.ann, allow), press(town.ann, allow)]);
  assert.deepEqual(presses.filter((said) => said === "Allowed once.").length, 1, presses.join("|"));
  await one.heard(/It says: Kept/, { before });
  assert.deepEqual(notes(), ["milk"]);
  assert.match(await told(card), new RegExp(`Allowed once by discord:${town.ann.id} \\(`));
  assert.match(await press(town.ann, allow), /waits no more: it was answered already \(allowed once\)/);
  assert.equal(
    one
      .said()
      .slice(before)
      .filter((said) => /It says/.test(said)).length,
    1,
  );
});

test("SE-084 cases D26 D38 a forged button, another's, one of another line and one pressed elsewhere are nothing; Deny runs nothing", async () => {
  const { town } = one;
  const card = await asked("bread");
  const [allow = "", deny = ""] = card.ids;
  for (const [who, id, where] of [
    [town.ben, allow, one.line(town.ben)],
    [kit, allow, one.line(kit)],
    [kit, deny, one.line(kit)],
    [town.ann, allow, town.tavern],
    [town.ann, deny.replace("deny", "allow"), one.line(town.ann)],
    [town.ann, allow.replace("once", "always"), one.line(town.ann)],
    [town.ann, `${allow.slice(0, -1)}${allow.endsWith("x") ? "y" : "x"}`, one.line(town.ann)],
    [town.ann, "ask:allow:once:a-0000:0123456789abcdef", one.line(town.ann)],
    [town.ann, "ask:", one.line(town.ann)],
  ] as const)
    assert.match(await press(who, id, where), NOT_YOURS, `${who.username} ${id}`);
  assert.deepEqual([notes(), card.post.edits.length], [["milk"], 0]);
  assert.equal(await press(town.ann, deny), "Denied.");
  assert.match(await told(card), new RegExp(`Denied by discord:${town.ann.id} \\(`));
  await town.runtime.idle();
  assert.deepEqual(notes(), ["milk"]);
});

test("SE-084 TR-007 however a question ends elsewhere, its message says so without buttons, and a late press is told: typed, stopped, taken away, halted, unanswered", async () => {
  const { town } = one;
  const { store, operations } = town.runtime;
  const signal = AbortSignal.timeout(10_000);
  const ways: readonly (readonly [string, (card: Card) => unknown, RegExp, RegExp])[] = [
    ["typed", ({ number }) => town.discord.direct(town.ann, `deny ${number}`), /Denied by discord/, /answered already \(denied\)/],
    ["stopped", () => town.discord.direct(town.ann, "stop"), /Stopped by discord/, /answered already \(stopped\)/],
    [
      "taken away",
      () => town.discord.remove(one.line(town.ann).messages.findLast(({ author }) => author === town.ann) ?? assert.fail()),
      /what asked was ended/,
      /was ended/,
    ],
    ["halted", () => operations.run("halt", {}, LOCAL_ACTOR, signal), /what asked was ended/, /was ended/],
  ];
  for (const [what, end, words, late] of ways) {
    const card = await asked(what);
    await end(card);
    assert.match(await told(card), words, what);
    assert.match(await press(town.ann, card.ids[0] ?? ""), late, what);
    if (what === "halted") await operations.run("rearm", {}, LOCAL_ACTOR, signal);
  }
  const card = await asked("unanswered");
  const { lapsed } = await store.lapse(town.clock.nowMs() + 25 * 3_600_000);
  assert.equal(lapsed.length, 1);
  assert.match(await press(town.ann, card.ids[0] ?? ""), /waits no more. Nobody answered in time/);
  // The sweep of the next minute sees to the message, and so does a start.
  await town.restart();
  assert.match(await told(card), /Nobody answered in time/);
  await town.until(() => stateOf(town) === "online");
  assert.deepEqual(notes(), ["milk"]);
});

test("SE-084 TR-010 a call over 2 KiB has only Deny there; the owner's own account is answered at the own machine once it was shown whole, anybody else's is not asked", async () => {
  const { town } = one;
  const long = "x".repeat(1_900);
  const signal = AbortSignal.timeout(10_000);
  const run = (args: object): Promise<unknown> => town.runtime.operations.run("approvals", args, LOCAL_ACTOR, signal);
  const card = await asked(long);
  assert.deepEqual(card.labels, ["Allow once", "Deny"], "a long one that may be shown");
  await press(town.ann, card.ids[1] ?? "");
  const longer = "y".repeat(2_100);
  const large = await asked(longer);
  assert.deepEqual(large.labels, ["Deny"]);
  assert.match(large.post.content, /shown whole only at the own machine/);
  assert.ok(!large.post.content.includes("yyyy"));
  const id = String(large.number);
  assert.match(await one.ask(`allow ${id}`, /./), /at the own machine only/);
  await assert.rejects(run({ act: "allow", id }), { code: "usage" });
  await run({ act: "show", id });
  const before = one.said().length;
  await run({ act: "allow", id });
  await one.heard(/It says: Kept/, { before });
  assert.match(await told(large), /Allowed once by the owner at the own machine/);
  assert.deepEqual(notes(), [longer]);
  const others = await one.ask(`keep ${longer}`, /It says/, kit);
  assert.match(others, /./);
  const kits = await asked("salt", kit);
  await assert.rejects(run({ act: "allow", id: String(kits.number) }), { code: "not_found" });
  await assert.rejects(run({ act: "show", id: String(kits.number) }), { code: "not_found" });
  assert.equal(await press(kit, kits.ids[1] ?? ""), "Denied.");
});

test("SE-084 TR-042 buttons outlive the process: pressed after a restart they count once, and a message that could not be changed is changed after it", async () => {
  const { town } = one;
  const kept = await asked("rope", kit);
  const denied = await asked("salt", kit);
  town.discord.faults.add(EDIT, { kind: "answer", status: 503 }, { times: 1_000 });
  assert.equal(await press(kit, denied.ids[1] ?? ""), "Denied.");
  await town.until(() => town.discord.requestsOf(EDIT).some(({ status }) => status === 503));
  assert.equal(denied.post.edits.length, 0);
  await town.restart({ while: () => town.discord.faults.clear() });
  assert.match(await told(denied), /Denied by/);
  await town.until(() => stateOf(town) === "online");
  const before = one.said(kit).length;
  assert.equal(await press(kit, kept.ids[0] ?? ""), "Allowed once.");
  await one.heard(/Good evening/, { user: kit, before });
  assert.deepEqual(notes(kit), ["rope"]);
  assert.match(await told(kept), /Allowed once by/);
  await town.restart();
  await town.quiet();
  assert.deepEqual([kept.post.edits.length, denied.post.edits.length], [1, 1], "and not again");
});
