import { Worker } from "node:worker_threads";
import { RuntimeError } from "../../foundation/errors.ts";
import { ownFile } from "../../foundation/own-files.ts";
import type { WriterAnswer, WriterLine, WriterOptions, WriterRequest } from "./protocol.ts";

interface Waiting {
  readonly resolve: (answer: WriterAnswer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The writer's thread as a line with one question at a time. It keeps the process alive only while a question is open, so that
 * a program that forgot to dispose its store still ends.
 */
export class WriterThread implements WriterLine {
  readonly #worker: Worker;
  #waiting: Waiting | null = null;
  #ended = false;

  constructor(options: WriterOptions) {
    this.#worker = new Worker(ownFile("store/sqlite/writer-worker"), { workerData: options, name: "troupe store writer" });
    this.#worker.on("message", (answer: WriterAnswer) => this.#settle((waiting) => waiting.resolve(answer)));
    this.#worker.on("error", (error) => this.#end(error));
    this.#worker.on("exit", () => this.#end());
  }

  /** The thread's first answer: whether it could open the database. */
  opening(): Promise<WriterAnswer> {
    return this.#answer();
  }

  /** Ask and wait. @throws RuntimeError `state_unwritable` when the thread has ended; `DataCloneError` for a row that cannot be copied. */
  async ask(request: WriterRequest): Promise<WriterAnswer> {
    if (this.#ended) throw ended();
    // Throws for what cannot be copied: then nothing was sent, and nothing will be answered.
    this.#worker.postMessage(request);
    return this.#answer();
  }

  /** Wait until the thread is gone. It closes by itself once it was told to, or refused to open. */
  async join(): Promise<void> {
    await this.#worker.terminate();
  }

  #answer(): Promise<WriterAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#worker.ref();
    });
  }

  #settle(how: (waiting: Waiting) => void): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    this.#worker.unref();
    if (waiting !== null) how(waiting);
  }

  #end(cause?: unknown): void {
    this.#ended = true;
    this.#settle((waiting) => waiting.reject(ended(cause)));
  }
}

function ended(cause?: unknown): RuntimeError {
  return new RuntimeError("state_unwritable", "Cannot write: the writer's thread has ended", { cause });
}
