import assert from "node:assert/strict";
import { systemClock } from "../../../foundation/clock.ts";
import { RuntimeError } from "../../../foundation/errors.ts";
import { percentile } from "../../room-simulator/room-report.ts";
import type { ConformanceCase, Play } from "../case.ts";
import { bodies, conformanceCase, inputsFor, line, whisper } from "../case.ts";
import type { World } from "../runtime-under-test.ts";

const TWO: World["platforms"] = [{ name: "harbour" }, { name: "quay" }];
const USERS = ["ann", "ben", "cy", "dot", "eli"] as const;

/** Half a minute of five people in a room, each with a line every ten seconds, beside a flooder with 50 lines a second or none. */
async function playFlood({ open }: Play, flood: boolean): Promise<{ p95Ms: number; answered: number; fixed: number }> {
  const living = await open({ mind: ({ heard }) => ({ kind: "says", speech: `To ${heard}`, afterMs: 400 }) });
  const saidAt = new Map<string, number>();
  const stepMs = 100;
  for (let atMs = 0; atMs < 30_000; atMs += stepMs) {
    for (const [number, from] of USERS.entries()) {
      if (atMs % 10_000 !== 1_000 + number * 1_700) continue;
      const text = `Mirelle, ${from} at ${atMs}`;
      saidAt.set(`To ${text}`, atMs);
      await living.deliver(line(from, text));
    }
    for (let number = 0; flood && number < (50 * stepMs) / 1_000; number += 1)
      await living.deliver(line("eve", `Mirelle, again and again ${atMs}.${number}`));
    await living.pass(stepMs);
  }
  await living.pass(60_000);
  const beganMs = (living.calls()[0]?.atMs ?? 0) - (flood ? 0 : 1_000);
  const latencies = living.sent().flatMap(({ body, atMs }) => {
    const said = saidAt.get(body);
    return said === undefined ? [] : [atMs - beganMs - said];
  });
  const fixed = living.sent().filter(({ body }) => !body.startsWith("To ")).length;
  return { p95Ms: percentile(latencies, 0.95) ?? Infinity, answered: latencies.length, fixed };
}

