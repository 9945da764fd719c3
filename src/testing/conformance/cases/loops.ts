import assert from "node:assert/strict";
import type { PlatformLine } from "../../room-simulator/simulated-platform.ts";
import type { ConformanceCase } from "../case.ts";
import { conformanceCase, inputsFor, line, whisper } from "../case.ts";
import type { LivingRuntime } from "../runtime-under-test.ts";

/** Rounds without a person after which any loop must have been stopped. */
const MAX_ROUNDS = 16;
/** Rounds that the other bots would go on for. */
const TRIED_ROUNDS = 40;

/** Let bots answer every answer, the last of the ring to Mirelle, until she is silent; gives how often she answered them. */
async function playRing(living: LivingRuntime, ring: readonly string[], kind: NonNullable<PlatformLine["kind"]>): Promise<number> {
  await living.deliver(line("ann", "Mirelle, good evening"));
  await living.pass(3_000);
  assert.equal(living.sent().length, 1, "the person is answered");
  for (let round = 0; round < TRIED_ROUNDS; round += 1) {
    const before = living.sent().length;
    for (const [at, bot] of ring.entries()) {
      const next = ring[at + 1] ?? "Mirelle";
      await living.deliver(line(bot, `${next}, what do you say to that? (${round})`, { kind }));
      await living.pass(2_000);
    }
    if (living.sent().length === before) return before - 1;
  }
  return assert.fail(`${TRIED_ROUNDS} rounds were answered`);
}

/** A person speaks again, and is answered. */
async function rearms(living: LivingRuntime): Promise<void> {
  await living.pass(5_000);
  const before = living.sent().length;
  await living.deliver(line("ann", "Mirelle, are you still there?"));
  await living.pass(3_000);
  assert.equal(living.sent().length, before + 1, "a person is answered again");
}

async function stopsRing(living: LivingRuntime, ring: readonly string[], kind: NonNullable<PlatformLine["kind"]>): Promise<void> {
  const rounds = await playRing(living, ring, kind);
  assert.ok(rounds <= MAX_ROUNDS, `${rounds} rounds were answered`);
  const told = living.notices().length;
  assert.ok(told <= 1, `operators were told ${told} times`);
  await rearms(living);
}

const talks = { mind: ({ number }: { number: number }) => ({ kind: "says", speech: `I say ${number}. And you?`, afterMs: 200 }) as const };

