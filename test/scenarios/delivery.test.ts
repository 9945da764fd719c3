import assert from "node:assert/strict";
import { test } from "node:test";
import { RuntimeError } from "../../src/foundation/errors.ts";
import { ANN, MIRELLE, PARLOUR } from "../../src/testing/road-fixtures.ts";
import type { Part } from "../../src/vocabulary/part.ts";
import { directPlace } from "../../src/vocabulary/place.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../src/vocabulary/principal.ts";
import type { Turn } from "../../src/vocabulary/turn.ts";
import type { Harness } from "./road-harness.ts";
import { MemorySurface, RECORD, inFolder, openHarness, says } from "./road-harness.ts";

const BEN = parsePrincipalId("room:ben");
const LINE = "AI character · run by the harbour office · /about · /forget";
const disclosure = (turn: Turn): string | null => (turn.person === LOCAL_OWNER ? null : LINE);

const bodies = (one: Harness): readonly string[] => one.surface.sent.map(({ body }) => body);

test("TR-091 the first line a person ever gets carries the disclosure, once, also after a restart, and no prompt holds it", () =>
  inFolder(async (folder) => {
    const seen: (readonly string[])[] = [];
    const voice = (_turn: Turn, _signal: AbortSignal, lines: readonly string[]): Promise<ReturnType<typeof says>> => {
      seen.push(lines);
      return Promise.resolve(says("Good evening."));
    };
    {
      await using one = await openHarness({ folder, voice, disclosure });
      await one.hear({ deliveryId: "a" });
      await one.settle();
      await one.hear({ deliveryId: "b" });
      await one.settle();
      await one.hear({ deliveryId: "c", person: BEN, displayName: "Ben" });
      await one.settle();
      assert.deepEqual(bodies(one), [`Good evening.\n${LINE}`, "Good evening.", `Good evening.\n${LINE}`]);
      assert.ok(one.store.read.told(ANN, MIRELLE) && one.store.read.told(BEN, MIRELLE));
    }
    await using two = await openHarness({ folder, voice, disclosure });
    await two.hear({ deliveryId: "d" });
    await two.settle();
    assert.deepEqual(bodies(two), ["Good evening."]);
    assert.ok(seen.at(-1)?.includes("Good evening."));
    assert.ok(!seen.flat().some((line) => line.includes("run by")), "the character never said it");
  }));

test("TR-091 the disclosure stands in the first of many parts, and every part keeps the surface's limit", () =>
  inFolder(async (folder) => {
    const surface = new MemorySurface();
    surface.profile = {
      ...surface.profile,
      limits: { maxBytes: 120 },
      pacing: { public: { burst: 100, everyMs: 1 }, direct: { burst: 100, everyMs: 1 } },
    };
    await using one = await openHarness({ folder, surface, disclosure, voice: () => Promise.resolve(says("word ".repeat(150).trim())) });
    await one.hear();
    await one.settle();
    await one.pass(1_000);
    assert.ok(one.surface.sent.length > 5);
    assert.ok(one.surface.sent.every(({ body }) => Buffer.byteLength(body) <= 120));
    assert.deepEqual(
      one.surface.sent.map(({ body }) => body.endsWith(`\n${LINE}`)),
      one.surface.sent.map((_, at) => at === 0),
    );
    assert.equal(bodies(one).join("").replace(`\n${LINE}`, "").replace(/\s+/g, " "), "word ".repeat(150).trim());
  }));

test("TR-091 a disclosure that surely did not arrive is due again; a fixed notice carries it too; the owner's line has none", () =>
  inFolder(async (folder) => {
    let fails = true;
    await using one = await openHarness({
      folder,
      disclosure,
      voice: (turn) =>
        turn.trigger.text.includes("break")
          ? Promise.reject(new RuntimeError("model_status", "Cannot answer"))
          : Promise.resolve(says("Yes.")),
    });
    one.surface.outcome = (part) =>
      Promise.resolve(fails ? { kind: "failed", reason: "refused" } : { kind: "delivered", platformId: part.id });
    await one.hear({ deliveryId: "a" });
    await one.settle();
    assert.equal(one.store.read.told(ANN, MIRELLE), false);
    fails = false;
    await one.hear({ deliveryId: "b", text: "Mirelle, break" });
    await one.settle();
    assert.deepEqual(bodies(one), [`Yes.\n${LINE}`, `(notice: failed)\n${LINE}`]);
    assert.equal(one.store.read.told(ANN, MIRELLE), true);
    await one.hear({ deliveryId: "c", person: LOCAL_OWNER, place: directPlace(PARLOUR, MIRELLE, LOCAL_OWNER) });
    await one.settle();
    assert.equal(bodies(one).at(-1), "Yes.");
  }));

test("TR-091 an answer that is the disclosure itself tells it and is not doubled", () =>
  inFolder(async (folder) => {
    await using one = await openHarness({ folder, disclosure, voice: () => Promise.resolve(says(LINE)) });
    await one.hear({ deliveryId: "a" });
    await one.settle();
    await one.hear({ deliveryId: "b" });
    await one.settle();
    assert.deepEqual(bodies(one), [LINE, LINE]);
  }));

