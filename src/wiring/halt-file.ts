import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../foundation/clock.ts";
import type { Log } from "../foundation/log.ts";
import type { Operations } from "../operations/operations.ts";
import type { Store } from "../store/store.ts";
import { LOCAL_OWNER } from "../vocabulary/principal.ts";
import { haltBy } from "./halt-by.ts";

const LOOK_EVERY_MS = 1_000;

/** Whether somebody laid the file there that brings everything to a stand (TR-073). */
export function haltFileThere(stateDirectory: string): boolean {
  return existsSync(join(stateDirectory, "halt"));
}

/** Look for the file once a second, from now on, and tell each time it has come. */
export function watchHaltFile(stateDirectory: string, clock: Clock, came: () => void): Disposable {
  let timer: Disposable | null = null;
  let there = haltFileThere(stateDirectory);
  const look = (): void => {
    timer = clock.after(LOOK_EVERY_MS, look);
    const now = haltFileThere(stateDirectory);
    if (now && !there) came();
    there = now;
  };
  look();
  return { [Symbol.dispose]: () => timer?.[Symbol.dispose]() };
}

/** Heed the file: one that lies there already halts before anything of an earlier process runs again. */
export async function heedHaltFile(
  stateDirectory: string,
  needs: { readonly store: Pick<Store, "halt">; readonly operations: Pick<Operations, "run">; readonly clock: Clock; readonly log: Log },
): Promise<Disposable> {
  const { store, operations, clock, log } = needs;
  if (haltFileThere(stateDirectory)) await store.halt({ by: LOCAL_OWNER, via: "file", atMs: clock.nowMs() });
  return watchHaltFile(stateDirectory, clock, () => haltBy(operations, "file", log));
}
