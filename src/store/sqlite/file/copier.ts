import { Worker } from "node:worker_threads";
import { abortReason } from "../../../foundation/clock.ts";
import { RuntimeError } from "../../../foundation/errors.ts";
import { ownFile } from "../../../foundation/own-files.ts";
import type { DatabaseCopy } from "./copy-database.ts";
import type { StoreFailureCode } from "./failure.ts";
import { storeFailure } from "./failure.ts";

/** What is copied, and where to. */
export interface CopyRequest {
  readonly from: string;
  readonly to: string;
  readonly atMs: number;
}

/** What the thread says, once. */
export type CopyAnswer =
  | { readonly kind: "copied"; readonly copy: DatabaseCopy }
  | { readonly kind: "failed"; readonly code: StoreFailureCode };

/** Copy a database on a thread of its own, so that neither the event loop nor the writer waits. @throws RuntimeError a store failure; the signal's reason on abort. */
export function copyInThread(request: CopyRequest, signal: AbortSignal): Promise<DatabaseCopy> {
  if (signal.aborted) return Promise.reject(abortReason(signal));
  const worker = new Worker(ownFile("store/sqlite/file/copier-worker"), {
    workerData: { troupeCopy: request },
    name: "troupe store copier",
  });
  const done = new Promise<DatabaseCopy>((resolve, reject) => {
    worker.once("message", (answer: CopyAnswer) => {
      if (answer.kind === "copied") resolve(answer.copy);
      else reject(storeFailure(answer.code, request.to));
    });
    worker.once("error", (cause) => reject(new RuntimeError("internal", "Cannot copy the database: the copier broke", { cause })));
    worker.once("exit", () => reject(new RuntimeError("internal", "Cannot copy the database: the copier ended early")));
    signal.addEventListener("abort", () => reject(abortReason(signal)), { once: true });
  });
  return done.finally(() => {
    // Either it has ended by itself, or nobody waits for it any more.
    worker.unref();
    worker.terminate().catch(() => undefined);
  });
}
