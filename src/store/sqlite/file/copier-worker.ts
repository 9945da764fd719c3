import { parentPort, workerData } from "node:worker_threads";
import { isRuntimeError } from "../../../foundation/errors.ts";
import type { CopyAnswer, CopyRequest } from "./copier.ts";
import { copyDatabase } from "./copy-database.ts";
import { fileFailureOf, storeFailureOf } from "./failure.ts";

function answerTo({ from, to, atMs }: CopyRequest): CopyAnswer {
  try {
    return { kind: "copied", copy: copyDatabase(from, to, atMs) };
  } catch (error) {
    if (isRuntimeError(error)) return { kind: "failed", code: "state_corrupt" };
    return { kind: "failed", code: storeFailureOf(error) ?? fileFailureOf(error) };
  }
}

function isOwn(value: unknown): value is { readonly troupeCopy: CopyRequest } {
  return typeof value === "object" && value !== null && "troupeCopy" in value;
}

// This file is the copier's entry: loaded anywhere else it does nothing.
if (parentPort !== null && isOwn(workerData)) parentPort.postMessage(answerTo(workerData.troupeCopy));
