import { parentPort, workerData } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import { RuntimeError } from "../../foundation/errors.ts";
import type { WriterAnswer, WriterOptions, WriterRequest } from "./protocol.ts";
import type { StoreFailureCode } from "./file/failure.ts";
import { Writer } from "./writer.ts";

const CODES: readonly StoreFailureCode[] = ["disk_full", "state_unwritable", "state_corrupt", "state_newer", "state_older", "state_busy"];

/** Serve a writer on a port until it is told to close: one answer for each request, in order. */
export function serveWriter(port: MessagePort, options: WriterOptions): void {
  const say = (answer: WriterAnswer): void => port.postMessage(answer);
  const writer = open(options, say);
  if (writer === null) {
    port.close();
    return;
  }
  port.on("message", (request: WriterRequest) => {
    if (request.kind === "close") {
      writer.close();
      say({ kind: "closed" });
      port.close();
      return;
    }
    try {
      say({ kind: "committed", outcomes: writer.commit(request.calls), commitMs: writer.commitMs });
    } catch (error) {
      say({ kind: "failed", ...told(error) });
    }
  });
}

function open(options: WriterOptions, say: (answer: WriterAnswer) => void): Writer | null {
  try {
    const writer = new Writer(options);
    say({ kind: "opened", generation: writer.generation, tookOver: writer.tookOver, restored: writer.restored });
    return writer;
  } catch (error) {
    say({ kind: "refused", ...told(error) });
    return null;
  }
}

function told(error: unknown): { readonly code: StoreFailureCode | "internal"; readonly message: string } {
  if (error instanceof RuntimeError) return { code: CODES.find((code) => code === error.code) ?? "internal", message: error.message };
  return { code: "internal", message: "Cannot write: the writer broke a rule of its own" };
}

// This file is the worker's entry: loaded anywhere else it does nothing.
if (parentPort !== null && isOptions(workerData)) serveWriter(parentPort, workerData);

function isOptions(value: unknown): value is WriterOptions {
  return typeof value === "object" && value !== null && "path" in value && "owner" in value && "maxPageCount" in value;
}
