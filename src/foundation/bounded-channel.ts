import { RuntimeError } from "./errors.ts";

/**
 * Values from one side to one reader, in order, at most `capacity` waiting. A full channel refuses instead of growing; the
 * reader ends once the channel is closed and what waited is read.
 */
export class BoundedChannel<Value> implements AsyncIterable<Value>, Disposable {
  readonly #capacity: number;
  readonly #waiting: Value[] = [];
  #closed = false;
  #wake: (() => void) | null = null;
  #read = false;

  constructor(capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1)
      throw new RuntimeError("invalid_argument", "Cannot make a channel: capacity must be 1 or more");
    this.#capacity = capacity;
  }

  /** Put a value in; false when the channel is full or closed. */
  trySend(value: Value): boolean {
    if (this.#closed || this.#waiting.length >= this.#capacity) return false;
    this.#waiting.push(value);
    this.#notify();
    return true;
  }

  /** Take no more; the reader still gets what waits. */
  close(): void {
    this.#closed = true;
    this.#notify();
  }

  /** Close and drop what waits. */
  [Symbol.dispose](): void {
    this.#waiting.length = 0;
    this.close();
  }

  /** The one reader. @throws RuntimeError `invalid_argument` for a second one. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Value, void, undefined> {
    if (this.#read) throw new RuntimeError("invalid_argument", "Cannot read a channel twice");
    this.#read = true;
    for (;;) {
      while (this.#waiting.length > 0) yield* this.#waiting.splice(0, 1);
      if (this.#closed) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = null;
  }
}
