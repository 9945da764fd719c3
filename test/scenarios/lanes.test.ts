import assert from "node:assert/strict";
import { test } from "node:test";
import { RuntimeError } from "../../src/foundation/errors.ts";
import { ANN, MIRELLE } from "../../src/testing/road-fixtures.ts";
import { parseApprovalId } from "../../src/vocabulary/ids.ts";
import { parsePrincipalId } from "../../src/vocabulary/principal.ts";
import type { PrincipalId } from "../../src/vocabulary/principal.ts";
import type { VoiceOutcome } from "../../src/vocabulary/reply.ts";
import type { Turn } from "../../src/vocabulary/turn.ts";
import type { Harness } from "./road-harness.ts";
import { MemorySurface, RECORD, inFolder, openHarness, says } from "./road-harness.ts";

const BEN = parsePrincipalId("room:ben");

/** A surface that gathers lines as a room does, and takes parts at any pace. */
function gathering(): MemorySurface {
  const surface = new MemorySurface();
  const pacing = { public: { burst: 1e6, everyMs: 1 }, direct: { burst: 1e6, everyMs: 1 } };
  surface.profile = { ...surface.profile, pacing, timing: { quietMs: 900, holdMs: 4_000, fragments: 8 } };
  return surface;
}

const echo = (turn: Turn): Promise<VoiceOutcome> => Promise.resolve(says(`[${turn.trigger.text.replaceAll("\n", " | ")}]`));
const bodies = (one: Harness): string[] => one.surface.sent.map(({ body }) => body);
const endOf = (one: Harness, id: Parameters<Harness["store"]["read"]["explain"]>[0]): string | null =>
  one.store.read.explain(id)?.end ?? null;

test("MC-045 TR-050 cases A70 three short lines are one turn with all of their words, and each has the turn's end", () =>
  inFolder(async (folder) => {
    await using one = await openHarness({ folder, surface: gathering(), voice: echo });
    const ids = [];
    for (const [at, text] of ["Mirelle,", "Mirelle, I was wondering", "Mirelle, about the ferry"].entries()) {
      ids.push((await one.hear({ deliveryId: `d${at}`, text })).id);
      await one.pass(500);
    }
    await one.pass(1_000);
    assert.deepEqual(bodies(one), ["[Mirelle, | Mirelle, I was wondering | Mirelle, about the ferry]"]);
    assert.deepEqual(
      ids.map((id) => endOf(one, id)),
      ["answered", "answered", "answered"],
    );
    assert.deepEqual(
      one.ended.map(({ row, end }) => [row.id, end]),
      ids.map((id) => [id, "answered"]),
    );
    assert.equal(new Set(ids.map((id) => one.store.read.explain(id)?.turn?.id)).size, 1);
  }));

test("TR-014 cases A23 lines of two people within the window are two turns, each with its own person's words", () =>
  inFolder(async (folder) => {
    const turns: (readonly [PrincipalId, string])[] = [];
    await using one = await openHarness({
      folder,
      surface: gathering(),
      voice: (turn) => {
        turns.push([turn.person, turn.trigger.text]);
        return echo(turn);
      },
    });
    await one.hear({ deliveryId: "a1", text: "Mirelle, a1" });
    await one.hear({ deliveryId: "b1", text: "Mirelle, b1", person: BEN });
    await one.hear({ deliveryId: "a2", text: "Mirelle, a2" });
    await one.hear({ deliveryId: "a3", text: "in private", direct: MIRELLE });
    await one.pass(2_000);
    assert.deepEqual(
      turns.toSorted(([, a], [, b]) => a.localeCompare(b)),
      [
        [ANN, "in private"],
        [ANN, "Mirelle, a1\nMirelle, a2"],
        [BEN, "Mirelle, b1"],
      ],
    );
  }));

