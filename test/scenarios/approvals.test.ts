import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { sha256Hex } from "../../src/foundation/ids.ts";
import { Secret } from "../../src/foundation/secret.ts";
import type { Influence } from "../../src/vocabulary/label.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../src/vocabulary/principal.ts";
import type { KillPoint } from "./approval-bench.ts";
import { ApprovalBench, REMOTE } from "./approval-bench.ts";
import type { Harness, HarnessOptions } from "./road-harness.ts";
import { inFolder } from "./road-harness.ts";

const STRANGER: Influence = parsePrincipalId("discord:666");

const onBench = (
  work: (bench: ApprovalBench, one: Harness, folder: string) => Promise<void>,
  more: Partial<HarnessOptions> = {},
): Promise<void> =>
  inFolder(async (folder) => {
    const bench = new ApprovalBench();
    await using one = await bench.open(folder, more);
    await work(bench, one, folder);
  });

const bodies = (one: Harness): readonly string[] => one.surface.sent.map(({ body }) => body);
const last = (one: Harness): string => bodies(one).at(-1) ?? "";
const cardOf = (one: Harness): string => bodies(one).join("\n").slice(bodies(one).join("\n").lastIndexOf("Question "));

test("SE-084 TR-007 a call that needs an answer is shown on its person's own line, whole, and runs when that person allows it by number", () =>
  onBench(async (bench, one) => {
    bench.influence = [STRANGER];
    await bench.say("milk");
    const card = cardOf(one);
    const bytes = /```\n([\s\S]*?)\n```/.exec(card)?.[1]?.replaceAll("\n", "") ?? "";
    assert.ok(card.includes(sha256Hex(bytes)), card);
    assert.equal(
      one.store.read.calls.ask(one.store.read.calls.pending(one.clock.nowMs())[0]?.approval ?? assert.fail())?.digest,
      sha256Hex(bytes),
    );
    const order = ["Asked because", "discord:666 (not you)", "```", "Answer: allow 1", "its own words"].map((mark) => card.indexOf(mark));
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    );
    assert.ok(
      order.every((at) => at >= 0),
      card,
    );
    assert.deepEqual([one.notices.map(({ kind }) => kind), bench.ran], [["approval"], []]);
    await bench.say("allow 1");
    assert.deepEqual([bench.ran, last(one)], [["milk"], "written"]);
    await bench.say("allow 1");
    assert.deepEqual([bench.ran.length, last(one)], [1, "That question waits no more."]);
  }));

test("MC-064 TR-007 what came of a turn that waited is told of the message it answers, once, whose writer knows no other", () =>
  onBench(async (bench, one) => {
    await bench.say("milk");
    const message = one.issued.find((id) => id.startsWith("m-"));
    assert.equal(one.ended.length, 0);
    await bench.say("allow 1");
    const told = one.ended.filter(({ row }) => row.id === message);
    assert.deepEqual(
      told.map(({ end, words }) => [end, words]),
      [["answered", true]],
    );
    const observed = one.observed.filter(({ trigger }) => trigger === message);
    assert.deepEqual(
      observed.map(({ outcome, generation, parts }) => [outcome, generation, parts]),
      [["success", one.store.generation, 1]],
    );
    assert.equal(one.observed.length, 2, "one of the message, one of the answer's line, and none of a row that nobody wrote");
  }));

test("SE-084 a denial runs nothing, and the model is told that a person said no", () =>
  onBench(async (bench, one) => {
    await bench.say("milk");
    await bench.say("deny 1");
    assert.deepEqual(bench.ran, []);
    assert.match(last(one), /said no/);
  }));

test("CH-075 CH-078 a denial with words reaches the model as the reason, by number or as the one bare word, and no record keeps them", () =>
  onBench(async (bench, one) => {
    const answered = async (answer: string): Promise<string> => {
      await bench.say("milk");
      const [asked] = one.store.read.calls.pending(one.clock.nowMs());
      assert.ok(asked);
      await bench.say(answer.replace("#", String(asked.number)));
      assert.equal(one.store.read.calls.ask(asked.approval)?.answer, `deny once ${asked.approval}`);
      return last(one);
    };
    assert.match(await answered("deny #; take the oat milk;\n please"), /said no, with the words "take the oat milk; please"\. Do not try/);
    assert.match(await answered('No; "none" today'), /said no, with the words "\\"none\\" today"/);
    assert.doesNotMatch(await answered("deny #"), /with the words/);
    await bench.say("milk");
    await bench.say("yes; but only today");
    assert.deepEqual(bench.ran, [], "a yes with words is talk: nobody knows what it was a yes to");
  }));

