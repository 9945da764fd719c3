import type { SurfaceName } from "./ids.ts";

/** Something an operator should know of a budget, once a day each: four fifths of it are used, or it is used up. */
export interface BudgetNotice {
  readonly kind: "near" | "spent";
  /** The configuration key. */
  readonly key: string;
  /** Null for the whole install. */
  readonly surface: SurfaceName | null;
}

/** One budget as it stands. */
export interface BudgetView {
  /** The configuration key that sets it. */
  readonly key: string;
  /** Null for the whole install. */
  readonly surface: SurfaceName | null;
  /** What is counted: millionths of the currency, or calls. */
  readonly unit: "micros" | "calls";
  /** Null for no bound. */
  readonly limit: number | null;
  readonly used: number;
  /** Set aside for what is under way, or for calls of which nobody knows what they came to. */
  readonly reserved: number;
  readonly resetsAtMs: number;
  readonly state: "ok" | "near" | "spent";
}