test("TR-008 TR-050 the lines that wait behind a turn are one turn when theirs comes, and it has the first answer in its packet", () =>
  inFolder(async (folder) => {
    const seen: (readonly string[])[] = [];
    let release: () => void = () => {};
    await using one = await openHarness({
      folder,
      surface: gathering(),
      voice: async (turn, _signal, lines) => {
        seen.push(lines);
        if (seen.length === 1) await new Promise<void>((resolve) => (release = resolve));
        return echo(turn);
      },
    });
    await one.hear({ deliveryId: "a1", text: "Mirelle, one" });
    await one.pass(1_000);
    for (const [at, text] of ["Mirelle, two", "Mirelle, three"].entries()) await one.hear({ deliveryId: `b${at}`, text });
    await one.pass(3_000);
    release();
    await one.pass(1_000);
    assert.deepEqual(bodies(one), ["[Mirelle, one]", "[Mirelle, two | Mirelle, three]"]);
    assert.deepEqual(seen[1], ["Mirelle, one", "[Mirelle, one]"]);
  }));

test("TR-050 a line that is taken back leaves the thought and ends cancelled; what runs cannot be taken back", () =>
  inFolder(async (folder) => {
    await using one = await openHarness({ folder, surface: gathering(), voice: echo });
    const ids = [];
    for (const text of ["Mirelle, a", "Mirelle, b", "Mirelle, c"]) ids.push((await one.hear({ deliveryId: text, text })).id);
    const [first, second] = ids;
    assert.ok(first !== undefined && second !== undefined);
    assert.equal(await one.road.withdraw(second), true);
    assert.equal(await one.road.withdraw(second), false);
    await one.pass(1_000);
    assert.deepEqual(bodies(one), ["[Mirelle, a | Mirelle, c]"]);
    assert.deepEqual(
      ids.map((id) => endOf(one, id)),
      ["answered", "cancelled", "answered"],
    );
    assert.equal(await one.road.withdraw(first), false);
  }));

test("TR-042 TR-044 a thought that died with the process runs again, whole", () =>
  inFolder(async (folder) => {
    const never = (_turn: unknown, signal: AbortSignal): Promise<VoiceOutcome> =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new RuntimeError("aborted", "Cannot go on: stopping"))));
    const ids = [];
    {
      await using one = await openHarness({ folder, surface: gathering(), voice: never });
      for (const text of ["Mirelle, a", "Mirelle, b"]) ids.push((await one.hear({ deliveryId: text, text })).id);
      await one.pass(1_000);
      // This one is still held when the process ends.
      ids.push((await one.hear({ deliveryId: "c", text: "Mirelle, c" })).id);
    }
    await using two = await openHarness({ folder, surface: gathering(), voice: echo });
    assert.equal(two.recovered.messagesAgain, 3);
    await two.pass(1_000);
    assert.deepEqual(bodies(two), ["[Mirelle, a | Mirelle, b]", "[Mirelle, c]"], "a line takes no other into its attempts");
    assert.deepEqual(
      ids.map((id) => endOf(two, id)),
      ["answered", "answered", "answered"],
    );
  }));

test("MC-045 TR-042 around a kill a place answers in the order of its platform: what died, what waited, what was said meanwhile and what is told late", () =>
  inFolder(async (folder) => {
    const platform = (): MemorySurface => {
      const surface = gathering();
      surface.profile = { ...surface.profile, positionOf: (id) => BigInt(id) };
      return surface;
    };
    const say = async (one: Harness, who: string, id: number): Promise<void> => {
      await one.hear({ deliveryId: `${id}`, text: `Mirelle, ${id}`, person: parsePrincipalId(`room:${who}`) });
    };
    const never = (_turn: unknown, signal: AbortSignal): Promise<VoiceOutcome> =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new RuntimeError("aborted", "Cannot go on: stopping"))));
    {
      await using one = await openHarness({ folder, surface: platform(), voice: never });
      await say(one, "ann", 10);
      await one.pass(1_000);
      for (const [who, id] of [["ben", 12] as const, ["ann", 13] as const]) await say(one, who, id);
      await one.pass(1_000);
    }
    let goOn: () => void = () => {};
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    const slow = async (turn: Turn): Promise<VoiceOutcome> => {
      await gate;
      return echo(turn);
    };
    await using two = await openHarness({ folder, surface: platform(), voice: slow });
    assert.equal(two.recovered.messagesAgain, 3);
    for (const [who, id] of [["ann", 15] as const, ["cy", 14] as const, ["dee", 11] as const, ["eve", 16] as const])
      await say(two, who, id);
    await two.pass(1_000);
    goOn();
    await two.pass(1_000);
    assert.deepEqual(
      bodies(two),
      [10, 11, 12, 13, 14, 15, 16].map((id) => `[Mirelle, ${id}]`),
    );
  }));