test("SE-084 cases D26 each of several questions is answered by its number; a bare word then is talk, and with one left it answers that", () =>
  onBench(async (bench, one) => {
    for (const text of ["milk", "bread", "salt"]) await bench.say(text);
    await bench.say("allow 2");
    await bench.say("deny 3");
    assert.deepEqual(bench.ran, ["bread"]);
    await bench.say("yes");
    assert.deepEqual(bench.ran, ["bread", "milk"]);
    assert.deepEqual(one.store.read.calls.pending(one.clock.nowMs()), []);
    assert.deepEqual(
      one.store.read.audits(9).map(({ act }) => act),
      ["approve", "refuse", "approve"],
    );
  }));

test("SE-084 cases D38 nobody but the one who was asked answers: another operator, somebody else, and a number that is none are told the same", () =>
  onBench(async (bench, one) => {
    await bench.say("milk");
    await bench.say("allow 1", REMOTE);
    assert.equal(last(one), "No question of that number waits for you.");
    await bench.say("allow 99", REMOTE);
    assert.equal(last(one), "No question of that number waits for you.");
    const [asked] = one.store.read.calls.pending(one.clock.nowMs());
    assert.ok(asked);
    const { approval, digest, person } = asked;
    assert.equal(await one.road.resume({ approval, digest: "0".repeat(64), person, answer: `allow once ${approval}` }), false);
    assert.equal(await one.road.resume({ approval, digest, person: REMOTE, answer: `allow once ${approval}` }), false);
    assert.deepEqual(bench.ran, []);
    await bench.say("allow 1");
    assert.deepEqual(bench.ran, ["milk"]);
  }));

test("SE-084 what is over 2 KiB is only announced in chat, and allowed at the own machine after all of it was shown there", () =>
  onBench(async (bench, one) => {
    const text = "x".repeat(2_500);
    await bench.say(text);
    assert.match(cardOf(one), /shown whole only at the own machine/);
    assert.ok(!bodies(one).some((body) => body.includes("xxxx")));
    await bench.say("allow 1");
    assert.match(last(one), /after all of it was shown/);
    const [asked] = one.store.read.calls.pending(one.clock.nowMs());
    assert.ok(asked);
    assert.equal((await one.store.calls.shown({ approval: asked.approval, person: LOCAL_OWNER, atMs: one.clock.nowMs() })).shown, true);
    await bench.say("allow 1");
    assert.deepEqual(bench.ran, [text]);
  }));

test("SE-093 a card that holds a configured secret is not shown in chat", () => {
  const secret = Secret.parse("sk-1234567890abcdefghij", "a key");
  return onBench(
    async (bench, one) => {
      await bench.say("the key is sk-1234567890abcdefghij");
      assert.ok(bodies(one).length > 0 && !bodies(one).some((body) => body.includes("1234567890abc")));
      assert.match(last(one), /cannot be shown on this line/);
    },
    { secrets: [secret] },
  );
});

test("TR-014 TR-015 SE-084 the cards of an operator who is none any more are void within a minute, and at once by a restart; their lines end, others' wait on", () =>
  inFolder(async (folder) => {
    const bench = new ApprovalBench();
    const operators = [REMOTE];
    const states = (one: Harness): readonly (string | undefined)[] =>
      [1, 2, 3].map((number) => one.store.read.calls.askNumbered(number)?.state);
    {
      await using one = await bench.open(folder, { operators });
      await bench.say("milk", REMOTE);
      await bench.say("bread");
      operators.length = 0;
      await one.clock.advance(60_000);
      await one.settle();
      assert.deepEqual(states(one), ["cancelled", "pending", undefined]);
      assert.deepEqual([one.store.read.counts().inbox["suspended"], one.store.read.counts().inbox["open"]], [1, 0]);
      const ends = one.store.read.recentDecisions(9).map((id) => one.store.read.explain(id));
      assert.deepEqual(
        ends.flatMap((each) => (each?.end === undefined || each.end === null ? [] : [[each.end, each.endReason]])),
        [["cancelled", "not_operator"]],
      );
      operators.push(REMOTE);
      await bench.say("allow 1", REMOTE);
      assert.equal(last(one), "That question waits no more.", "nor does it come back with the role");
      await bench.say("salt", REMOTE);
      assert.deepEqual(states(one), ["cancelled", "pending", "pending"]);
    }
    operators.length = 0;
    await using one = await bench.open(folder, { operators });
    await one.settle();
    assert.deepEqual(states(one), ["cancelled", "pending", "cancelled"]);
    await bench.say("allow 2");
    assert.deepEqual(bench.ranEver(), ["bread"]);
  }));

