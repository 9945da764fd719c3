/** Verbs a second and the time of one `hear`, on this machine: `node bench/store.ts [messages]`. */
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/foundation/clock.ts";
import { silentLog } from "../src/foundation/log.ts";
import { openStore } from "../src/store/sqlite/sqlite.ts";
import type { Store } from "../src/store/store.ts";
import { answerRow, heard, settleRow, startRow } from "../src/testing/store-rows.ts";

const OUTSTANDING = 512;
const LANES = 1_000;

/** One message's whole way: four commits awaited one after another, as a slow caller would. */
async function message(store: Store, number: number): Promise<void> {
  const row = heard({ number, person: number % LANES });
  await store.hear(row);
  await store.start(startRow(row));
  await store.answer(answerRow(row));
  await store.settle(settleRow(row));
}

/** Messages a second of one round with 512 under way. */
async function burst(store: Store, first: number, messages: number): Promise<number> {
  let next = first;
  const startMs = performance.now();
  const lane = async (): Promise<void> => {
    while (next < first + messages) await message(store, next++);
  };
  await Promise.all(Array.from({ length: OUTSTANDING }, lane));
  return (messages * 1_000) / (performance.now() - startMs);
}

/** Times of `hear` calls made one after another, ascending. */
async function single(store: Store, count: number): Promise<readonly number[]> {
  const took: number[] = [];
  for (let number = 0; number < count; number += 1) {
    const startMs = performance.now();
    await store.hear(heard({ number: 10_000_000 + number, person: number % LANES }));
    took.push(performance.now() - startMs);
  }
  return took.toSorted((a, b) => a - b);
}

const messages = Number(process.argv[2] ?? 10_000);
const directory = mkdtempSync(join(tmpdir(), "troupe-bench-"));
try {
  await using store = await openStore({ directory, clock: systemClock, log: silentLog }, new AbortController().signal);
  await burst(store, 0, 2_000);
  const rates: number[] = [];
  for (let round = 1; round <= 5; round += 1) rates.push(4 * (await burst(store, round * 1_000_000, messages)));
  const verbs = rates.map((rate) => Math.round(rate)).toSorted((a, b) => a - b);
  const took = await single(store, 1_000);
  console.log(`verbs/s at ${OUTSTANDING} outstanding: median ${verbs[2]} [${verbs[0]}-${verbs[4]}] (messages/s: a quarter)`);
  console.log(`one hear, ms: p50 ${took[500]?.toFixed(2)} p99 ${took[990]?.toFixed(2)}; load ${loadavg()[0]?.toFixed(1)}`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
