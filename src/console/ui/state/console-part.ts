import type { JSX } from "preact";

/**
 * What only the operators' door has: loaded when that door has opened, so that a guest's page holds none of it. The parts are
 * drawn in the places that the frame keeps for them.
 */
export interface ConsolePart extends AsyncDisposable {
  /** Whether the stage is what is shown now. */
  isStageShown(): boolean;
  /** The pages, by number. */
  readonly Rail: (props: { readonly isLit: boolean }) => JSX.Element;
  /** Across the top: what is paused. */
  readonly Strips: () => JSX.Element;
  /** In the stage's head: what an operator should know of. */
  readonly StageNotice: () => JSX.Element | null;
  /** The place where answering is stopped. */
  readonly Stop: () => JSX.Element;
  /** The page that is shown in place of the stage. */
  readonly Shown: () => JSX.Element;
  /** Questions over the page, and what was done last. */
  readonly Over: () => JSX.Element;
  /** Take a key; false when it is none of these pages'. */
  onKey(event: KeyboardEvent): boolean;
  /** Keys of these pages, for the list of keys. */
  readonly keys: readonly KeyWords[];
}

/** Keys and what they do. */
export interface KeyWords {
  readonly keys: readonly string[];
  readonly does: string;
}
