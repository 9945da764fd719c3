import type { Line } from "../../foundation/line.ts";
import type { Printable } from "../../foundation/printable.ts";

/** A person who can be asked, at a terminal. Disposing it gives the terminal back as it was. */
export interface Prompter extends Disposable {
  /**
   * Show a question and wait for one line. What was typed before the question stood there is no answer to it.
   * @throws RuntimeError `aborted` when the input ended; the signal's reason on abort.
   */
  line(question: Printable, signal: AbortSignal): Promise<string>;
  /** The same, and nothing that is typed is shown, kept or remembered (TR-072). */
  hidden(question: Printable, signal: AbortSignal): Promise<string>;
  /** Show lines. */
  tell(lines: readonly Line[]): void;
}