test("SE-085 TR-015 cases D27 an answer for the session holds there until the process that asked is long gone, and a stranger's words undo it", () =>
  inFolder(async (folder) => {
    const bench = new ApprovalBench();
    {
      await using _one = await bench.open(folder);
      await bench.say("milk");
      await bench.say("allow 1 session");
      await bench.say("milk");
      assert.deepEqual(bench.ran, ["milk", "milk"]);
    }
    await using one = await bench.open(folder);
    const [kept, ...others] = one.store.read.calls.keptAnswers(one.clock.nowMs());
    assert.deepEqual([kept?.number, kept?.scope, others], [1, "session", []], "and it can be looked at, with when it ends");
    assert.ok((kept?.expiresAtMs ?? 0) > one.clock.nowMs());
    await bench.say("milk");
    assert.deepEqual(bench.ran, ["milk", "milk", "milk"]);
    bench.influence = [STRANGER];
    await bench.say("milk");
    assert.equal(bench.ran.length, 3);
    assert.match(cardOf(one), /discord:666 \(not you\)/);
  }));

test("TR-007 TR-042 a question outlives the process that asked it, and so does its answer's effect: nothing runs twice", () =>
  inFolder(async (folder) => {
    const bench = new ApprovalBench();
    {
      await using _one = await bench.open(folder);
      await bench.say("milk");
    }
    {
      await using one = await bench.open(folder);
      assert.equal(one.store.read.calls.pending(one.clock.nowMs()).length, 1);
      await bench.say("allow 1");
      assert.deepEqual(bench.ran, ["milk"]);
    }
    await using one = await bench.open(folder);
    await bench.say("allow 1");
    assert.deepEqual([bench.ran, last(one)], [["milk"], "That question waits no more."]);
  }));

test("SE-084 in the morning the question has run out: its turn has ended, and a late answer is told so", () =>
  onBench(async (bench, one) => {
    await bench.say("milk");
    await one.clock.leap(24 * 3_600_000);
    await one.clock.advance(60_000);
    await one.settle();
    assert.equal(one.ended.at(-1)?.end, "expired");
    await bench.say("allow 1");
    assert.deepEqual([bench.ran, last(one)], [[], "That question waits no more."]);
  }));

test("TR-081 SE-084 a line that is taken away while its question is said leaves none that waits", () =>
  onBench(async (bench, one) => {
    const before = one.surface.outcome;
    one.surface.outcome = (part, signal) => {
      one.surface.inbox?.removed?.(one.surface.name, part.answers.deliveryId ?? "");
      one.surface.outcome = before;
      return before(part, signal);
    };
    await bench.say("milk");
    assert.deepEqual(one.store.read.calls.pending(one.clock.nowMs()), []);
    assert.deepEqual([one.ended.at(-1)?.end, one.ended.at(-1)?.reason], ["cancelled", "removed"]);
    await bench.say("allow 1");
    assert.deepEqual([bench.ran, last(one)], [[], "That question waits no more."]);
  }));

test("SE-103 what a card says of a turn is perceived by no character, and enters no packet", () =>
  onBench(async (bench, one) => {
    await bench.say("milk");
    const lines = one.store.read.events(one.surface.sent[0]?.place.id ?? assert.fail(), 10);
    const card = lines.find(({ text }) => text.startsWith("Question 1"));
    assert.deepEqual([card?.witnesses, card?.state], [[], "said"]);
  }));

const CHILD = fileURLToPath(new URL("approval-child.ts", import.meta.url));

/** Run a process of its own to a moment of a call, and kill it there as hard as a system can. */
async function killedAt(point: KillPoint, folder: string): Promise<void> {
  const child = spawn(process.execPath, [CHILD, folder, point], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    for await (const chunk of child.stdout) if (String(chunk).includes("here")) break;
  } finally {
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }
}

for (const [point, word] of [
  ["asked", "between card and answer: the question stands, and its answer runs it once"],
  ["answered", "between answer and run: it runs without being asked again, once"],
  ["used", "once its answer was used up: it is never run, and that is said"],
] as const)
  test(`SE-084 TR-007 TR-042 killed ${word}`, () =>
    inFolder(async (folder) => {
      await killedAt(point, folder);
      const bench = new ApprovalBench();
      {
        await using one = await bench.open(folder);
        await one.settle();
        assert.equal(one.store.read.calls.pending(one.clock.nowMs()).length, point === "asked" ? 1 : 0);
        if (point === "asked") await bench.say("allow 1");
        assert.deepEqual(bench.ranEver(), point === "used" ? [] : ["milk"]);
        assert.match(last(one), point === "used" ? /not run a second time/ : /written/);
      }
      await using one = await bench.open(folder);
      await one.settle();
      await bench.say("allow 1");
      assert.deepEqual(bench.ranEver(), point === "used" ? [] : ["milk"], "and not at a later start either");
    }));
