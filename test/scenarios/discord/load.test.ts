import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoadPlan } from "./load.ts";
import { playLoad } from "./load.ts";

const seed = Number(process.env["TROUPE_TEST_SEED"] ?? 1);
/** The whole is played by `npm run test:load`; what every run plays has the same in it, with fewer people and places. */
const PLANS: Readonly<Record<"sample" | "whole", LoadPlan>> = {
  sample: { seed, mentions: 72, channels: 18, people: 40, overMs: 8_000, refusedEvery: 18 },
  whole: { seed, mentions: 1_000, channels: 50, people: 200, overMs: 60_000, refusedEvery: 20 },
};
const plan = process.env["TROUPE_TEST_DEPTH"] === "load" ? PLANS.whole : PLANS.sample;

test("MC-045 TR-042 TR-081 mentions in many channels at once, with refused posts, lost connections and a kill, are answered once each, in the order of their channel", async (context) => {
  const report = await playLoad(plan, context.signal);
  const { tookMs, recovered, once, never, twice, disordered, strays, refused, reconnects, sessions, kills } = report;
  process.stdout.write(
    `load: ${once} of ${plan.mentions} answered once in ${Math.round(tookMs / 1_000)} s; ${refused} refused, ${reconnects} resumed, ${sessions} sessions, ${kills} killed, recovered ${JSON.stringify(recovered)}\n`,
  );
  assert.deepEqual({ once, never, twice, disordered, strays }, { once: plan.mentions, never: [], twice: [], disordered: [], strays: 0 });
  // That all of it happened: else nothing was shown.
  assert.ok(refused >= Math.floor(plan.mentions / plan.refusedEvery), `${refused} refused`);
  assert.ok(reconnects >= 3 && sessions === 2, `${reconnects} resumed, ${sessions} sessions`);
});
