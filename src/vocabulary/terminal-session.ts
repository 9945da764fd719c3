import type { Printable } from "../foundation/printable.ts";

/** What the runtime shows at a person's terminal. Foreign text is `Printable` already, line by line (SE-103). */
export type TerminalOutput =
  /** An own line is durable: `/why` may ask for it. */
  | { readonly kind: "heard"; readonly id: Printable }
  /** A sign of life while a turn runs. */
  | { readonly kind: "typing"; readonly name: Printable; readonly on: boolean }
  /** One part of what a character said. `badge` names what stands in for a model; `last` closes the reply. */
  | {
      readonly kind: "said";
      readonly name: Printable;
      readonly badge: Printable | null;
      readonly action: Printable | null;
      readonly lines: readonly Printable[];
      readonly last: boolean;
    }
  /** One sentence of the runtime itself. */
  | { readonly kind: "notice"; readonly text: Printable };

/** A person's terminal as the runtime sees it, here or at the other end of the local socket. */
export interface TerminalSession {
  /** The character it talks to; null takes the first one. */
  readonly character: string | null;
  /** What the person types, a line at a time without its end. When it ends, answers under way are waited for. */
  readonly lines: AsyncIterable<string>;
  /** Show something; resolves true once it surely was shown, false when it may not have been. Never rejects. */
  show(output: TerminalOutput): Promise<boolean>;
}
