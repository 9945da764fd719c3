import assert from "node:assert/strict";
import { after, test } from "node:test";
import { APART } from "./kill-run.ts";
import type { KillPoint } from "./kill-run.ts";
import { playKillRun } from "./kill-run.ts";
import { bundleRuntime } from "./one-file-runtime.ts";

const runtime = await bundleRuntime(new URL("mutant-runtime.ts", import.meta.url));
after(() => runtime[Symbol.asyncDispose]());

/** Play points one after another until one turns red; gives what was found there. */
async function firstRed(mutant: string, points: readonly KillPoint[], signal: AbortSignal): Promise<{ at: KillPoint; why: string } | null> {
  for (const at of points) {
    const environment = { TROUPE_MUTANT: mutant };
    const why = await playKillRun({ runtime, script: APART, readsBack: true, kills: [at], environment }, signal).then(
      () => null,
      (error: unknown) => (error instanceof assert.AssertionError ? error.message : assert.fail("a run broke")),
    );
    if (why !== null) return { at, why };
  }
  return null;
}

const points = (at: KillPoint["at"], when: KillPoint["when"], from: number, to: number): readonly KillPoint[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ at, n: from + index, when }));

/** Each fault, where a kill is to bring it out, and what must be said of it. */
const CASES = [
  { mutant: "cursor before commit", points: points("commit", "before", 2, 14), says: /every message was kept once/ },
  { mutant: "dedupe set before commit", points: points("commit", "before", 2, 14), says: /every message was kept once/ },
  { mutant: "refund on kill", points: points("commit", "before", 6, 20), says: /each turn that began is paid once/ },
  { mutant: "asks nobody", points: points("send", "after", 1, 6), says: /a part was said twice/ },
] as const;

for (const { mutant, points: tried, says } of CASES) {
  test(`TR-042 the check of a killed run turns red on "${mutant}", and at the same point is green on the runtime itself`, async (t) => {
    const red = await firstRed(mutant, tried, t.signal);
    assert.ok(red !== null, "no kill brought it out");
    assert.match(red.why, says);
    t.diagnostic(`found when killed ${red.at.when} ${red.at.at} ${red.at.n}`);
    assert.equal(await firstRed("", [red.at], t.signal), null);
  });
}
