import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AgentBench } from "../testing/agent-bench.ts";
import type { BenchOptions } from "../testing/agent-bench.ts";
import type { TurnBounds, TurnStarter } from "../vocabulary/calls/turn-ceilings.ts";
import { TURN_CEILINGS, ceilingsOf } from "../vocabulary/calls/turn-ceilings.ts";

const LOW: TurnBounds = { requests: 3, calls: 5, askAfterRequests: 2 };
const forEver: BenchOptions["model"] = (_request, at) => ({ calls: [["look", { at }]] });
const lowered = (starter: TurnStarter): BenchOptions => ({
  model: forEver,
  starter,
  needs: { ceilings: (one) => ceilingsOf(one, LOW) },
});

test("MC-079 TR-057 configuration lowers what a turn may do, and the next request is the first that is not made", async () => {
  using surface = new AgentBench(lowered("surface"));
  const ended = await surface.say("go on for ever");
  assert.deepEqual([ended.kind, ended.kind === "refused" && ended.reason, surface.requests.length], ["refused", "turn_ceiling", 3]);
  using terminal = new AgentBench(lowered("terminal"));
  assert.deepEqual([(await terminal.say("go on for ever")).kind, terminal.requests.length], ["suspended", 2]);
  using wide = new AgentBench({
    ...lowered("surface"),
    model: (_request, at) => ({ calls: [0, 1].map((n) => ["look", { at, n }] as const) }),
  });
  await wide.say("go on for ever");
  assert.ok(wide.entered.length >= LOW.calls && wide.requests.length === LOW.requests);
});

test("MC-079 property: whatever configuration says, no ceiling is raised, and what was unbounded by it stays so", () => {
  const bound = fc.integer({ min: 1, max: 100_000 });
  fc.assert(
    fc.property(
      fc.constantFrom<TurnStarter>("surface", "schedule", "terminal", "console"),
      fc.record({ requests: bound, calls: bound, askAfterRequests: bound }),
      (starter, bounds) => {
        const hard = TURN_CEILINGS[starter];
        const held = ceilingsOf(starter, bounds);
        for (const name of ["requests", "calls", "askAfterRequests"] as const) {
          const most = hard[name];
          assert.equal(held[name], most === null ? null : Math.min(most, bounds[name]), name);
        }
        assert.deepEqual({ ...held, requests: 0, calls: 0, askAfterRequests: 0 }, { ...hard, requests: 0, calls: 0, askAfterRequests: 0 });
      },
    ),
  );
});

test("MC-079 a turn ends with its time, with its person's word, and when its session goes on elsewhere: nothing of it runs afterwards", async () => {
  using late = new AgentBench({ model: () => new Promise<string>(() => {}), starter: "schedule" });
  const timed = assert.rejects(late.say("think"), { code: "deadline" });
  await late.clock.advance((TURN_CEILINGS.schedule.deadlineMs ?? 0) + 1);
  await timed;
  using stopped: AgentBench = new AgentBench({
    model: () => {
      stopped.live.of(stopped.line.character, stopped.line.id)?.stop();
      return { calls: [["change", {}]] };
    },
  });
  assert.equal((await stopped.say("paint it")).kind, "stopped");
  using superseded: AgentBench = new AgentBench({
    model: () => {
      const session = superseded.store.read.sessions.current(superseded.line.id) ?? assert.fail();
      const entry = { body: { kind: "note", text: "somebody else was here" }, root: null, label: "{}" } as const;
      superseded.store.run({
        verb: "appendEntries",
        row: { session: session.id, after: session.last, entries: [entry], atMs: 1, charges: [] },
      });
      return { calls: [["change", {}]] };
    },
  });
  await assert.rejects(superseded.say("paint it"), { code: "closed" });
  for (const bench of [late, stopped, superseded]) assert.deepEqual(bench.entered, []);
});
