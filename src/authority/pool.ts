/** What free identities have drawn from a space in one window, and what one of them wants to draw from it now. */
export interface Draw {
  /** The whole space's limit. */
  readonly limit: number;
  /** Whether named people use the space too. */
  readonly contested: boolean;
  /** Drawn by all free identities. */
  readonly drawn: number;
  /** Drawn by the one who asks. */
  readonly own: number;
  /** Free identities that drew, the one who asks among them. */
  readonly people: number;
  /** What is to be drawn now; 1 when left out. */
  readonly amount?: number;
}

/** Whether a free identity may draw once more; else whether its own share or the pool is used up. */
export type DrawVerdict = "drawn" | "share" | "pool";

/** A tenth, and never nothing. */
function tenthOf(whole: number): number {
  return Math.max(1, Math.floor(whole / 10));
}

/**
 * The part of a space's limit that all free identities have together (SE-090): half while named people use the space too, else all
 * of it but the last tenth, which the first named person finds; never nothing.
 */
export function poolOf(limit: number, contested: boolean): number {
  return contested ? Math.ceil(limit / 2) : Math.max(1, limit - tenthOf(limit));
}

/**
 * Judge one draw (SE-090; `docs/decisions/0006`). A share binds by competition: alone one has the whole pool but its last tenth,
 * which is left for whoever comes next; of several an even part; of ten and more a tenth.
 */
export function judgeDraw({ limit, contested, drawn, own, people, amount = 1 }: Draw): DrawVerdict {
  const pool = poolOf(limit, contested);
  const tenth = tenthOf(pool);
  if (drawn + amount > pool) return "pool";
  if (own + amount <= tenth) return "drawn";
  const share = Math.max(tenth, Math.floor(pool / Math.max(1, people)));
  if (own + amount > share) return "share";
  return drawn + amount > pool - tenth ? "share" : "drawn";
}
