import { throwIfAborted } from "../../foundation/cancellation.ts";
import type { Clock } from "../../foundation/clock.ts";
import { abortReason } from "../../foundation/clock.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { IdSource } from "../../foundation/ids.ts";
import { randomIds } from "../../foundation/ids.ts";
import type { Log } from "../../foundation/log.ts";
import { randomBytes } from "../../foundation/random-bytes.ts";
import type { Restored, Store } from "../store.ts";
import { connectReader } from "./file/connect.ts";
import type { WriterLine, WriterOptions } from "./protocol.ts";
import { pseudonymsOf } from "./rows/pseudonym.ts";
import { Reader } from "./reader.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { prepareStateFolder } from "./file/state-folder.ts";
import { WriterThread } from "./writer-thread.ts";

/** What the store needs. */
export interface StoreNeeds {
  /** The state folder; made with mode 0700 where it is missing. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  /** For tests: fewer pages than the database may have, and a writer on this thread where thousands of worlds are played. */
  readonly forTests?: { readonly maxPageCount?: number; readonly writer?: (options: WriterOptions) => WriterLine };
  readonly installation?: {
    /** Keys the names under which forgotten people's blocks and budgets go on; without it they last as long as the opening. */
    readonly key?: Uint8Array;
    /** Take an older copy of the database, without its authority (SE-099). */
    readonly restored?: boolean;
  };
  readonly ids?: IdSource;
}

/**
 * Open `troupe.db` in the state folder and hold the folder's lease until the store is disposed; that flushes what was called,
 * gives the lease back and folds the journal into the database (TR-040, TR-041).
 * @throws RuntimeError `state_busy`, `state_newer`, `state_older`, `state_corrupt`, `state_unwritable`, `disk_full`: one line with the path and
 * the cure, and nothing was changed (TR-085); the signal's reason on abort.
 */
export async function openStore(needs: StoreNeeds, signal: AbortSignal): Promise<Store> {
  throwIfAborted(signal);
  const path = prepareStateFolder(needs.directory);
  const thread = writerOf(needs, path);
  const opened = await openedBy(thread, needs.log);
  const pseudonymOf = pseudonymsOf(needs.installation?.key ?? randomBytes(32));
  try {
    const reader = new Reader(connectReader(path), pseudonymOf, needs.clock);
    const store = new SqliteStore({ thread, reader, pseudonymOf, path, clock: needs.clock, log: needs.log }, opened);
    if (!signal.aborted) return store;
    await store[Symbol.asyncDispose]();
  } catch (error) {
    // The lease is held by now: it is given back, not left to the end of the process.
    await thread.ask({ kind: "close" });
    await thread.join();
    throw error;
  }
  throw abortReason(signal);
}

function writerOf({ ids, clock, installation, forTests }: StoreNeeds, path: string): WriterLine {
  const options: WriterOptions = {
    path,
    owner: (ids ?? randomIds).next("o"),
    nowMs: clock.nowMs(),
    maxPageCount: forTests?.maxPageCount ?? null,
    key: installation?.key ?? null,
    restored: installation?.restored ?? false,
  };
  return forTests?.writer?.(options) ?? new WriterThread(options);
}

/** Wait for the writer. */
async function openedBy(thread: WriterLine, log: Log): Promise<{ readonly generation: number; readonly restored: Restored | null }> {
  try {
    const answer = await thread.opening();
    if (answer.kind === "refused") throw new RuntimeError(answer.code, answer.message);
    if (answer.kind !== "opened") throw new RuntimeError("internal", "Cannot open the store: the writer did not say whether it is open");
    log.write(answer.tookOver ? "info" : "debug", "store_opened", { generation: answer.generation, took_over: answer.tookOver });
    return { generation: answer.generation, restored: answer.restored };
  } catch (error) {
    await thread.join();
    throw error;
  }
}
