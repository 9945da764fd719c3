import type { AuditEntry } from "../../../vocabulary/audit.ts";
import type { Pause } from "../../../vocabulary/pause.ts";
import type { ResumeAnsweringRow } from "../../operator-store.ts";
import type { Statements } from "../rows/statements.ts";
import type { VerbContext } from "./verbs.ts";

/** Acts kept at most: the oldest go first. */
export const MAX_AUDITS = 10_000;
/** Milliseconds an act is kept. */
const AUDIT_KEPT_MS = 365 * 86_400_000;

/** Keep a pause; all or everywhere stands as "". */
export function pause({ sql }: VerbContext, row: Pause): null {
  const { character, place, by, atMs, untilMs } = row;
  sql.run("delete from pause where until_ms <= :atMs", { atMs });
  sql.run(
    `insert into pause(character, place, by_person, at_ms, until_ms) values (:character, :place, :by, :atMs, :untilMs)
     on conflict(character, place) do update set by_person = excluded.by_person, at_ms = excluded.at_ms, until_ms = excluded.until_ms`,
    { character: character ?? "", place: place ?? "", by, atMs, untilMs },
  );
  const until = untilMs === null ? [] : [`until ${new Date(untilMs).toISOString()}`];
  writeAudit(sql, { atMs, by, act: "pause", person: null, about: [...aboutOf(row), ...until].join(", ") });
  return null;
}

/** Take the pauses of a pair back. */
export function resumeAnswering({ sql }: VerbContext, row: ResumeAnsweringRow): { readonly resumed: number } {
  const resumed = sql.run("delete from pause where character = :character and place = :place", {
    character: row.character ?? "",
    place: row.place ?? "",
  });
  if (resumed > 0) writeAudit(sql, { atMs: row.atMs, by: row.by, act: "resume", person: null, about: aboutOf(row).join(", ") });
  return { resumed };
}

function aboutOf({ character, place }: Pick<Pause, "character" | "place">): readonly string[] {
  return [character ?? "everyone", place ?? "everywhere"];
}

/** Keep an act alone. */
export function audit({ sql }: VerbContext, entry: AuditEntry): null {
  writeAudit(sql, entry);
  return null;
}

/** Write an act into the audit, and let what is too old go. */
export function writeAudit(sql: Statements, { atMs, by, act, person, about }: AuditEntry): void {
  sql.run("insert into audit(at_ms, by_person, act, person, about) values (:atMs, :by, :act, :person, :about)", {
    atMs,
    by,
    act,
    person,
    about,
  });
  sql.run("delete from audit where n <= (select max(n) from audit) - :keep", { keep: MAX_AUDITS });
  sql.run("delete from audit where n in (select n from audit order by n limit 16) and at_ms < :before", { before: atMs - AUDIT_KEPT_MS });
}
