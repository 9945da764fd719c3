import type { RetentionRow } from "../store.ts";
import type { Params } from "./statements.ts";
import type { VerbContext } from "./verbs.ts";

/** Decisions kept at most (TR-003). */
export const MAX_DECISIONS = 200_000;
/** Rows of one table that one call drops at most, so that no write waits long behind it; what is left goes with the next call. */
export const MAX_DROPPED_ROWS = 5_000;

const SETTLED_TURN = `ended_at_ms < :decisionsBeforeMs
  and not exists (select 1 from part where part.turn = turn.id and part.state in ('queued', 'sending'))
  and not exists (select 1 from inbox where inbox.id = turn.inbox and inbox.state <> 'ended')`;

/**
 * Each drops rows of one table by age. Open work and a line that is on its way never go, however old. Parts go before their
 * turn, so that no part is ever without one.
 */
const CUTS: readonly {
  readonly table: string;
  readonly key: string;
  readonly where: string;
  readonly by: readonly (keyof RetentionRow)[];
}[] = [
  { table: "decision", key: "n", where: "at_ms < :decisionsBeforeMs", by: ["decisionsBeforeMs"] },
  { table: "part", key: "n", where: `turn in (select id from turn where ${SETTLED_TURN})`, by: ["decisionsBeforeMs"] },
  {
    table: "turn",
    key: "n",
    where: `${SETTLED_TURN} and not exists (select 1 from part where part.turn = turn.id)`,
    by: ["decisionsBeforeMs"],
  },
  { table: "inbox", key: "n", where: "ended_at_ms < :decisionsBeforeMs", by: ["decisionsBeforeMs"] },
  { table: "approval", key: "id", where: "settled_at_ms < :decisionsBeforeMs and state <> 'pending'", by: ["decisionsBeforeMs"] },
  { table: "budget", key: "scope, window_start_ms", where: "window_start_ms < :decisionsBeforeMs", by: ["decisionsBeforeMs"] },
  {
    table: "event",
    key: "n",
    where: `state <> 'pending' and at_ms < max(:publicBeforeMs, :directBeforeMs)
      and at_ms < case when substr(place, 1, 7) = 'direct:' then :directBeforeMs else :publicBeforeMs end`,
    by: ["publicBeforeMs", "directBeforeMs"],
  },
  {
    table: "delivery",
    key: "surface, id",
    where: `at_ms < :deliveriesBeforeMs
      and not exists (select 1 from event where event.surface = delivery.surface and event.delivery = delivery.id)`,
    by: ["deliveriesBeforeMs"],
  },
  { table: "presence", key: "place, person", where: "left_at_ms < :membersBeforeMs", by: ["membersBeforeMs"] },
  { table: "principal", key: "id", where: "seen_at_ms < :membersBeforeMs", by: ["membersBeforeMs"] },
];

/** Drop what is older than the given moments, and decisions beyond the newest 200,000 (TR-003, TR-043). */
export function retain({ sql }: VerbContext, row: RetentionRow): { readonly dropped: number } {
  let dropped = 0;
  for (const { table, key, where, by } of CUTS) {
    const params: Params = { max: MAX_DROPPED_ROWS, ...Object.fromEntries(by.map((name) => [name, row[name]])) };
    dropped += sql.run(`delete from ${table} where (${key}) in (select ${key} from ${table} where ${where} limit :max)`, params);
  }
  dropped += sql.run(
    `delete from decision where n in (
       select n from decision where n <= (select n from decision order by n desc limit 1 offset :keep) order by n limit :max)`,
    { keep: MAX_DECISIONS, max: MAX_DROPPED_ROWS },
  );
  return { dropped };
}
