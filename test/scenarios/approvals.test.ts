import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { openAgents } from "../../src/agents/agents.ts";
import { defineTool } from "../../src/agents/tools/tool.ts";
import { sha256Hex } from "../../src/foundation/ids.ts";
import { Secret } from "../../src/foundation/secret.ts";
import { MIRELLE, inboundLine } from "../../src/testing/road-fixtures.ts";
import { parseAnswer } from "../../src/vocabulary/approval-answer.ts";
import type { CallBatch, Gateway, Verdict } from "../../src/vocabulary/gateway.ts";
import { parseSessionId } from "../../src/vocabulary/ids.ts";
import type { Influence } from "../../src/vocabulary/label.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../src/vocabulary/principal.ts";
import type { Assurance, PrincipalId } from "../../src/vocabulary/principal.ts";
import type { VoiceOutcome } from "../../src/vocabulary/reply.ts";
import { joinLabels } from "../../src/vocabulary/text-label.ts";
import type { Turn } from "../../src/vocabulary/turn.ts";
import type { Harness, HarnessOptions } from "./road-harness.ts";
import { RECORD, inFolder, openHarness, says } from "./road-harness.ts";

const REMOTE = parsePrincipalId("discord:1001");
const STRANGER: Influence = parsePrincipalId("discord:666");

/** An agent of one tool over the real road, gateway and store: it asks, and goes on when it is answered. */
class Bench {
  readonly ran: string[] = [];
  /** What the next turn's prompt holds beside its line. */
  influence: readonly Influence[] = [];
  capability: "files" | "processes" = "files";
  #harness: Harness | null = null;
  #gateway: Gateway | null = null;
  #said = 0;
  readonly #toolbox = openAgents({
    tools: [
      defineTool({
        name: "write",
        description: "Write it down.",
        parameters: { type: "object" },
        capability: "files",
        classes: { untrusted: false, sensitive: false, changes: "state" },
        verdict: "ask",
        scopes: ["session"],
        arguments: z.strictObject({ text: z.string() }),
        run: ({ text }) => {
          this.ran.push(text);
          return Promise.resolve({ text: "written", failed: false });
        },
      }),
    ],
  }).toolbox;

  async open(folder: string, more: Partial<HarnessOptions> = {}): Promise<Harness> {
    const harness = await openHarness({ folder, operators: [REMOTE], voice: (turn, signal) => this.#run(turn, signal), ...more });
    this.#harness = harness;
    this.#gateway = harness.authority.gateway({
      definitions: this.#toolbox.definitions,
      remote: () => new Set(),
      guardrail: () => [],
      endorsed: () => false,
    });
    return harness;
  }

  /** Say a line as an operator. */
  async say(
    text: string,
    person: PrincipalId = LOCAL_OWNER,
    assurance: Assurance = person === LOCAL_OWNER ? "local" : "platform",
  ): Promise<void> {
    this.#said += 1;
    const one = this.#harness ?? assert.fail();
    const line = inboundLine({ person, direct: MIRELLE, text, deliveryId: `o-${this.#said}-${text.length}`, atMs: one.clock.nowMs() });
    await one.surface.inbox?.hear({ ...line, sender: { ...line.sender, assurance } }, new AbortController().signal);
    await one.settle();
    // The pace of a direct line: five at once, then one a second.
    await one.clock.advance(2_000);
    await one.settle();
  }

  async #run(turn: Turn, signal: AbortSignal): Promise<VoiceOutcome> {
    const gateway = this.#gateway ?? assert.fail();
    const batch: CallBatch = {
      turn: turn.id,
      root: turn.trigger.id,
      session: parseSessionId("s-0001"),
      character: turn.character,
      place: turn.place,
      starter: "terminal",
      origin: turn.origin,
      lines: [],
      label: joinLabels(
        gateway.labels.ofLine(turn.origin, turn.place),
        gateway.labels.ofEvent({ influence: this.influence, audience: ["anyone"] }),
      ),
      destinations: new Set(),
      grant: null,
      words: "I would like to write this down.",
      calls: [{ id: `c-${turn.trigger.id}`, name: "write", arguments: JSON.stringify({ text: turn.trigger.text }) }],
    };
    const verdict: Verdict | undefined =
      turn.resumed === undefined
        ? (await gateway.judge(batch, signal))[0]
        : await gateway.answered(batch, parseAnswer(turn.resumed.answer), signal);
    if (verdict?.kind === "ask") return { kind: "suspended", question: { ...verdict.question, state: "{}" }, record: RECORD };
    if (verdict?.kind !== "allow") return says(verdict?.text ?? "");
    return says((await this.#toolbox.run(verdict.action, signal)).text);
  }
}

const onBench = (work: (bench: Bench, one: Harness, folder: string) => Promise<void>, more: Partial<HarnessOptions> = {}): Promise<void> =>
  inFolder(async (folder) => {
    const bench = new Bench();
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

test("SE-084 a denial runs nothing, and the model is told that a person said no", () =>
  onBench(async (bench, one) => {
    await bench.say("milk");
    await bench.say("deny 1");
    assert.deepEqual(bench.ran, []);
    assert.match(last(one), /said no/);
  }));

test("SE-084 each of several questions is answered by its number; a bare word then is talk, and with one left it answers that", () =>
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

test("SE-084 nobody but the one who was asked answers: another operator, somebody else, and a number that is none are told the same", () =>
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

test("SE-085 TR-015 an answer for the session holds there until the process that asked is long gone, and a stranger's words undo it", () =>
  inFolder(async (folder) => {
    const bench = new Bench();
    {
      await using _one = await bench.open(folder);
      await bench.say("milk");
      await bench.say("allow 1 session");
      await bench.say("milk");
      assert.deepEqual(bench.ran, ["milk", "milk"]);
    }
    await using one = await bench.open(folder);
    await bench.say("milk");
    assert.deepEqual(bench.ran, ["milk", "milk", "milk"]);
    bench.influence = [STRANGER];
    await bench.say("milk");
    assert.equal(bench.ran.length, 3);
    assert.match(cardOf(one), /discord:666 \(not you\)/);
  }));

test("TR-007 TR-042 a question outlives the process that asked it, and so does its answer's effect: nothing runs twice", () =>
  inFolder(async (folder) => {
    const bench = new Bench();
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

test("SE-103 what a card says of a turn is perceived by no character, and enters no packet", () =>
  onBench(async (bench, one) => {
    await bench.say("milk");
    const lines = one.store.read.events(one.surface.sent[0]?.place.id ?? assert.fail(), 10);
    const card = lines.find(({ text }) => text.startsWith("Question 1"));
    assert.deepEqual([card?.witnesses, card?.state], [[], "said"]);
  }));
