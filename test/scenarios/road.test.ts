import assert from "node:assert/strict";
import { test } from "node:test";
import { RuntimeError } from "../../src/foundation/errors.ts";
import { ANN, MIRELLE } from "../../src/testing/road-fixtures.ts";
import { parseApprovalId } from "../../src/vocabulary/ids.ts";
import { parsePrincipalId } from "../../src/vocabulary/principal.ts";
import type { VoiceOutcome } from "../../src/vocabulary/reply.ts";
import { MemorySurface, RECORD, inFolder, openHarness, says } from "./road-harness.ts";

const BEN = parsePrincipalId("room:ben");

test("TR-001 a message walks the road once: kept, answered, sent, settled, explained", () =>
  inFolder(async (folder) => {
    await using one = await openHarness({ folder, voice: () => Promise.resolve(says("Good evening, Ann.")) });
    const heard = await one.hear();
    assert.equal(heard.kind, "admitted");
    await one.settle();
    assert.deepEqual(
      one.surface.sent.map(({ body, index, count }) => ({ body, index, count })),
      [{ body: "Good evening, Ann.", index: 0, count: 1 }],
    );
    const told = one.store.read.explain(heard.id);
    assert.equal(told?.end, "answered");
    assert.equal(told?.decision.rule, "alias");
    assert.deepEqual(
      told?.parts.map(({ state }) => state),
      ["delivered"],
    );
    assert.deepEqual(
      one.ended.map(({ end, words }) => ({ end, words })),
      [{ end: "answered", words: true }],
    );
    assert.deepEqual(one.surface.typed, [true, false]);
  }));

test("TR-008 two people in one place: parts never interleave, and the second answer has the first in its packet", () =>
  inFolder(async (folder) => {
    const seen: (readonly string[])[] = [];
    const surface = new MemorySurface();
    surface.profile = { ...surface.profile, limits: { maxBytes: 12 } };
    await using one = await openHarness({
      folder,
      surface,
      voice: (turn, _signal, lines) => {
        seen.push(lines);
        return Promise.resolve(says(turn.person === ANN ? "one two three four five" : "six seven eight nine"));
      },
    });
    await Promise.all([one.hear({ deliveryId: "a" }), one.hear({ deliveryId: "b", person: BEN, displayName: "Ben" })]);
    await one.pass(30_000);
    const turns = one.surface.sent.map(({ turn }) => turn);
    assert.equal(new Set(turns).size, 2);
    assert.equal(
      turns.lastIndexOf(turns[0] ?? turns[1] ?? assert.fail("nothing was sent")) + 1,
      turns.indexOf(turns.at(-1) ?? assert.fail("nothing was sent")),
    );
    assert.ok(seen[1]?.includes("one two three four five"), "the second packet has the first answer");
  }));

test("TR-008 a line that waits for its own answer is no part of the packet before it", () =>
  inFolder(async (folder) => {
    const seen = new Map<string, readonly string[]>();
    await using one = await openHarness({
      folder,
      voice: (turn, _signal, lines) => {
        seen.set(turn.trigger.text, lines);
        return Promise.resolve(says(`To ${turn.trigger.text}`));
      },
    });
    const texts = ["Mirelle, one", "Mirelle, two", "Mirelle, three"];
    await Promise.all(texts.map((text, at) => one.hear({ deliveryId: `d${at}`, text })));
    await one.pass(5_000);
    assert.deepEqual(seen.get("Mirelle, one"), []);
    assert.deepEqual(seen.get("Mirelle, two"), ["Mirelle, one", "To Mirelle, one"]);
    assert.deepEqual(seen.get("Mirelle, three"), ["Mirelle, one", "Mirelle, two", "To Mirelle, one", "To Mirelle, two"]);
  }));

test("MC-059 parts keep the place's pace", () =>
  inFolder(async (folder) => {
    const surface = new MemorySurface();
    surface.profile = { ...surface.profile, limits: { maxBytes: 8 } };
    await using one = await openHarness({ folder, surface, voice: () => Promise.resolve(says("one two three four five six")) });
    await one.hear();
    await one.settle();
    assert.equal(one.surface.sent.length, 3, "the burst");
    await one.pass(1_400);
    assert.equal(one.surface.sent.length, 3);
    await one.pass(200);
    assert.equal(one.surface.sent.length, 4);
    await one.pass(10_000);
    assert.equal(one.ended.length, 1);
  }));

