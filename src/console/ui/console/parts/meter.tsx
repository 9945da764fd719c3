import type { JSX } from "preact";
import { number } from "../words/numbers.ts";

/** From this share of a limit on, its meter is told by weight too. */
const NEAR = 0.8;

interface MeterProps {
  readonly used: number;
  readonly limit: number;
  /** How the used amount is written; the number itself without it. */
  readonly shown?: string;
  readonly shownLimit?: string;
}

/** How much of a limit is used: in words, and as a bar whose measures are attributes, since the policy allows no style. */
export function Meter({ used, limit, shown = number(used), shownLimit = number(limit) }: MeterProps): JSX.Element {
  const share = limit <= 0 ? 1 : used / limit;
  return (
    <div class="used">
      <span>
        {share >= NEAR ? <b>{shown}</b> : <span>{shown}</span>}
        <span class="dim">of {shownLimit}</span>
      </span>
      <Bar used={used} limit={limit} />
    </div>
  );
}

/** The bar alone. */
export function Bar({ used, limit }: Pick<MeterProps, "used" | "limit">): JSX.Element {
  const share = limit <= 0 ? 1 : Math.min(1, used / limit);
  const tone = share >= 1 ? " meter--full" : share >= NEAR ? " meter--near" : "";
  return (
    <svg class={`meter${tone}`} viewBox="0 0 1000 6" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <rect width={Math.round(share * 1_000)} height="6" />
    </svg>
  );
}
