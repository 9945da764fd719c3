import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { RuntimeError } from "../foundation/errors.ts";
import type { RecoverRow, Recovery } from "../store/store.ts";
import { connectReader } from "../store/sqlite/file/connect.ts";
import { pseudonymsOf } from "../store/sqlite/rows/pseudonym.ts";
import { Reader } from "../store/sqlite/reader.ts";
import { prepareStateFolder } from "../store/sqlite/file/state-folder.ts";
import type { VerbCall, VerbName, VerbResults } from "../store/sqlite/verbs/verbs.ts";
import { Writer } from "../store/sqlite/writer.ts";
import { scratchRoot } from "./scratch-root.ts";
import { STORE_TIME_MS } from "./store-rows.ts";

const TEST_KEY = new Uint8Array(32).fill(7);

/** The store's verbs without its thread: each call is a commit of its own, done when it returns. */
export interface DirectStore extends Disposable {
  readonly path: string;
  readonly read: Reader;
  readonly generation: number;
  /** Run a verb. @throws RuntimeError its own fault, or a store failure. */
  run<Name extends VerbName>(call: VerbCall & { readonly verb: Name }): VerbResults[Name];
  /** Recover as a start does, and tell how many rows were set aside. */
  recover(row: RecoverRow): { readonly recovery: Recovery; readonly setAside: number };
  /** Go on as the next process would: another generation over the same files. */
  restart(): void;
}

/** Open a store in a fresh folder, which goes with it. */
export function openDirectStore(): DirectStore {
  return directStoreOver(() => {});
}

/** The same over a database that `fill` wrote: it is opened as the next process would open it. */
export function directStoreOver(fill: (path: string) => void): DirectStore {
  const folder = mkdtempSync(join(scratchRoot(), "troupe-store-"));
  const path = prepareStateFolder(folder);
  fill(path);
  const opened = (): { writer: Writer; read: Reader } => ({
    writer: new Writer({ path, owner: "o-test", nowMs: STORE_TIME_MS, maxPageCount: null, key: TEST_KEY, restored: false }),
    read: new Reader(connectReader(path), pseudonymsOf(TEST_KEY), { nowMs: () => STORE_TIME_MS }),
  });
  let current = opened();
  const close = (): void => {
    current.read[Symbol.dispose]();
    current.writer.close();
  };
  const run = <Name extends VerbName>(call: VerbCall & { readonly verb: Name }): VerbResults[Name] => {
    const [outcome] = current.writer.commit([call]);
    if (outcome === undefined) throw new RuntimeError("internal", "Cannot run a verb: it has no outcome");
    if (outcome.kind === "fault") throw new RuntimeError(outcome.code, outcome.message);
    return outcome.result as VerbResults[Name];
  };
  return {
    path,
    run,
    recover(row) {
      const { recovery, setAside } = run({ verb: "recover", row });
      const { open, unreadable } = current.read.openRows();
      run({ verb: "setAside", row: { rows: unreadable, atMs: row.nowMs } });
      return { recovery: { ...recovery, open }, setAside: setAside + unreadable.length };
    },
    get read() {
      // Rows change here behind the store's back: nothing that a reader holds may outlive the next look.
      current.read.dropStandings();
      return current.read;
    },
    get generation() {
      return current.writer.generation;
    },
    restart() {
      close();
      current = opened();
    },
    [Symbol.dispose]() {
      close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