test("MC-020 TR-042 the same delivery again is no second answer, and is acknowledged after the first copy's commit", () =>
  inFolder(async (folder) => {
    await using one = await openHarness({ folder, voice: () => Promise.resolve(says("Yes.")) });
    const [first, second] = await Promise.all([one.hear(), one.hear()]);
    assert.equal(first.kind, "admitted");
    assert.deepEqual(second, { kind: "suppressed", id: first.id, reason: "duplicate" });
    assert.notEqual(one.store.read.event(first.id), null);
    await one.settle();
    assert.equal(one.surface.sent.length, 1);
    assert.equal((await one.hear()).kind, "suppressed");
    assert.deepEqual(one.suppressed, [], "the first copy's outcome stands");
  }));

test("TR-042 a delivery known from an earlier process is a duplicate too", () =>
  inFolder(async (folder) => {
    {
      await using one = await openHarness({ folder, voice: () => Promise.resolve(says("Yes.")) });
      await one.hear();
      await one.settle();
    }
    await using two = await openHarness({ folder, voice: () => Promise.resolve(says("Again?")) });
    assert.equal((await two.hear()).kind, "suppressed");
    await two.settle();
    assert.equal(two.surface.sent.length, 0);
  }));

test("MC-053 a turn that takes too long fails with its reason, one notice, and the lane goes on", () =>
  inFolder(async (folder) => {
    let calls = 0;
    await using one = await openHarness({
      folder,
      deadlineMs: 5_000,
      voice: (_turn, signal) => {
        calls += 1;
        return calls > 1
          ? Promise.resolve(says("Back."))
          : new Promise<VoiceOutcome>((_, reject) =>
              signal.addEventListener("abort", () => reject(new RuntimeError("deadline", "Cannot finish: it took too long"))),
            );
      },
    });
    const first = await one.hear({ deliveryId: "a" });
    await one.hear({ deliveryId: "b" });
    await one.pass(5_100);
    await one.pass(3_000);
    assert.equal(one.store.read.explain(first.id)?.end, "failed");
    assert.equal(one.store.read.explain(first.id)?.endReason, "deadline");
    assert.deepEqual(
      one.surface.sent.map(({ body }) => body),
      ["(notice: failed)", "Back."],
    );
  }));

test("MC-060 cases A42 a failing model says so at most once a minute and place, and only to what was admitted", () =>
  inFolder(async (folder) => {
    await using one = await openHarness({
      folder,
      voice: () => Promise.reject(new RuntimeError("model_status", "Cannot use the model: it answered 500")),
    });
    await one.hear({ text: "nobody is named here" });
    for (const deliveryId of ["a", "b", "c"]) await one.hear({ deliveryId });
    await one.pass(2_000);
    assert.equal(one.surface.sent.length, 1);
    assert.deepEqual(
      one.ended.map(({ end }) => end),
      ["failed", "failed", "failed"],
    );
    await one.pass(60_000);
    await one.hear({ deliveryId: "d" });
    await one.settle();
    assert.equal(one.surface.sent.length, 2);
  }));

test("MC-060 a fixed notice is nobody's line: it enters no later packet", () =>
  inFolder(async (folder) => {
    let calls = 0;
    const seen: (readonly string[])[] = [];
    await using one = await openHarness({
      folder,
      voice: (_turn, _signal, lines) => {
        seen.push(lines);
        calls += 1;
        return calls === 1
          ? Promise.reject(new RuntimeError("model_empty", "Cannot use the answer: it is empty"))
          : Promise.resolve(says("Yes."));
      },
    });
    await one.hear({ deliveryId: "a", text: "Mirelle, first" });
    await one.pass(2_000);
    await one.hear({ deliveryId: "b", text: "Mirelle, second" });
    await one.pass(2_000);
    assert.deepEqual(seen, [[], ["Mirelle, first"]]);
  }));

test("TR-059 a withheld reply sends no part of itself and ends as refused", () =>
  inFolder(async (folder) => {
    await using one = await openHarness({ folder, voice: () => Promise.resolve(says("the fence is f-123", { canaries: ["f-123"] })) });
    const heard = await one.hear();
    await one.settle();
    assert.deepEqual(
      one.surface.sent.map(({ body }) => body),
      ["(notice: refused)"],
    );
    assert.equal(one.store.read.explain(heard.id)?.end, "refused");
    assert.equal(one.store.read.explain(heard.id)?.endReason, "gate_canary");
  }));

