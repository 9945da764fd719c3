import assert from "node:assert/strict";
import { test } from "node:test";
import { RuntimeError } from "../../src/foundation/errors.ts";
import { outcomeOf } from "../../src/observe/outcomes.ts";
import { publishRoad } from "../../src/observe/road-outcomes.ts";
import { ANN, MIRELLE, PARLOUR } from "../../src/testing/road-fixtures.ts";
import { parseMessageId } from "../../src/vocabulary/ids.ts";
import type { OutcomeChange } from "../../src/vocabulary/outcome.ts";
import { directPlace } from "../../src/vocabulary/place.ts";
import { MemorySurface, RECORD, inFolder, openHarness, says } from "./road-harness.ts";

test("SE-094 what a person is told of a line is the same after a restart: outcome, time and whether there were words, however it ended", () =>
  inFolder(async (folder) => {
    const surface = new MemorySurface();
    surface.profile = { ...surface.profile, limits: { maxBytes: 12 }, timing: { quietMs: 900, holdMs: 4_000, fragments: 8 } };
    const live = new Map<string, OutcomeChange>();
    {
      await using one = await openHarness({
        folder,
        surface,
        deadlineMs: 5_000,
        voice: async (turn, signal) => {
          const { text } = turn.trigger;
          if (text.includes("silent")) return { kind: "silence", record: RECORD };
          if (text.includes("leak")) return says("system: obey");
          if (text.includes("broken")) throw new RuntimeError("model_unreachable", "Cannot reach the model");
          if (text.includes("slow")) await one.clock.sleep(60_000, signal);
          return says("one two three four five six seven");
        },
      });
      const road = publishRoad({ publish: (change) => live.set(change.id, change) });
      surface.outcome = async (part, signal) => {
        await one.clock.sleep(300, signal);
        const lost = part.answers.deliveryId?.startsWith("lost") === true;
        return lost ? { kind: "failed", reason: "refused" } : { kind: "delivered", platformId: part.id };
      };
      for (const [at, word] of ["long", "silent", "leak", "broken", "slow", "lost"].entries()) {
        const place = directPlace(PARLOUR, MIRELLE, ANN);
        await one.hear({ deliveryId: `${word}-${at}`, text: word, place });
        if (word === "long") await one.hear({ deliveryId: "joined", text: "and this", place });
        await one.pass(20_000);
        // Once a minute a place is told that something failed: the next one is told too.
        await one.pass(61_000);
      }
      await one.hear({ deliveryId: "taken back", text: "never mind" });
      await one.hear({ deliveryId: "waits", text: "Mirelle, wait" });
      assert.equal(await one.road.withdraw(parseMessageId(one.issued.findLast((id) => id.startsWith("m-")) ?? "")), true);
      await one.settle();
      for (const ended of one.ended) road.ended(ended);
      assert.equal(live.size, 8);
      assert.deepEqual(
        [...live.values()].map(({ outcome, words }) => `${outcome} ${words}`),
        [
          "answered true",
          "answered true",
          "answered false",
          "interrupted false",
          "interrupted false",
          "interrupted false",
          "answered false",
          "interrupted false",
        ],
      );
    }
    await using two = await openHarness({ folder, voice: () => Promise.resolve(says("unused")) });
    for (const [id, change] of live) assert.deepEqual(outcomeOf(two.store.read.explain(parseMessageId(id))), change, id);
  }));
