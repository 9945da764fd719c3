import type { PrincipalId } from "../../../vocabulary/principal.ts";
import type { HaltRow, Halted } from "../../operator-store.ts";
import type { InboxRow } from "../../store.ts";
import { INBOXES, readInbox } from "../rows/inbox-rows.ts";
import { writeAudit } from "./operator-verbs.ts";
import type { Row } from "../rows/columns.ts";
import { textIn } from "../rows/columns.ts";
import type { Statements } from "../rows/statements.ts";
import { endTurnsWhere } from "./turn-verbs.ts";
import type { VerbContext } from "./verbs.ts";

/** The setting that says so; it outlives the process. */
const KEY = "stopped";
const OPEN = "state <> 'ended'";
const END_TURNS = endTurnsWhere(OPEN);

/**
 * Bring everything to a stand (TR-073): what waits, runs or asks ends as `cancelled`, whatever a turn that still runs hands in is
 * refused from here on, and nothing begins before somebody takes it up again. Doing it again ends what came meanwhile.
 */
export function halt({ sql }: VerbContext, { by, via, atMs }: HaltRow): { readonly ended: readonly InboxRow[] } {
  sql.run("insert into setting(key, value) values (:key, :value) on conflict(key) do nothing", {
    key: KEY,
    value: JSON.stringify({ by, via, atMs }),
  });
  const ended = sql.all(`${INBOXES} where inboxes.state <> 'ended' order by inboxes.n`).flatMap(readable);
  sql.run("update approval set state = 'cancelled', settled_at_ms = :atMs, state_json = '' where state = 'pending'", { atMs });
  sql.run(END_TURNS, { atMs, record: null });
  sql.run(
    `update inbox set state = 'ended', end = 'cancelled', end_reason = 'stopped', ended_at_ms = :atMs, trigger_text = null, trigger_name = null,
       resumed_state = null, resumed_answer = null
     where ${OPEN}`,
    { atMs },
  );
  writeAudit(sql, { atMs, by, act: "stop", person: null, about: via });
  return { ended };
}

/** Take everything up again: from the next message on there are answers. */
export function rearm(
  { sql }: VerbContext,
  { by, atMs }: { readonly by: PrincipalId; readonly atMs: number },
): { readonly rearmed: boolean } {
  const rearmed = sql.run("delete from setting where key = :key", { key: KEY }) === 1;
  if (rearmed) writeAudit(sql, { atMs, by, act: "rearm", person: null, about: "" });
  return { rearmed };
}

/** Since when everything stands, and by whose word; null when it does not. A word that cannot be read still holds. */
export function readHalted(sql: Statements): Halted | null {
  const row = sql.get("select value from setting where key = :key", { key: KEY });
  if (row === null) return null;
  try {
    const value: unknown = JSON.parse(textIn(row, "value"));
    const atMs = typeof value === "object" && value !== null && "atMs" in value ? Number(value.atMs) : Number.NaN;
    return { atMs: Number.isSafeInteger(atMs) ? atMs : 0 };
  } catch {
    return { atMs: 0 }; // Damaged, and so on the safe side.
  }
}

function readable(row: Row): readonly InboxRow[] {
  try {
    return [readInbox(row)];
  } catch {
    return []; // A damaged row; it ends with the others.
  }
}