test("TR-035 silence is a decision with its own end and no part", () =>
  inFolder(async (folder) => {
    await using one = await openHarness({ folder, voice: () => Promise.resolve({ kind: "silence", record: RECORD }) });
    const heard = await one.hear();
    await one.settle();
    assert.equal(one.store.read.explain(heard.id)?.end, "silent");
    assert.equal(one.surface.sent.length, 0);
  }));

test("TR-042 an unknown part is never sent again, the parts behind it are", () =>
  inFolder(async (folder) => {
    const surface = new MemorySurface();
    surface.profile = { ...surface.profile, limits: { maxBytes: 8 } };
    surface.outcome = (part) =>
      Promise.resolve(part.index === 0 ? { kind: "unknown", reason: "timeout" } : { kind: "delivered", platformId: part.id });
    await using one = await openHarness({ folder, surface, voice: () => Promise.resolve(says("one two three")) });
    const heard = await one.hear();
    await one.pass(5_000);
    assert.deepEqual(
      one.surface.sent.map(({ index }) => index),
      [0, 1, 2],
    );
    assert.deepEqual(
      one.store.read.explain(heard.id)?.parts.map(({ state }) => state),
      ["unknown", "delivered", "delivered"],
    );
  }));

test("TR-042 a part that is too old when its turn comes expires with all behind it", () =>
  inFolder(async (folder) => {
    const surface = new MemorySurface();
    surface.profile = {
      ...surface.profile,
      limits: { maxBytes: 8 },
      pacing: { ...surface.profile.pacing, public: { burst: 1, everyMs: 16 * 60_000 } },
    };
    await using one = await openHarness({ folder, surface, voice: () => Promise.resolve(says("one two three")) });
    const heard = await one.hear();
    await one.settle();
    await one.pass(17 * 60_000);
    assert.deepEqual(
      one.store.read.explain(heard.id)?.parts.map(({ state }) => state),
      ["delivered", "expired", "expired"],
    );
    assert.equal(one.surface.sent.length, 1);
  }));

test("TR-007 a suspended turn holds nothing; only the asked person's answer to exactly that question lets it go on", () =>
  inFolder(async (folder) => {
    await using one = await openHarness({
      folder,
      voice: (turn) => {
        if (turn.resumed !== undefined) return Promise.resolve(says(`You said ${turn.resumed.answer}.`));
        if (turn.trigger.text.includes("other")) return Promise.resolve(says("Meanwhile."));
        const question = { digest: "d1", call: "{}", state: '{"step":1}', expiresAtMs: Number.MAX_SAFE_INTEGER };
        return Promise.resolve({ kind: "suspended", question, record: RECORD });
      },
    });
    const heard = await one.hear({ deliveryId: "a" });
    await one.settle();
    assert.equal(one.store.read.explain(heard.id)?.inboxState, "suspended");
    await one.hear({ deliveryId: "b", text: "Mirelle, other" });
    await one.settle();
    assert.deepEqual(
      one.surface.sent.map(({ body }) => body),
      ["Meanwhile."],
      "the lane is free",
    );
    const approval = parseApprovalId(one.issued.find((id) => id.startsWith("a-")) ?? assert.fail("no question is open"));
    assert.equal(await one.road.resume({ approval, digest: "d2", person: ANN, answer: "yes" }), false, "another digest");
    assert.equal(await one.road.resume({ approval, digest: "d1", person: BEN, answer: "yes" }), false, "another person");
    assert.equal(await one.road.resume({ approval, digest: "d1", person: ANN, answer: "yes" }), true);
    assert.equal(await one.road.resume({ approval, digest: "d1", person: ANN, answer: "yes" }), false, "used up");
    await one.settle();
    assert.deepEqual(
      one.surface.sent.map(({ body }) => body),
      ["Meanwhile.", "You said yes."],
    );
  }));

test("TR-042 TR-044 what a stop left runs again once, after its start is durable, before anything new", () =>
  inFolder(async (folder) => {
    const never = (_turn: unknown, signal: AbortSignal): Promise<VoiceOutcome> =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new RuntimeError("aborted", "Cannot go on: stopping"))));
    {
      await using one = await openHarness({ folder, voice: never });
      await one.hear({ deliveryId: "a", text: "Mirelle, first" });
      await one.hear({ deliveryId: "b", text: "Mirelle, second" });
      await one.settle();
    }
    await using two = await openHarness({ folder, voice: (turn) => Promise.resolve(says(`To ${turn.trigger.text}, try ${turn.attempt}`)) });
    assert.equal(two.recovered.messagesAgain, 2);
    await two.hear({ deliveryId: "c", text: "Mirelle, third" });
    await two.pass(5_000);
    assert.deepEqual(
      two.surface.sent.map(({ body }) => body),
      ["To Mirelle, first, try 2", "To Mirelle, second, try 1", "To Mirelle, third, try 1"],
    );
  }));

