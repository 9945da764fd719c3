import { RuntimeError } from "../foundation/errors.ts";
import type { WriterAnswer, WriterLine, WriterOptions, WriterRequest } from "../store/sqlite/protocol.ts";
import { Writer } from "../store/sqlite/writer.ts";

/**
 * The store's writer without its thread: the same verbs, statements and commits, on the caller's own. It costs no crossing, and
 * a commit blocks whoever is on the thread, so only tests that play much and measure nothing use it.
 */
export class InlineWriter implements WriterLine {
  readonly #writer: Writer;

  /** @throws RuntimeError as {@link Writer}. */
  constructor(options: WriterOptions) {
    this.#writer = new Writer(options);
  }

  opening(): Promise<WriterAnswer> {
    const { generation, tookOver, restored } = this.#writer;
    return Promise.resolve({ kind: "opened", generation, tookOver, restored });
  }

  /** @throws RuntimeError the store's failure. */
  async ask(request: WriterRequest): Promise<WriterAnswer> {
    if (request.kind === "close") {
      this.#writer.close();
      return { kind: "closed" };
    }
    // A row is read when it is written, as a copy on another thread would be: nobody may change it meanwhile.
    const outcomes = this.#writer.commit(request.calls);
    if (outcomes.length !== request.calls.length) throw new RuntimeError("internal", "Cannot write: a call has no outcome");
    return { kind: "committed", outcomes, commitMs: this.#writer.commitMs };
  }

  join(): Promise<void> {
    return Promise.resolve();
  }
}