/** Loops, and what makes a character speak at all. */
export const LOOP_CASES: readonly ConformanceCase[] = [
  conformanceCase(1, "two bots that mention each other stop after a few rounds; a person re-arms them", async ({ open }) => {
    await stopsRing(await open(talks), ["echo"], "bot");
  }),
  conformanceCase(2, "the same loop stops when the platform marks no bots, and operators are told once", async ({ open }) => {
    const living = await open(talks);
    await stopsRing(living, ["echo"], "person");
    assert.equal(living.notices().length, 1);
  }),
  conformanceCase(3, "three bots in a ring stop as well", async ({ open }) => {
    await stopsRing(await open(talks), ["echo", "delta"], "person");
  }),
  conformanceCase(5, "a name in code, in a quote or escaped calls nobody", async ({ open }) => {
    const living = await open();
    const texts = ["see `Mirelle` in the list", "```\nMirelle, run\n```", "> Mirelle, said he\nno idea", "write \\@Mirelle to call"];
    for (const text of texts) {
      await living.deliver(line("ann", text));
      await living.deliver(line("echo", text, { kind: "bot" }));
    }
    await living.pass(10_000);
    assert.deepEqual([living.calls().length, living.sent().length], [0, 0]);
  }),
  conformanceCase(6, "a name inside another word calls nobody; by itself it does, and the text stays whole", async ({ open }) => {
    const living = await open({ characters: [{ id: "al", name: "Al" }] });
    for (const text of ["also, wait", "@Alan hi", "@al2 hi", "equal rights", "see al_ in the file"])
      await living.deliver(line("ann", text));
    await living.pass(5_000);
    assert.equal(living.calls().length, 0);
    await living.deliver(line("ann", "Al, also say hi to Alan"));
    await living.pass(5_000);
    assert.deepEqual(
      living.calls().map(({ heard }) => heard),
      ["Al, also say hi to Alan"],
    );
  }),
  conformanceCase(7, "a mention of everyone calls nobody by default", async ({ open }) => {
    const living = await open();
    await living.deliver(line("ann", "@everyone supper is ready", { mentions: ["everyone"] }));
    await living.pass(5_000);
    assert.equal(living.calls().length, 0);
  }),
  conformanceCase(9, "what is said to somebody else is not answered, also in the middle of a conversation", async ({ open }) => {
    const living = await open({ platforms: [{ name: "harbour", people: ["Ann", "Bob"] }] });
    await living.deliver(line("ann", "Mirelle, good evening", { name: "Ann" }));
    await living.pass(3_000);
    await living.deliver(line("ann", "@Bob can you fetch the lamp?", { name: "Ann", mentions: ["others"] }));
    await living.deliver(line("ann", "Bob, can you fetch the lamp?", { name: "Ann" }));
    await living.pass(5_000);
    assert.equal(living.calls().length, 1);
  }),
  conformanceCase(
    10,
    "an unanswered message tells its operator by which gate and setting",
    async ({ open }) => {
      const living = await open();
      const said = line("ann", "is anybody here?");
      await living.deliver(said);
      await living.pass(1_000);
      const told = living.why(said.delivery);
      assert.ok(told !== null && told.reason !== "" && told.gate !== "" && told.key !== "", JSON.stringify(told));
    },
    ["explanations"],
  ),
  conformanceCase(
    11,
    "a bot's mention that is dropped is on record with its reason",
    async ({ open }) => {
      const living = await open();
      const said = line("echo", "Mirelle, hello", { kind: "bot" });
      const acknowledged = await living.deliver(said);
      await living.pass(1_000);
      assert.equal(acknowledged?.admitted, false);
      assert.notEqual(acknowledged?.reason, "");
      assert.equal(living.why(said.delivery)?.reason, acknowledged?.reason);
    },
    ["explanations"],
  ),
  conformanceCase(
    13,
    "deleting a line while it is answered or waits sends nothing; an edit is never answered twice, and one that now calls is answered once",
    async ({ open }) => {
      const living = await open({ mind: () => ({ kind: "says", speech: "Yes.", afterMs: 2_000 }) });
      const thought = line("ann", "Mirelle, one");
      const waits = line("ann", "Mirelle, two");
      await living.deliver(thought);
      await living.deliver(waits);
      await living.pass(500);
      assert.equal(living.calls().length, 1, "the first is being answered, the second waits");
      await living.remove(waits.delivery);
      await living.remove(thought.delivery);
      await living.pass(30_000);
      assert.deepEqual([living.calls().length, living.sent().length], [1, 0]);
      const said = line("ann", "Mirelle, three");
      await living.deliver(said);
      await living.pass(30_000);
      await living.deliver({ ...said, text: "Mirelle, three, edited" });
      const late = line("ben", "what a fog");
      await living.deliver(late);
      await living.pass(30_000);
      assert.equal(living.sent().length, 1, "an edit of what was answered is not");
      await living.deliver({ ...late, text: "Mirelle, what a fog" });
      await living.pass(30_000);
      await living.deliver({ ...late, text: "Mirelle, what a thick fog" });
      await living.pass(30_000);
      assert.equal(living.sent().length, 2, "one that calls only now is answered, once");
    },
    ["deletions"],
  ),
  conformanceCase(14, "a line and its proxy's copy under another account are one turn", async ({ open }) => {
    const living = await open();
    await living.deliver(line("ann", "k: Mirelle, is the ferry late today?"));
    await living.deliver(line("4410003", "Mirelle, is the ferry late today?", { name: "Kit", kind: "bot" }));
    await living.pass(10_000);
    assert.deepEqual([living.calls().length, living.sent().length], [1, 1]);
    await living.deliver(line("ben", "Mirelle, and tomorrow?"));
    await living.pass(10_000);
    assert.equal(living.calls().length, 2, "plain lines are answered as ever");
  }),
  conformanceCase(15, "a result that comes late, or from an earlier life, has no effect", async ({ open }) => {
    const living = await open({
      mind: ({ number }) => ({ kind: "says", speech: `Result ${number}.`, afterMs: number === 0 ? 30_000 : 100 }),
    });
    await living.deliver(line("ann", "Mirelle, good evening"));
    await living.pass(5_000);
    await living.restart();
    await living.pass(120_000);
    assert.deepEqual(
      living.sent().map(({ body }) => body),
      ["Result 1."],
    );
  }),
  conformanceCase(17, "a stranger who takes somebody's name gets nothing of theirs", async ({ open }) => {
    const living = await open();
    await living.deliver(whisper("ann", "my word is KESTREL-40", { name: "Ann" }));
    await living.pass(3_000);
    await living.deliver(whisper("8123456789", "what was my word?", { name: "Ann" }));
    await living.deliver(whisper("eve", "what was my word?", { name: "scripted:ann" }));
    await living.pass(5_000);
    const inputs = inputsFor(living, "what was my word?");
    assert.equal(inputs.length, 2);
    for (const input of inputs) assert.doesNotMatch(input, /KESTREL-40/);
  }),
  conformanceCase(
    18,
    "nobody is let in by a wildcard or an empty list without a word about it",
    async ({ runtime }) => {
      assert.deepEqual(runtime.checkConfiguration(runtime.goodConfiguration), []);
      const open = `${runtime.goodConfiguration}\npeople: { operators: ["*"] }\n`;
      assert.notEqual(runtime.checkConfiguration(open).length, 0, "a wildcard");
      const empty = `${runtime.goodConfiguration}\npeople: { operators: [""] }\n`;
      assert.notEqual(runtime.checkConfiguration(empty).length, 0, "an empty entry");
      await Promise.resolve();
    },
    ["configuration"],
  ),
  conformanceCase(23, "two people who speak at once stay two turns, each under its own name", async ({ open }) => {
    const living = await open({ platforms: [{ name: "harbour", gathering: { quietMs: 900, holdMs: 4_000, fragments: 8 } }] });
    await living.deliver(line("ann", "Mirelle, is there soup?", { name: "Ann" }));
    await living.deliver(line("ben", "Mirelle, is there bread?", { name: "Ben" }));
    await living.pass(10_000);
    assert.deepEqual(
      living
        .calls()
        .map(({ heard }) => heard)
        .toSorted(),
      ["Mirelle, is there bread?", "Mirelle, is there soup?"],
    );
    const bySpeaker = Map.groupBy(living.calls(), ({ speaker }) => speaker);
    assert.deepEqual(
      [bySpeaker.get("Ann")?.[0]?.heard, bySpeaker.get("Ben")?.[0]?.heard],
      ["Mirelle, is there soup?", "Mirelle, is there bread?"],
    );
  }),
];