test("TR-042 a row that was started twice and not ended is interrupted, not tried a third time", () =>
  inFolder(async (folder) => {
    const never = (_turn: unknown, signal: AbortSignal): Promise<VoiceOutcome> =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new RuntimeError("aborted", "Cannot go on: stopping"))));
    for (let life = 0; life < 2; life += 1) {
      await using one = await openHarness({ folder, voice: never });
      if (life === 0) await one.hear();
      await one.settle();
    }
    await using three = await openHarness({ folder, voice: () => Promise.resolve(says("Too late.")) });
    await three.settle();
    assert.equal(three.recovered.interrupted, 1);
    assert.equal(three.surface.sent.length, 0);
  }));

test("TR-024 a budget is reserved before the call, and whoever is over it gets no call", () =>
  inFolder(async (folder) => {
    let calls = 0;
    await using one = await openHarness({
      folder,
      budgets: { callsPerDayPerPerson: 2 },
      voice: () => {
        calls += 1;
        return Promise.resolve(says("Yes."));
      },
    });
    const outcomes = [];
    for (const deliveryId of ["a", "b", "c"]) outcomes.push(await one.hear({ deliveryId }));
    await one.hear({ deliveryId: "d", person: BEN });
    await one.pass(5_000);
    assert.deepEqual(
      outcomes.map((heard) => (heard.kind === "admitted" ? "admitted" : heard.reason)),
      ["admitted", "admitted", "budget"],
    );
    assert.equal(calls, 3, "two for the one, one for the other");
  }));

test("TR-024 a restart gives no budget back", () =>
  inFolder(async (folder) => {
    for (const [life, expected] of [
      ["a", "admitted"],
      ["b", "suppressed"],
    ] as const) {
      await using one = await openHarness({ folder, budgets: { callsPerDayPerPerson: 1 }, voice: () => Promise.resolve(says("Yes.")) });
      assert.equal((await one.hear({ deliveryId: life })).kind, expected);
      await one.settle();
    }
  }));

test("TR-004 a room's ambient line stands in its record, perceived by no character", () =>
  inFolder(async (folder) => {
    const seen: (readonly string[])[] = [];
    await using one = await openHarness({
      folder,
      voice: (_turn, _signal, lines) => {
        seen.push(lines);
        return Promise.resolve(says("Yes."));
      },
    });
    const ambient = await one.hear({ deliveryId: "a", text: "the fog is thick" });
    assert.deepEqual([ambient.kind, one.store.read.event(ambient.id)?.witnesses], ["suppressed", []]);
    await one.hear({ deliveryId: "b", text: "Mirelle?" });
    await one.settle();
    assert.deepEqual(seen, [[]]);
  }));

test("TR-036 a direct line and the place are two conversations", () =>
  inFolder(async (folder) => {
    const seen = new Map<string, readonly string[]>();
    await using one = await openHarness({
      folder,
      voice: (turn, _signal, lines) => {
        seen.set(turn.trigger.text, lines);
        return Promise.resolve(says(`To ${turn.trigger.text}`));
      },
    });
    await one.hear({ deliveryId: "a", text: "a secret", direct: MIRELLE });
    await one.settle();
    await one.hear({ deliveryId: "b", text: "Mirelle, public" });
    await one.settle();
    await one.hear({ deliveryId: "c", text: "again direct", direct: MIRELLE });
    await one.settle();
    assert.deepEqual(seen.get("Mirelle, public"), []);
    assert.deepEqual(seen.get("again direct"), ["a secret", "To a secret"]);
  }));

test("MC-094 stopping joins every turn and refuses what comes after", () =>
  inFolder(async (folder) => {
    let aborted = false;
    const one = await openHarness({
      folder,
      voice: (_turn, signal) =>
        new Promise((_, reject) =>
          signal.addEventListener("abort", () => {
            aborted = true;
            reject(new RuntimeError("aborted", "Cannot go on: stopping"));
          }),
        ),
    });
    await one.hear();
    await one.road[Symbol.asyncDispose]();
    assert.equal(aborted, true);
    await assert.rejects(one.hear({ deliveryId: "b" }), (error) => error instanceof RuntimeError);
    await one[Symbol.asyncDispose]();
  }));
