import type { Counts, Tally } from "../../operator-store.ts";
import type { Params, Statements } from "./statements.ts";
import { numberIn, textIn } from "./columns.ts";

const DECISIONS = "select outcome as name, sum(count) as count from decision where at_ms >= :sinceMs group by outcome";
const BY_SURFACE =
  "select surface as name, sum(count) as count from decision where at_ms >= :sinceMs and outcome = 'admitted' group by surface";
const ENDS = "select end as name, count(*) as count from inbox where ended_at_ms >= :sinceMs group by end";
const PARTS = `select part.state as name, count(*) as count from turn join part on part.turn = turn.n
  where turn.ended_at_ms >= :sinceMs group by part.state`;

/** What became of messages and parts since a moment. */
export function tallyOf(sql: Statements, sinceMs: number): Tally {
  const count = (text: string): Counts => countsOf(sql, text, { sinceMs });
  const decisions = count(DECISIONS);
  return {
    admitted: decisions["admitted"] ?? 0,
    suppressed: decisions["suppressed"] ?? 0,
    bySurface: count(BY_SURFACE),
    ends: count(ENDS),
    parts: count(PARTS),
  };
}

function countsOf(sql: Statements, text: string, params: Params): Counts {
  return Object.fromEntries(sql.all(text, params).map((row) => [textIn(row, "name"), numberIn(row, "count")]));
}
