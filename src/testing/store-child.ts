import { openSync, writeSync } from "node:fs";
import { systemClock } from "../foundation/clock.ts";
import { codeOf } from "../foundation/errors.ts";
import { silentLog } from "../foundation/log.ts";
import { openStore } from "../store/sqlite/sqlite.ts";
import type { Store } from "../store/store.ts";
import { answerRow, heard, settleRow, startRow } from "./store-rows.ts";

const never = new AbortController().signal;

/** Open the store and say so, or why not; hold it until the standard input ends. */
async function hold(directory: string): Promise<void> {
  try {
    await using store = await openStore({ directory, clock: systemClock, log: silentLog }, never);
    process.stdout.write(`opened ${store.generation}\n`);
    for await (const _ of process.stdin);
  } catch (error) {
    process.stdout.write(`${codeOf(error)} ${error instanceof Error ? error.message : ""}\n`);
  }
}

/**
 * Write until killed, 64 messages under way: each acknowledged verb is a line in the ledger, written before anything follows
 * from it. `h 7` means that message 7 is durable, `a 7` its answer, `s 7` its settled part.
 */
async function write(directory: string, ledgerPath: string, first: number): Promise<void> {
  const ledger = openSync(ledgerPath, "a");
  await using store = await openStore({ directory, clock: systemClock, log: silentLog }, never);
  process.stdout.write("ready\n");
  let next = first;
  const lane = async (): Promise<never> => {
    for (;;) await message(store, next++, (line) => void writeSync(ledger, `${line}\n`));
  };
  await Promise.all(Array.from({ length: 64 }, lane));
}

async function message(store: Store, number: number, acknowledge: (line: string) => void): Promise<void> {
  const row = heard({ number, person: number % 20 });
  await store.hear(row);
  acknowledge(`h ${number}`);
  // Not awaited: the answer's commit stands for it.
  const started = store.start(startRow(row));
  const { stored } = await store.answer(answerRow(row));
  if ((await started).started && stored) acknowledge(`a ${number}`);
  if ((await store.settle(settleRow(row))).settled) acknowledge(`s ${number}`);
}

/** What the store's tests run in a process of its own: `hold <folder>` or `write <folder> <ledger> <first number>`. */
export async function runStoreChild(args: readonly string[]): Promise<void> {
  const [what, directory = "", ledger = "", first = "0"] = args;
  await (what === "write" ? write(directory, ledger, Number(first)) : hold(directory));
}

if (import.meta.main) await runStoreChild(process.argv.slice(2));
