import assert from "node:assert/strict";
import { createRandom } from "../../room-simulator/random.ts";
import type { ConformanceCase } from "../case.ts";
import { bodies, conformanceCase, line, whisper } from "../case.ts";

const LONG = "One lamp on the quay. Two boats in the fog. Three knocks at the door. Four bowls of soup.";

/** What a stop at any moment may cost: no message, no part, no second answer. */
export const DURABILITY_CASES: readonly ConformanceCase[] = [
  conformanceCase(51, "a delivery that comes again after a restart is not answered again", async ({ open }) => {
    const living = await open();
    const said = line("ann", "Mirelle, good evening");
    await living.deliver(said);
    await living.pass(3_000);
    await living.restart();
    const again = await living.deliver(said);
    await living.pass(5_000);
    assert.equal(again?.admitted, false);
    assert.deepEqual([living.calls().length, living.sent().length], [1, 1]);
  }),
  conformanceCase(
    53,
    "an answer that was made and not sent goes out after the restart, without another call",
    async ({ open }) => {
      const living = await open({ platforms: [{ name: "harbour", taking: (_part, before) => (before === 0 ? "lose" : "take") }] });
      await living.deliver(line("ann", "Mirelle, good evening"));
      await living.pass(1_000);
      assert.equal(living.sent().length, 0);
      await living.restart();
      await living.pass(5_000);
      assert.deepEqual([bodies(living.sent()), living.calls().length], [["Yes."], 1]);
    },
    ["read_back"],
  ),
  conformanceCase(54, "a stop after the second of several parts repeats none of them", async ({ open }) => {
    for (const readsBack of [true, false]) {
      const living = await open({
        platforms: [{ name: "harbour", maxBytes: 30, readsBack, taking: (_part, before) => (before === 1 ? "take_in_silence" : "take") }],
        mind: () => ({ kind: "says", speech: LONG }),
      });
      await living.deliver(line("ann", "Mirelle, good evening"));
      await living.pass(1_000);
      assert.equal(living.sent().length, 2);
      await living.restart();
      await living.pass(10_000);
      const parts = living.sent();
      assert.deepEqual(
        parts.map(({ index }) => index),
        Array.from({ length: parts[0]?.count ?? 0 }, (_, index) => index),
      );
      assert.ok(parts.length > 3);
      assert.equal(living.calls().length, 1);
    }
  }),
  conformanceCase(55, "what a platform surely refuses is tried once, also over restarts", async ({ open }) => {
    let tries = 0;
    const living = await open({
      platforms: [{ name: "harbour", taking: () => ((tries += 1) === 1 ? "refuse" : "take") }],
    });
    await living.deliver(line("ann", "Mirelle, good evening"));
    await living.pass(60_000);
    for (let life = 0; life < 2; life += 1) {
      await living.restart();
      await living.pass(60_000);
    }
    assert.deepEqual([tries, living.calls().length], [1, 1]);
    await living.deliver(line("ann", "Mirelle, and now?"));
    await living.pass(5_000);
    assert.equal(living.sent().length, 1, "what comes after it is sent");
  }),
  conformanceCase(57, "one id is one turn, the same words under two ids are two", async ({ open }) => {
    const living = await open();
    const said = line("ann", "Mirelle, good evening");
    await living.deliver(said);
    await living.pass(200);
    await living.deliver(said);
    await living.pass(5_000);
    assert.equal(living.calls().length, 1);
    await living.deliver(line("ann", "Mirelle, good evening"));
    await living.pass(5_000);
    assert.deepEqual([living.calls().length, living.sent().length], [2, 2]);
  }),
  conformanceCase(
    58,
    "any arrival order against a slow model: every message is answered exactly once, in its person's order",
    async ({ open }) => {
      const random = createRandom(58);
      const living = await open({
        mind: ({ heard }) => ({ kind: "says", speech: `To ${heard}`, afterMs: 100 + ((Number(/\d+$/.exec(heard)?.[0]) * 370) % 1_900) }),
      });
      const admitted: string[] = [];
      for (let number = 0; number < 60; number += 1) {
        const from = random.pick(["ann", "ben", "cy", "dot", "eli"]);
        const text = `Mirelle, ${from} says ${number}`;
        const acknowledged = await living.deliver(random.chance(0.5) ? whisper(from, text) : line(from, text));
        // A runtime may take so many quick lines for a loop, but it has to say so.
        if (acknowledged?.admitted === true) admitted.push(text);
        else assert.notEqual(acknowledged?.reason ?? "", "", text);
        if (random.chance(0.5)) await living.pass(random.below(3_000));
      }
      await living.pass(120_000);
      assert.ok(admitted.length > 30, `${admitted.length} were let in`);
      const heard = living.calls().map((call) => call.heard);
      assert.deepEqual(heard.toSorted(), admitted.toSorted());
      assert.deepEqual(bodies(living.sent()).toSorted(), admitted.map((text) => `To ${text}`).toSorted());
      const reached = new Map<string, number>();
      for (const { place, body } of living.sent()) {
        const [, from, number] = /, (\w+) says (\d+)$/.exec(body) ?? assert.fail(body);
        const lane = `${place} ${from}`;
        assert.ok(Number(number) > (reached.get(lane) ?? -1), `${body} came too late`);
        reached.set(lane, Number(number));
      }
    },
  ),
  conformanceCase(59, "a retry of a lost delivery is answered, both copies are once, and neither waits for the model", async ({ open }) => {
    const living = await open({ mind: () => ({ kind: "says", speech: "Yes.", afterMs: 30_000 }) });
    const first = line("ann", "Mirelle, good evening");
    const acknowledged = await living.deliver(first);
    assert.equal(acknowledged?.admitted, true, "acknowledged before the model answered");
    assert.equal(living.sent().length, 0);
    await living.deliver(first);
    await living.pass(40_000);
    assert.deepEqual([living.calls().length, living.sent().length], [1, 1]);
  }),
  conformanceCase(61, "whatever does not fit is refused with a reason; whatever is let in is answered", async ({ open }) => {
    const living = await open({ mind: () => ({ kind: "says", speech: "Yes.", afterMs: 500 }) });
    const reasons: string[] = [];
    let admitted = 0;
    for (let number = 0; number < 150; number += 1) {
      const acknowledged = await living.deliver(whisper("ann", `number ${number}`));
      if (acknowledged === null) assert.fail("it was not acknowledged");
      if (acknowledged.admitted) admitted += 1;
      else reasons.push(acknowledged.reason);
    }
    await living.pass(180_000);
    assert.ok(reasons.every((reason) => reason !== ""));
    assert.equal(living.sent().filter(({ body }) => body === "Yes.").length, admitted);
    assert.ok(admitted > 0);
  }),
  conformanceCase(62, "a run that a stop cut off spoils no later one", async ({ open }) => {
    const living = await open({ mind: ({ heard }) => (heard.includes("first") ? { kind: "hangs" } : { kind: "says", speech: "Yes." }) });
    await living.deliver(whisper("ann", "the first line"));
    for (let life = 0; life < 3; life += 1) {
      await living.pass(1_000);
      await living.restart();
    }
    await living.pass(200_000);
    await living.deliver(whisper("ann", "the second line"));
    await living.pass(5_000);
    assert.equal(bodies(living.sent()).at(-1), "Yes.");
    assert.ok(living.calls().filter(({ heard }) => heard.includes("first")).length <= 2, "a cut-off run is tried twice at most");
  }),
  conformanceCase(63, "an input stays bounded, however long the record is", async ({ open }) => {
    const living = await open({ mind: () => ({ kind: "says", speech: "Yes." }) });
    for (let number = 0; number < 120; number += 1) {
      await living.deliver(whisper("ann", `number ${number} ${"and so on ".repeat(60)}`));
      await living.pass(70_000);
    }
    const sizes = living.calls().map(({ input }) => Buffer.byteLength(input));
    assert.ok(sizes.length > 50, `${sizes.length} calls`);
    assert.ok(Math.max(...sizes) <= 65_536, `${Math.max(...sizes)} bytes`);
    await living.restart();
    await living.deliver(whisper("ann", "are you there?"));
    await living.pass(70_000);
    assert.equal(living.calls().at(-1)?.heard, "are you there?");
  }),
  conformanceCase(65, "no run writes into the configuration", async ({ open }) => {
    const living = await open();
    const before = living.configuration();
    await living.deliver(line("ann", "Mirelle, good evening"));
    await living.pass(3_000);
    await living.restart();
    await living.pass(3_000);
    assert.notEqual(before, "");
    assert.equal(living.configuration(), before);
  }),
];
