import { parentPort, workerData } from "node:worker_threads";
import fc from "fast-check";
import { worldPairs } from "../../src/testing/worlds.ts";
import type { WorldPair } from "../../src/testing/worlds.ts";
import type { Filter } from "./played-worlds.ts";
import { openWorldPlayer } from "./played-worlds.ts";

/** What came of playing pairs of worlds. */
export interface Counted {
  pairs: number;
  differed: number;
  leaked: number;
  toldItsOwner: number;
  /** Last lines for which no model was asked: the packet was stopped. */
  stopped: number;
}

/** Play pairs of worlds and count: requests that differ, hidden words that got through, secrets that were told to their owner. */
export async function playPairs(pairs: readonly WorldPair[], filter: Filter | null): Promise<Counted> {
  const counted: Counted = { pairs: 0, differed: 0, leaked: 0, toldItsOwner: 0, stopped: 0 };
  await using player = await openWorldPlayer(filter);
  for (const { first, second, hiddenWords, visibleWords } of pairs) {
    const [one, two] = [await player.play(first), await player.play(second)];
    counted.pairs += 1;
    if (one.request === "" || two.request === "") counted.stopped += 1;
    if (one.request !== two.request || one.said !== two.said) counted.differed += 1;
    if (hiddenWords.some((word) => one.request.includes(word) || two.request.includes(word))) counted.leaked += 1;
    if (first.ask.place.kind === "direct" && visibleWords.some((word) => one.said.includes(word))) counted.toldItsOwner += 1;
  }
  return counted;
}

/** So many pairs of one seed. */
export function pairsOf(pairs: number, seed: number): readonly WorldPair[] {
  return fc.sample(worldPairs({ playable: true }), { numRuns: pairs, seed });
}

// This file is the entry of a thread too: there no test looks after every promise, which would be a fifth of the work.
if (parentPort !== null && isOrder(workerData)) {
  parentPort.postMessage(await playPairs(pairsOf(workerData.pairs, workerData.seed), null));
}

function isOrder(value: unknown): value is { readonly pairs: number; readonly seed: number } {
  return typeof value === "object" && value !== null && "pairs" in value && "seed" in value;
}
