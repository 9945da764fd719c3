/** What free identities have drawn from a space in one window, and what one of them wants to draw from it now. */
export interface Draw {
  /** The whole space's limit. */
  readonly limit: number;
  /** Drawn by all free identities. */
  readonly drawn: number;
  /** Drawn by the one who asks. */
  readonly own: number;
  /** Free identities that drew, the one who asks among them. */
  readonly people: number;
}

/** Whether a free identity may draw once more; else whether its own share or the pool is used up. */
export type DrawVerdict = "drawn" | "share" | "pool";

/** The part of a space's limit that all free identities have together: half, and never nothing (SE-090). */
export function poolOf(limit: number): number {
  return Math.ceil(limit / 2);
}

/** What one free identity has for certain, however many compete: a tenth of the pool, and never nothing. */
export function tenthOf(limit: number): number {
  return Math.max(1, Math.floor(poolOf(limit) / 10));
}

/**
 * Judge one draw (SE-090; `docs/decisions/0006`). The pool always binds: it is what keeps the other half for named people. A
 * single one's share binds by competition: alone it is the whole pool but the last tenth, which is left for whoever comes next;
 * of several it is an even part; of ten and more it is the tenth.
 */
export function judgeDraw({ limit, drawn, own, people }: Draw): DrawVerdict {
  const pool = poolOf(limit);
  const tenth = tenthOf(limit);
  if (drawn + 1 > pool) return "pool";
  if (own < tenth) return "drawn";
  const share = Math.max(tenth, Math.floor(pool / Math.max(1, people)));
  if (own + 1 > share) return "share";
  return drawn + 1 > pool - tenth ? "share" : "drawn";
}
