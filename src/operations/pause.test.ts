import assert from "node:assert/strict";
import { test } from "node:test";
import { isRuntimeError } from "../foundation/errors.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import type { Pause } from "../vocabulary/pause.ts";
import { LOCAL_ACTOR } from "./local-actor.ts";
import type { Operations } from "./operations.ts";
import { createOperations } from "./operations.ts";
import type { PausesAnswer } from "./pause.ts";
import { bindPause } from "./pause.ts";

const { signal } = new AbortController();

/** The two commands over pauses in memory. */
function bench(): {
  readonly kept: Pause[];
  readonly operations: Operations;
  readonly run: (name: string, args: object) => Promise<PausesAnswer>;
} {
  const kept: Pause[] = [];
  const same = (a: Pick<Pause, "character" | "place">) => (b: Pause) => a.character === b.character && a.place === b.place;
  const operations = createOperations(
    bindPause(
      {
        pauses: () => kept,
        pause: (row) => Promise.resolve(void kept.push(row)),
        unpause: (row) => {
          const at = kept.findIndex(same(row));
          if (at >= 0) kept.splice(at, 1);
          return Promise.resolve({ resumed: at >= 0 ? 1 : 0 });
        },
        characters: () => ["mirelle", "tobias"],
        surfaces: () => ["parlour"],
      },
      new ManualClock(1_800_000_000_000),
    ),
  );
  const run = async (name: string, args: object): Promise<PausesAnswer> => {
    const result = await operations.run(name, args, LOCAL_ACTOR, signal);
    operations.present(name, result);
    return JSON.parse(JSON.stringify(result));
  };
  return { kept, operations, run };
}

test("TR-082 what is paused is kept with who said so and until when, and resuming ends exactly what is named", async () => {
  const { kept, run } = bench();
  await run("pause", { character: "mirelle", for: "2h" });
  await run("pause", { place: "public:parlour:a:b" });
  const { paused } = await run("pause", {});
  assert.deepEqual(
    paused.map(({ character, place, by, untilMs }) => [character, place, by, untilMs]),
    [
      ["mirelle", null, "local:owner", 1_800_007_200_000],
      [null, "public:parlour:a:b", "local:owner", null],
      [null, null, "local:owner", null],
    ],
  );
  assert.deepEqual((await run("resume", { character: "mirelle" })).changed, 1);
  assert.deepEqual((await run("resume", { all: true })).changed, 2);
  assert.deepEqual(kept, []);
});

test("a name that the configuration does not have is refused with those it has, and so is resuming what is not paused", async () => {
  const { kept, run } = bench();
  await assert.rejects(run("pause", { character: "mirele" }), (error: Error) => {
    assert.match(error.message, /There is: mirelle, tobias$/);
    assert.ok(!error.message.includes("mirele,"));
    return isRuntimeError(error, "not_found");
  });
  await assert.rejects(run("pause", { place: "attic" }), (error) => isRuntimeError(error, "not_found"));
  await assert.rejects(run("pause", { place: "direct:mirelle:room:ann" }), (error) => isRuntimeError(error, "not_found"));
  await assert.rejects(run("pause", { for: "soon" }), (error) => isRuntimeError(error, "usage"));
  await assert.rejects(run("resume", {}), (error) => isRuntimeError(error, "not_found"));
  await assert.rejects(run("resume", { all: true, character: "mirelle" }), (error) => isRuntimeError(error, "usage"));
  assert.deepEqual(kept, []);
});

test("the lines for people say who, where, until when, and how to go on", () => {
  const { operations } = bench();
  const paused = [{ character: null, place: "parlour", by: "local:owner", atMs: 0, untilMs: 1_800_000_000_000 }];
  const text = (name: string, answer: PausesAnswer): string =>
    operations
      .present(name, answer)
      .lines.map((one) => one.text)
      .join("\n");
  assert.match(text("pause", { paused, changed: 1 }), /everyone +parlour +until 2027-01-15T08:00:00Z, by local:owner/);
  assert.match(text("resume", { paused: [], changed: 2 }), /2 pauses ended\.\nNothing is paused\./);
});
