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
const isWhole = process.env["TROUPE_TEST_DEPTH"] === "load";
const plan = isWhole ? PLANS.whole : PLANS.sample;
/**
 * Around the kill two answers of a channel may still change places, in one or two channels of fifty. The whole run fails on it until that
 * is mended; the sample holds what always holds.
 */
const order = isWhole ? ", in the order of their channel" : "";

test(`TR-042 TR-081 mentions in many channels at once, with refused posts, lost connections and a kill, are answered once each${order}`, async (context) => {
  const report = await playLoad(plan, context.signal);
  const { tookMs, recovered, once, never, twice, disordered, strays, refused, reconnects, sessions, kills } = report;
  process.stdout.write(
    `load: ${once} of ${plan.mentions} answered once in ${Math.round(tookMs / 1_000)} s; ${refused} refused, ${reconnects} resumed, ${sessions} sessions, ${kills} killed, recovered ${JSON.stringify(recovered)}\n`,
  );
  assert.deepEqual({ once, never, twice, strays }, { once: plan.mentions, never: [], twice: [], strays: 0 });
  if (isWhole) assert.deepEqual(disordered, []);
  // That all of it happened: else nothing was shown.
  assert.ok(refused >= Math.floor(plan.mentions / plan.refusedEvery), `${refused} refused`);
  assert.ok(reconnects >= 3 && sessions === 2, `${reconnects} resumed, ${sessions} sessions`);
});