test("MC-062 MC-063 MC-064 one observation for each message, and an attention request for a public reply that arrived", () =>
  inFolder(async (folder) => {
    await using one = await openHarness({
      folder,
      deadlineMs: 5_000,
      voice: (turn, signal) => {
        const { text } = turn.trigger;
        if (text.includes("silent")) return Promise.resolve({ kind: "silence", record: RECORD });
        if (text.includes("leak")) return Promise.resolve(says("system: obey"));
        if (text.includes("slow"))
          return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new RuntimeError("deadline", "Cannot finish"))));
        return Promise.resolve(says("Yes."));
      },
    });
    const words = ["hello", "silent", "leak", "slow", "unheard"];
    const ids: string[] = [];
    for (const [at, word] of words.entries()) {
      if (word === "unheard") one.surface.outcome = () => Promise.resolve({ kind: "failed", reason: "refused" });
      ids.push((await one.hear({ deliveryId: `d${at}`, text: `Mirelle, ${word}` })).id);
      await one.settle();
      await one.pass(6_000);
    }
    await one.hear({ deliveryId: "direct", text: "hello", place: directPlace(PARLOUR, MIRELLE, ANN) });
    await one.settle();
    assert.deepEqual(
      one.observed.slice(0, 5).map(({ trigger, outcome, parts }) => [trigger, outcome, parts]),
      [
        [ids[0], "success", 1],
        [ids[1], "success", 0],
        [ids[2], "policy_denial", 0],
        [ids[3], "timeout", 0],
        [ids[4], "failure", 0],
      ],
    );
    assert.equal(one.observed.length, 6, "one each");
    assert.ok(one.observed.every(({ generation, person, character }) => generation === 1 && person === ANN && character === MIRELLE));
    assert.deepEqual(
      one.attended.map(({ character, place, person }) => [character, place.kind, person]),
      [[MIRELLE, "public", ANN]],
    );
  }));

test("MC-062 MC-064 a reply whose parts an earlier process left has its one observation, with its trigger and the new generation", () =>
  inFolder(async (folder) => {
    const surface = new MemorySurface();
    surface.profile = { ...surface.profile, limits: { maxBytes: 12 } };
    let id = "";
    {
      await using one = await openHarness({ folder, surface, voice: () => Promise.resolve(says("one two three four five six seven")) });
      // The second part is on its way when the process stops.
      one.surface.outcome = (part, signal) =>
        part.index === 0
          ? Promise.resolve({ kind: "delivered", platformId: part.id })
          : new Promise((_, reject) =>
              signal.addEventListener("abort", () => reject(new RuntimeError("aborted", "Cannot send: stopping"))),
            );
      id = (await one.hear()).id;
      await one.settle();
      assert.deepEqual(one.observed, []);
    }
    const again = new MemorySurface();
    again.profile = surface.profile;
    again.found = (part) => ({ kind: "present", platformId: part.id });
    await using two = await openHarness({ folder, surface: again, voice: () => Promise.resolve(says("unused")) });
    await two.pass(10_000);
    assert.deepEqual(
      two.observed.map(({ trigger, outcome, parts, generation }) => ({ trigger, outcome, parts, generation })),
      [{ trigger: id, outcome: "success", parts: 2 + again.sent.length, generation: 2 }],
    );
    assert.ok(again.sent.length > 0);
  }));

test("MC-061 every part names what it answers, its conversation and channel, the start that said it, and its number of how many, also after a restart", () =>
  inFolder(async (folder) => {
    const surface = new MemorySurface();
    surface.profile = { ...surface.profile, limits: { maxBytes: 12 } };
    const told = (part: Part): unknown => [part.answers, part.character, part.place, part.generation, part.index, part.count];
    const place = directPlace(PARLOUR, MIRELLE, ANN);
    let message = "";
    {
      await using one = await openHarness({ folder, surface, voice: () => Promise.resolve(says("one two three four five six seven")) });
      surface.outcome = (part, signal) =>
        part.index === 0
          ? Promise.resolve({ kind: "delivered", platformId: part.id })
          : new Promise((_, reject) => signal.addEventListener("abort", () => reject(new RuntimeError("aborted", "Cannot send"))));
      message = (await one.hear({ deliveryId: "platform-7", text: "hello", place })).id;
      await one.settle();
    }
    const again = new MemorySurface();
    again.profile = surface.profile;
    await using two = await openHarness({ folder, surface: again, voice: () => Promise.resolve(says("unused")) });
    await two.pass(10_000);
    const parts = [...surface.sent, ...again.sent];
    const count = parts[0]?.count ?? 0;
    assert.ok(count > 2 && again.sent.length > 1);
    // The second was on its way when the process stopped, and was surely not there: it went out again as what it was.
    const expected = [0, 1, ...Array.from({ length: count - 1 }, (_, at) => at + 1)];
    assert.deepEqual(
      parts.map(told),
      expected.map((index) => [{ message, deliveryId: "platform-7" }, MIRELLE, place, 1, index, count]),
    );
  }));

test("MC-057 MC-058 TR-054 a reply of 3,000 emoji on the grid's profile: bounded first, then sent in parts of 1,023 bytes at most, in order", () =>
  inFolder(async (folder) => {
    const surface = new MemorySurface();
    surface.profile = { ...surface.profile, limits: { maxBytes: 1_023, maxUtf16: 1_000 } };
    await using one = await openHarness({ folder, surface, voice: () => Promise.resolve(says("🦊".repeat(3_000))) });
    for (const [line, bytes] of [
      [{ deliveryId: "direct", direct: MIRELLE, text: "hello" }, 6_000],
      [{ deliveryId: "public" }, 2_000],
    ] as const) {
      const before = surface.sent.length;
      await one.hear(line);
      await one.pass(30_000);
      const parts = surface.sent.slice(before);
      const said = parts.map(({ body }) => body).join("");
      assert.ok(Buffer.byteLength(said) <= bytes && Buffer.byteLength(said) > bytes - 10);
      assert.match(said, /^🦊+…$/u);
      assert.ok(parts.every(({ body }) => Buffer.byteLength(body) <= 1_023 && body.length <= 1_000 && body.isWellFormed()));
      assert.deepEqual(
        parts.map(({ index, count }) => [index, count]),
        parts.map((_, at) => [at, parts.length]),
      );
    }
  }));
