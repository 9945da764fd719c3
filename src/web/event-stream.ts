import type { Clock } from "../foundation/clock.ts";

/** Bytes that may wait for a reader; more, and the reader is dropped. A snapshot alone may be larger: it is the first line. */
const MAX_WAITING_BYTES = 256 * 1024;
const MAX_WAITING_LINES = 512;
const BEAT_MS = 10_000;

/** What a stream sends by itself: `beat` every 10 s of the clock, `slow` as the last line to a reader that does not keep up. */
export interface StreamOptions<Event> {
  readonly clock: Clock;
  readonly beat: () => Event;
  readonly slow: Event;
  /** Called once when the stream is over, whoever ended it. */
  readonly onEnd: () => void;
}

/**
 * Lines of JSON for one reader, read with `fetch`. At most 512 lines or 256 KiB wait; a reader that is further behind loses
 * them, gets `slow` and is ended. It ends with {@link EventStream.end}, when the reader goes, or by being slow.
 */
export class EventStream<Event> {
  readonly #options: StreamOptions<Event>;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #ended = false;
  #cancelled = false;
  #wake: (() => void) | null = null;
  #beat: Disposable | null = null;
  /** The response body. */
  readonly body: ReadableStream<Uint8Array>;

  constructor(options: StreamOptions<Event>) {
    this.#options = options;
    this.body = new ReadableStream<Uint8Array>(
      { pull: (controller) => this.#pull(controller), cancel: () => this.#cancel() },
      { highWaterMark: 0 },
    );
    this.#schedule();
  }

  /** Whether nothing will be sent any more. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Queue an event; nothing happens once the stream is over. */
  push(event: Event): void {
    if (this.#ended) return;
    const bytes = Buffer.from(`${JSON.stringify(event)}\n`);
    const behind =
      this.#waiting.length >= MAX_WAITING_LINES || (this.#waiting.length > 0 && this.#waitingBytes + bytes.length > MAX_WAITING_BYTES);
    if (behind) {
      this.#waiting = [];
      this.#waitingBytes = 0;
      this.end(this.#options.slow);
      return;
    }
    this.#put(bytes);
  }

  /** Send a last event and end. */
  end(last: Event): void {
    if (this.#ended) return;
    this.#put(Buffer.from(`${JSON.stringify(last)}\n`));
    this.#over();
  }

  #put(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#wake?.();
  }

  #cancel(): void {
    this.#cancelled = true;
    this.#waiting = [];
    this.#over();
  }

  #over(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#beat?.[Symbol.dispose]();
    this.#wake?.();
    this.#options.onEnd();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (this.#waiting.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
    if (this.#cancelled) return;
    const bytes = this.#waiting.shift();
    if (bytes === undefined) {
      controller.close();
      return;
    }
    this.#waitingBytes -= bytes.length;
    controller.enqueue(bytes);
  }

  #schedule(): void {
    this.#beat = this.#options.clock.after(BEAT_MS, () => {
      if (this.#ended) return;
      this.push(this.#options.beat());
      if (!this.#ended) this.#schedule();
    });
  }
}