/** Who waits for whom. */
export const QUEUE_CASES: readonly ConformanceCase[] = [
  conformanceCase(66, "a model call of a minute in one room delays nobody in another", async ({ open }) => {
    const living = await open({
      platforms: TWO,
      mind: ({ heard }) => ({ kind: "says", speech: "Yes.", afterMs: heard.includes("slowly") ? 30_000 : 100 }),
    });
    await living.deliver(line("ann", "Mirelle, slowly"), "harbour");
    await living.deliver(line("ben", "Mirelle, quickly"), "quay");
    await living.pass(900);
    assert.deepEqual([living.sent("harbour").length, living.sent("quay").length], [0, 1]);
    await living.pass(40_000);
    assert.equal(living.sent("harbour").length, 1);
  }),
  conformanceCase(67, "a call that never ends is cut, its queue goes on, and other lines never waited", async ({ open }) => {
    const living = await open({ mind: ({ heard }) => (heard.includes("stuck") ? { kind: "hangs" } : { kind: "says", speech: "Yes." }) });
    await living.deliver(whisper("ann", "stuck"));
    await living.deliver(whisper("ann", "and after it"));
    await living.deliver(whisper("ben", "beside it"));
    await living.pass(1_000);
    assert.deepEqual(
      living.sent().map(({ place }) => place.endsWith("ben")),
      [true],
    );
    await living.pass(200_000);
    assert.equal(inputsFor(living, "and after it").length, 1);
    assert.equal(bodies(living.sent()).at(-1), "Yes.");
  }),
  conformanceCase(69, "no text makes the runtime stand still", async ({ open }) => {
    const living = await open({ mind: ({ heard }) => ({ kind: "says", speech: heard.slice(0, 20_000) }) });
    const texts = [
      "(".repeat(30_000),
      "`".repeat(30_000),
      "a@".repeat(15_000),
      "> ".repeat(15_000),
      "\u0301".repeat(15_000),
      "http://a.".repeat(3_000),
      `Mirelle ${"al ".repeat(9_000)}`,
      "_*".repeat(15_000),
    ];
    for (const text of texts) {
      const beganMs = systemClock.monotonicMs();
      await living.deliver(whisper("eve", text));
      await living.pass(10);
      const tookMs = systemClock.monotonicMs() - beganMs;
      assert.ok(tookMs < 6_000, `${JSON.stringify(text.slice(0, 12))} took ${Math.round(tookMs)} ms`);
      await living.pass(5_000);
    }
    await living.deliver(whisper("ann", "and now?"));
    await living.pass(3_000);
    assert.equal(inputsFor(living, "and now?").length, 1);
  }),
  conformanceCase(70, "three short lines are one turn that has all of them", async ({ open }) => {
    const living = await open({ platforms: [{ name: "harbour", gathering: { quietMs: 900, holdMs: 4_000, fragments: 8 } }] });
    for (const text of ["Mirelle", "do you have", "a room for the night?"]) {
      const acknowledged = await living.deliver(whisper("ann", text));
      assert.equal(acknowledged?.admitted, true);
      await living.pass(300);
    }
    await living.pass(5_000);
    assert.equal(living.calls().length, 1);
    const input = living.calls()[0]?.input ?? "";
    for (const text of ["do you have", "a room for the night?"]) assert.ok(input.includes(text), text);
    assert.equal(living.sent().length, 1);
  }),
  conformanceCase(71, "a flooder slows nobody down and gets one fixed text at most", async (play) => {
    const calm = await playFlood(play, false);
    const flooded = await playFlood(play, true);
    assert.equal(calm.answered, 15);
    assert.equal(flooded.answered, 15, "everybody else is answered");
    assert.ok(flooded.p95Ms <= calm.p95Ms + 1_000, `${flooded.p95Ms} ms, without the flooder ${calm.p95Ms} ms`);
    assert.ok(flooded.fixed <= 1, `${flooded.fixed} fixed texts`);
  }),
  conformanceCase(74, "a platform whose connection breaks takes no other down", async ({ open }) => {
    let broken = true;
    const living = await open({
      platforms: [
        { name: "harbour" },
        {
          name: "quay",
          taking: () => {
            if (broken) throw new RuntimeError("closed", "Cannot send: the connection broke by script");
            return "take";
          },
        },
      ],
    });
    await living.deliver(line("ann", "Mirelle, on the quay"), "quay");
    await living.deliver(line("ben", "Mirelle, in the harbour"), "harbour");
    await living.pass(3_000);
    assert.deepEqual([living.sent("harbour").length, living.sent("quay").length], [1, 0]);
    broken = false;
    await living.deliver(line("ann", "Mirelle, on the quay again"), "quay");
    await living.pass(60_000);
    assert.ok(living.sent("quay").length > 0, "the broken one is used again");
  }),
  conformanceCase(75, "all parts arrive in order at the platform's pace, and one that is refused costs no other", async ({ open }) => {
    const speech = "One two three. Four five six. Seven eight nine. Ten eleven twelve. Some more words. And the last ones.";
    const world = (taking: NonNullable<World["platforms"]>[number]["taking"]): World => ({
      platforms: [{ name: "harbour", maxBytes: 24, everyMs: 1_500, ...(taking === undefined ? {} : { taking }) }],
      mind: () => ({ kind: "says", speech }),
    });
    for (const refused of [null, 1]) {
      const living = await open(world(({ index }) => (index === refused ? "refuse" : "take")));
      await living.deliver(line("ann", "Mirelle, good evening"));
      await living.pass(200);
      assert.ok(living.sent().length <= 3, "the burst");
      await living.pass(60_000);
      const count = living.sent()[0]?.count ?? 0;
      assert.ok(count > 4);
      assert.deepEqual(
        living.sent().map(({ index }) => index),
        Array.from({ length: count }, (_, index) => index).filter((index) => index !== refused),
      );
    }
  }),
];
