import type { KillPoint } from "./approval-bench.ts";
import { ApprovalBench } from "./approval-bench.ts";

const [, , folder = "", point = ""] = process.argv;
const bench = new ApprovalBench();

/** Say that the moment has come, and stay in it. */
const here = (at: KillPoint): Promise<void> => {
  if (at !== point) return Promise.resolve();
  process.stdout.write("here\n");
  return new Promise(() => {});
};
bench.at = here;
const one = await bench.open(folder);
await bench.say("milk");
if (one.store.read.calls.pending(one.clock.nowMs()).length === 1) await here("asked");
await bench.say("allow 1");
