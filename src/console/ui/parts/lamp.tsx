import type { JSX } from "preact";
import type { LampShape } from "../words/outcome-words.ts";

/** A state by its shape: done, off, half-way, stopped, yours to act on, or live. Text beside it says it in words. */
export function Lamp({ shape }: { readonly shape: LampShape }): JSX.Element {
  return (
    <svg class={`lamp lamp--${shape}`} viewBox="0 0 12 12" aria-hidden="true" focusable="false">
      {SHAPES[shape]()}
    </svg>
  );
}

const RING = 1.25;

const SHAPES: Readonly<Record<LampShape, () => JSX.Element>> = {
  on: () => <circle cx="6" cy="6" r="4" fill="currentColor" />,
  off: () => <circle cx="6" cy="6" r="3.5" fill="none" stroke="currentColor" stroke-width={RING} />,
  half: () => (
    <>
      <circle cx="6" cy="6" r="3.5" fill="none" stroke="currentColor" stroke-width={RING} />
      <path d="M6 2.5a3.5 3.5 0 0 0 0 7z" fill="currentColor" />
    </>
  ),
  bar: () => (
    <>
      <circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" stroke-width={RING} />
      <path d="M2.8 9.2l6.4-6.4" stroke="currentColor" stroke-width="1.5" />
    </>
  ),
  cue: () => <path d="M6 .8 11.2 6 6 11.2.8 6z" fill="currentColor" />,
  live: () => (
    <>
      <circle class="lamp__halo" cx="6" cy="6" r="5.5" fill="none" stroke="currentColor" />
      <circle class="lamp__core" cx="6" cy="6" r="3.5" stroke="currentColor" />
    </>
  ),
};