test("TR-024 TR-050 a thought of three lines costs one reply and one call", () =>
  inFolder(async (folder) => {
    await using one = await openHarness({ folder, surface: gathering(), voice: echo, budgets: { callsPerDayPerPerson: 4 } });
    const outcomes = [];
    for (let thought = 0; thought < 5; thought += 1) {
      const lines = thought === 0 ? ["a", "b", "c"] : ["a"];
      for (const text of lines) outcomes.push((await one.hear({ deliveryId: `${thought}${text}`, text: `Mirelle, ${text}` })).kind);
      await one.pass(1_000);
    }
    assert.deepEqual(outcomes, ["admitted", "admitted", "admitted", "admitted", "admitted", "admitted", "suppressed"]);
    assert.equal(bodies(one).length, 4);
  }));

/** Times from a line to its answer of five people, who write every two seconds for a minute beside whatever `beside` does. */
async function p95Beside(
  beside: ((one: Harness, second: number) => Promise<void>) | null,
): Promise<{ p95: number; sent: readonly string[] }> {
  const took: number[] = [];
  let sent: readonly string[] = [];
  await inFolder(async (folder) => {
    const heardAt = new Map<string, number>();
    const surface = gathering();
    await using one = await openHarness({
      folder,
      surface,
      voice: async (turn, signal) => {
        await one.clock.sleep(200, signal);
        return echo(turn);
      },
    });
    surface.outcome = (part) => {
      const at = heardAt.get(part.body);
      if (at !== undefined) took.push(one.clock.monotonicMs() - at);
      return Promise.resolve({ kind: "delivered", platformId: part.id });
    };
    for (let second = 0; second < 20; second += 1) {
      if (beside !== null) await beside(one, second);
      if (second % 4 === 0) {
        for (let who = 0; who < 5; who += 1) {
          const text = `line ${second} of ${who}`;
          heardAt.set(`[${text}]`, one.clock.monotonicMs());
          await one.hear({ deliveryId: text, text, person: parsePrincipalId(`room:n${who}`), direct: MIRELLE });
        }
      }
      await one.pass(1_000);
    }
    await one.pass(5_000);
    sent = bodies(one);
  });
  assert.equal(took.length, 25, "everyone was answered");
  return { p95: took.toSorted((a, b) => a - b)[23] ?? Number.NaN, sent };
}

test("MC-046 MC-049 MC-052 cases A71 a flooder of 50 lines a second costs five others nothing and is told once", async () => {
  const alone = await p95Beside(null);
  let number = 0;
  const flooded = await p95Beside(async (one) => {
    const flood = Array.from({ length: 50 }, () => {
      number += 1;
      return one.hear({ deliveryId: `f${number}`, text: `Mirelle, ${number}`, person: parsePrincipalId("room:flood") });
    });
    await Promise.all(flood);
  });
  assert.equal(flooded.p95, alone.p95);
  assert.equal(flooded.sent.filter((body) => body === "(notice: busy)").length, 1);
  assert.ok(
    flooded.sent.some((body) => body.includes(" | ")),
    "the flooder's lines are gathered",
  );
});

