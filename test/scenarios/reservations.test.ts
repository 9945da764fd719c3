import assert from "node:assert/strict";
import { test } from "node:test";
import { RuntimeError } from "../../src/foundation/errors.ts";
import type { Ledger } from "../../src/road/road.ts";
import type { StartRow, Store } from "../../src/store/store.ts";
import type { MessageId } from "../../src/vocabulary/ids.ts";
import type { Turn } from "../../src/vocabulary/turn.ts";
import type { Harness } from "./road-harness.ts";
import { MemorySurface, inFolder, openHarness, says } from "./road-harness.ts";

/** What a person may have in a minute, so that one reservation too many is seen. */
const EACH = 3;
const budgets = { repliesPerMinutePerPerson: EACH };

function gathering(): MemorySurface {
  const surface = new MemorySurface();
  const pacing = { public: { burst: 1e6, everyMs: 1 }, direct: { burst: 1e6, everyMs: 1 } };
  surface.profile = { ...surface.profile, pacing, timing: { quietMs: 900, holdMs: 4_000, fragments: 8 } };
  return surface;
}

const voice = (turn: Turn): Promise<ReturnType<typeof says>> => Promise.resolve(says(`[${turn.trigger.text.replaceAll("\n", " | ")}]`));
const fails = (): Promise<never> => Promise.reject(new RuntimeError("internal", "Cannot hear: the database refused a value"));

/** A ledger whose first start is another one. */
function firstStart(
  begin: (row: StartRow, real: Ledger, store: Store) => ReturnType<Ledger["start"]>,
): (real: Ledger, store: Store) => Ledger {
  let done = false;
  return (real, store) => ({
    ...real,
    start(row) {
      const first = !done;
      done = true;
      return first ? begin(row, real, store) : real.start(row);
    },
  });
}

const endNow = (store: Store, inbox: MessageId): Promise<unknown> =>
  store.close({ inbox, turn: null, end: "cancelled", reason: "withdrawn", atMs: 1, record: null });

/** Say lines until one is refused; gives how many were taken. */
async function more(one: Harness): Promise<number> {
  const before = one.suppressed.length;
  for (let taken = 0; ; taken += 1) {
    const hearing = one.hear({ deliveryId: `more-${taken}`, text: `Mirelle, more ${taken}` });
    await one.settle();
    await hearing;
    if (one.suppressed.length > before) {
      assert.deepEqual(one.suppressed.slice(before), ["budget"]);
      return taken;
    }
  }
}

test("TR-024 a line whose commit fails has cost nothing", () =>
  inFolder(async (folder) => {
    const ledger = (real: Ledger): Ledger => ({ ...real, hear: (row) => (row.event.text.includes("lost") ? fails() : real.hear(row)) });
    await using one = await openHarness({ folder, surface: gathering(), voice, budgets, ledger });
    await assert.rejects(one.hear({ deliveryId: "a", text: "Mirelle, lost" }));
    assert.equal(await more(one), EACH);
  }));

test("TR-024 TR-050 of a thought, a first line that has ended by then gives back what it had reserved, and the others run as one", () =>
  inFolder(async (folder) => {
    const ledger = firstStart(async (row, real, store) => {
      await endNow(store, row.inbox);
      return real.start(row);
    });
    await using one = await openHarness({ folder, surface: gathering(), voice, budgets, ledger });
    for (const text of ["Mirelle, a", "Mirelle, b", "Mirelle, c"]) await one.hear({ deliveryId: text, text });
    await one.pass(1_000);
    assert.deepEqual(
      one.surface.sent.map(({ body }) => body),
      ["[Mirelle, b | Mirelle, c]"],
    );
    assert.equal(await more(one), EACH - 1, "one reply was given");
  }));

test("TR-024 TR-050 of a thought, a later line that has ended by then gives back what it had reserved and stays out", () =>
  inFolder(async (folder) => {
    const ledger = firstStart(async (row, real, store) => {
      for (const id of row.absorbed.slice(0, 1)) await endNow(store, id);
      return real.start(row);
    });
    await using one = await openHarness({ folder, surface: gathering(), voice, budgets, ledger });
    for (const text of ["Mirelle, a", "Mirelle, b", "Mirelle, c"]) await one.hear({ deliveryId: text, text });
    await one.pass(1_000);
    assert.deepEqual(
      one.surface.sent.map(({ body }) => body),
      ["[Mirelle, a | Mirelle, c]"],
    );
    assert.equal(await more(one), EACH - 1);
  }));

test("TR-024 a thought whose start fails has begun no call and cost nothing", () =>
  inFolder(async (folder) => {
    await using one = await openHarness({ folder, surface: gathering(), voice, budgets, ledger: firstStart(fails) });
    for (const text of ["Mirelle, a", "Mirelle, b"]) await one.hear({ deliveryId: text, text });
    await one.pass(1_000);
    assert.deepEqual(one.surface.sent, []);
    assert.equal(await more(one), EACH);
  }));

test("TR-024 TR-044 a row of an earlier process that has ended before it starts again costs nothing", () =>
  inFolder(async (folder) => {
    {
      const never = (_: Turn, signal: AbortSignal): Promise<never> =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new RuntimeError("closed", "Cannot go on"))));
      await using one = await openHarness({ folder, surface: gathering(), voice: never, budgets });
      await one.hear({ deliveryId: "a", text: "Mirelle, a" });
      await one.pass(1_000);
    }
    const ledger = firstStart(async (row, real, store) => {
      await endNow(store, row.inbox);
      return real.start(row);
    });
    await using next = await openHarness({ folder, surface: gathering(), voice, budgets, ledger });
    assert.equal(next.recovered.messagesAgain, 1);
    await next.settle();
    assert.equal(await more(next), EACH);
  }));
