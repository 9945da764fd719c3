/**
 * How long a start takes that finds many open messages: `node bench/recovery.ts [ROWS]`. They are kept first, of 1,000 people, all
 * never started, as a process leaves them that is killed; then the runtime is opened over them: from opening the state folder, through
 * recovering each into its lane, until the surfaces are open. Turns begin meanwhile and wait for a model that does not answer.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/foundation/clock.ts";
import { silentLog } from "../src/foundation/log.ts";
import { openStore } from "../src/store/sqlite/sqlite.ts";
import { heard } from "../src/testing/store-rows.ts";
import { openBenchRoad } from "./open-road.ts";
import { report } from "./statistics.ts";

const ROWS_AT_ONCE = 5_000;
const PEOPLE = 1_000;

/** Keep the rows as an earlier process would have. */
async function keepRows(directory: string, rows: number): Promise<void> {
  await using store = await openStore({ directory, clock: systemClock, log: silentLog }, new AbortController().signal);
  for (let first = 0; first < rows; first += ROWS_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(ROWS_AT_ONCE, rows - first) }, (_, index) => first + index);
    await Promise.all(numbers.map((number) => store.hear(heard({ number, person: number % PEOPLE, atMs: Date.now() }))));
  }
  if (store.read.counts().inbox["open"] !== rows) throw new Error("not all rows were kept");
}

const rows = Number(process.argv[2] ?? "100000");
const state = join(mkdtempSync(join(tmpdir(), "troupe-bench-")), "state");
await keepRows(state, rows);
await using road = await openBenchRoad({ thinkMs: 3_600_000, state });
// Only if they were put into lanes does the model get something to do.
while (road.thinking() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
report({ recovery_ms_100k: road.openedMs });
