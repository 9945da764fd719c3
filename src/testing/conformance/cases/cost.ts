import assert from "node:assert/strict";
import type { ConformanceCase } from "../case.ts";
import { conformanceCase, line, whisper } from "../case.ts";

const HOUR_MS = 3_600_000;
const MAX_COMMAND_MS = 500;
/** The quickest of a few runs counts: what else a machine does makes single ones slower. */
const COMMAND_RUNS = 3;

/** What costs money or time, and what stands in configuration and command line. */
export const COST_CASES: readonly ConformanceCase[] = [
  conformanceCase(81, "an idle room costs nothing, and a budget that is used up refuses before the call", async ({ open }) => {
    const living = await open({ callsPerDayPerPerson: 3 });
    await living.pass(2 * HOUR_MS);
    assert.equal(living.calls().length, 0, "idle");
    const reasons: string[] = [];
    for (let number = 0; number < 6; number += 1) {
      const acknowledged = await living.deliver(whisper("ann", `number ${number}`));
      if (acknowledged?.admitted === false) reasons.push(acknowledged.reason);
      await living.pass(20_000);
    }
    assert.equal(living.calls().length, 3);
    assert.equal(reasons.length, 3);
    await living.restart();
    await living.deliver(whisper("ann", "and after a restart?"));
    await living.pass(5_000);
    assert.equal(living.calls().length, 3, "a restart gives nothing back");
  }),
  conformanceCase(82, "a thousand lines that speak to nobody cost no call", async ({ open }) => {
    const living = await open();
    for (let number = 0; number < 1_000; number += 1) await living.deliver(line(`p${number % 40}`, `the fog is thick today, ${number}`));
    await living.pass(10_000);
    assert.deepEqual([living.calls().length, living.sent().length], [0, 0]);
  }),
  conformanceCase(
    83,
    "an unknown key refuses the start and says where it stands and what may have been meant",
    async ({ runtime }) => {
      assert.deepEqual(runtime.checkConfiguration(runtime.goodConfiguration), []);
      const problems = runtime.checkConfiguration(`${runtime.goodConfiguration}\nconsole: { prot: 7778 }\n`).join("\n");
      assert.match(problems, /console\.prot/);
      assert.match(problems, /\bport\b/);
      await Promise.resolve();
    },
    ["configuration"],
  ),
  conformanceCase(
    85,
    "help of the command line comes in half a second",
    async ({ runtime, signal }) => {
      for (const words of [["--help"], ["check", "--help"]]) {
        const taken: number[] = [];
        while (taken.length < COMMAND_RUNS && !taken.some((ms) => ms < MAX_COMMAND_MS)) {
          const { exitCode, output, processorMs } = await runtime.runCommand(words, signal);
          assert.ok(exitCode === 0 && output !== "" && processorMs > 0);
          taken.push(processorMs);
        }
        assert.ok(Math.min(...taken) < MAX_COMMAND_MS, `${words.join(" ")} took ${taken.map(Math.round).join(", ")} ms`);
      }
    },
    ["command_line"],
  ),
  conformanceCase(
    86,
    "a command that cannot be run says so in a line and ends with another code than 0",
    async ({ runtime, signal }) => {
      const { exitCode, output } = await runtime.runCommand(["no-such-command"], signal);
      assert.notEqual(exitCode, 0);
      assert.notEqual(output.trim(), "");
      assert.doesNotMatch(output, /\n\s+at /, "no stack");
    },
    ["command_line"],
  ),
];