test("MC-049 cases A66 A67 a model that takes a minute for one line delays nobody else: no other place, no other character there, no command, not the end", () =>
  inFolder(async (folder) => {
    await using one = await openHarness({
      folder,
      surface: gathering(),
      deadlineMs: 120_000,
      voice: async (turn, signal) => {
        if (turn.trigger.text.includes("think")) await one.clock.sleep(60_000, signal);
        return echo(turn);
      },
    });
    await one.hear({ deliveryId: "slow", text: "Mirelle, think" });
    await one.pass(1_000);
    await one.hear({ deliveryId: "ping", text: "ping", person: BEN, direct: MIRELLE });
    await one.hear({ deliveryId: "own", text: "and here?", direct: MIRELLE });
    await one.hear({ deliveryId: "other", text: "Tobias, ping", person: BEN });
    await one.hear({ deliveryId: "command", text: "Mirelle, /about" });
    await one.pass(950);
    assert.deepEqual(bodies(one).toSorted(), ["[Mirelle, /about]", "[Tobias, ping]", "[and here?]", "[ping]"]);
    assert.equal(one.road.counts().thinking, 1, "the slow one");
    await one.hear({ deliveryId: "again", text: "Mirelle, think again" });
    await one.pass(61_000);
    assert.equal(bodies(one).length, 5, "the slow one came, and the next one thinks");
    assert.equal(one.road.counts().thinking, 1);
    const began = one.clock.monotonicMs();
    await one.road[Symbol.asyncDispose]();
    assert.equal(one.clock.monotonicMs(), began, "an end waits for no model");
  }));

test("TR-096 TR-007 a command beside a turn takes no sign of life away: it is there from the first that begins until the last that ends", () =>
  inFolder(async (folder) => {
    await using one = await openHarness({
      folder,
      voice: async (turn, signal) => {
        if (turn.class === "talk") await one.clock.sleep(5_000, signal);
        return echo(turn);
      },
    });
    await one.hear({ deliveryId: "slow", text: "Mirelle, think" });
    await one.pass(1_000);
    await one.hear({ deliveryId: "command", text: "Mirelle, /about", person: BEN });
    await one.pass(2_000);
    assert.equal(bodies(one).length, 1, "the command was answered");
    assert.deepEqual(one.surface.typed, [true], "and the slow turn still shows that it is at work");
    await one.pass(4_000);
    assert.deepEqual(one.surface.typed, [true, false]);
  }));

test("MC-052 MC-060 who finds no room is told once a minute, by a fixed text that is kept like any other; a line nobody would answer is told nothing", () =>
  inFolder(async (folder) => {
    const never = (_turn: unknown, signal: AbortSignal): Promise<VoiceOutcome> =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new RuntimeError("aborted", "Cannot go on: stopping"))));
    await using one = await openHarness({ folder, surface: gathering(), voice: never, deadlineMs: 1e7, limits: { queuedPerLane: 1 } });
    const hear = (deliveryId: string, text = "Mirelle?") => one.hear({ deliveryId, text });
    await hear("a");
    await one.pass(1_000);
    await hear("b");
    await hear("ambient", "nobody is named");
    assert.deepEqual(bodies(one), []);
    const told = await hear("c");
    const untold = await hear("d");
    await one.settle();
    assert.deepEqual([told.kind, untold.kind === "suppressed" ? untold.reason : ""], ["admitted", "overflow"]);
    // The floor of the place is free: the turn before thinks, it does not speak.
    assert.deepEqual(bodies(one), ["(notice: busy)"]);
    const why = one.store.read.explain(told.id);
    assert.deepEqual([why?.end, why?.endReason, why?.parts.length], ["refused", "overflow", 1]);
    await one.pass(61_000);
    await hear("e");
    await one.settle();
    assert.equal(bodies(one).length, 2);
  }));

test("SE-084 TR-042 a question that nobody answers ends its message while the process runs", () =>
  inFolder(async (folder) => {
    await using one = await openHarness({
      folder,
      voice: (turn) =>
        Promise.resolve({
          kind: "suspended",
          question: { digest: "d1", call: "{}", state: "{}", expiresAtMs: turn.trigger.atMs + 90_000 },
          record: RECORD,
        }),
    });
    const heard = await one.hear();
    await one.pass(60_500);
    assert.equal(one.store.read.explain(heard.id)?.inboxState, "suspended");
    await one.pass(60_000);
    assert.equal(endOf(one, heard.id), "expired");
    assert.deepEqual(
      one.ended.map(({ row, end, reason }) => [row.id, end, reason]),
      [[heard.id, "expired", "unanswered"]],
    );
    const approval = parseApprovalId(one.issued.find((id) => id.startsWith("a-")) ?? assert.fail("no question was asked"));
    assert.equal(await one.road.resume({ approval, digest: "d1", person: ANN, answer: "yes" }), false);
  }));
