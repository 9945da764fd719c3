import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CEILINGS } from "../limits.ts";
import { TURN_CEILINGS, newestWhole } from "./turn-ceilings.ts";

test("TR-057 a turn that nobody watches is bounded in messages, calls, requests and time; who watches is asked instead, and the host's window bounds a request", () => {
  const unwatched = { requestMessages: 256, requestCalls: 64, requests: 32, calls: 256, askAfterRequests: null, deadlineMs: 600_000 };
  const watched = { requestMessages: null, requestCalls: 64, requests: null, calls: 256, askAfterRequests: 100, deadlineMs: null };
  assert.deepEqual(TURN_CEILINGS, { surface: unwatched, schedule: unwatched, terminal: watched, console: watched });
  assert.equal(TURN_CEILINGS.surface.requestMessages, CEILINGS.packetLines);
  assert.equal(TURN_CEILINGS.surface.deadlineMs, CEILINGS.modelDeadlineMs);
});

/** A history: lines that stand alone, and calls whose results come later, also in another order. */
const history = fc
  .array(fc.record({ pair: fc.option(fc.integer({ min: 0, max: 12 })), gap: fc.nat(5) }), { maxLength: 60 })
  .map((steps) => {
    const entries: { at: number; pair: string | null }[] = [];
    const open: string[] = [];
    for (const { pair, gap } of steps) {
      if (pair === null) entries.push({ at: entries.length, pair: null });
      else {
        const name = `c${entries.length}-${pair}`;
        open.push(name);
        entries.push({ at: entries.length, pair: name });
      }
      if (open.length > gap) entries.push({ at: entries.length, pair: open.splice(gap, 1)[0] ?? null });
    }
    return entries;
  });

test("TR-057 MC-071 a request carries the newest of a history, in order, never over its bound and never a result without its call", () => {
  fc.assert(
    fc.property(history, fc.integer({ min: 1, max: 40 }), (entries, most) => {
      const kept = newestWhole(entries, most, ({ pair }) => pair);
      assert.ok(kept.length <= most);
      assert.deepEqual(kept, entries.slice(entries.length - kept.length), "the newest, whole and in order");
      const before = entries.slice(0, entries.length - kept.length);
      for (const { pair } of kept) assert.ok(pair === null || !before.some((one) => one.pair === pair));
      if (entries.length <= most) assert.equal(kept.length, entries.length, "what fits is left alone");
    }),
  );
});
