import type { AuditEntry } from "../../../vocabulary/audit.ts";
import type { PrincipalId } from "../../../vocabulary/principal.ts";
import type { MemberRow, PresenceRow } from "../../guest-store.ts";
import type { TrustRow } from "../../store.ts";
import { raiseEpoch } from "../file/epoch.ts";
import { OPEN_INVITE } from "./invite-verbs.ts";
import { writeAudit } from "./operator-verbs.ts";
import type { VerbContext } from "./verbs.ts";

/** Make or renew a member unless the folded name is another's in that surface, or kept for somebody who was invited (SE-087). */
export function admitMember({ sql }: VerbContext, row: MemberRow): { readonly admitted: boolean } {
  const admitted = sql.run(
    `insert into principal(id, surface, name, folded_name, secret_hash, at_ms, seen_at_ms)
     select :id, :surface, :name, :foldedName, :secretHash, :atMs, :atMs
     where not exists (select 1 from principal where surface = :surface and folded_name = :foldedName and id <> :id)
       and not exists (select 1 from invite where surface = :surface and folded_name = :foldedName and ${OPEN_INVITE})
     on conflict(id) do update set surface = excluded.surface, name = excluded.name, folded_name = excluded.folded_name,
       secret_hash = excluded.secret_hash, seen_at_ms = max(seen_at_ms, excluded.seen_at_ms)`,
    { id: row.id, surface: row.surface, name: row.name, foldedName: row.foldedName, secretHash: row.secretHash, atMs: row.atMs },
  );
  return { admitted: admitted === 1 };
}

/** Note that a member was about. */
export function renewMember({ sql }: VerbContext, row: { readonly id: PrincipalId; readonly atMs: number }): null {
  sql.run("update principal set seen_at_ms = max(seen_at_ms, :atMs) where id = :id", { id: row.id, atMs: row.atMs });
  return null;
}

/** End a membership. */
export function dropMember({ sql }: VerbContext, row: { readonly id: PrincipalId }): null {
  sql.run("delete from principal where id = :id", { id: row.id });
  return null;
}

/** A person's wish not to be heard, with the name it may stand under since they were forgotten. */
export interface OptOut {
  readonly person: PrincipalId;
  readonly pseudonym: PrincipalId;
  readonly optedOut: boolean;
  readonly atMs: number;
}

/** Keep the wish, or take it back. */
export function setOptedOut({ sql }: VerbContext, row: OptOut): null {
  if (row.optedOut)
    sql.run("insert into opted_out(person, at_ms) values (:person, :atMs) on conflict(person) do nothing", {
      person: row.person,
      atMs: row.atMs,
    });
  else sql.run("delete from opted_out where person in (:person, :pseudonym)", { person: row.person, pseudonym: row.pseudonym });
  return null;
}

/** A change of trust, with the name a block may stand under since the person was forgotten. */
export interface TrustChange extends TrustRow {
  readonly pseudonym: PrincipalId;
}

/** Set what a person is; a guest needs no row. An older copy of the database does not know of it, so it must be known for one (SE-099). */
export function setTrust(context: VerbContext, row: TrustChange): null {
  const { sql } = context;
  const { person, pseudonym, role, by, atMs, untilMs = null } = row;
  raiseEpoch(context);
  const was = sql.get("select role from trust where person in (:person, :pseudonym) order by role limit 1", { person, pseudonym });
  sql.run("delete from trust where person = :pseudonym", { pseudonym });
  if (role === "guest") sql.run("delete from trust where person = :person", { person });
  else
    sql.run(
      `insert into trust(person, role, by_person, at_ms, until_ms) values (:person, :role, :by, :atMs, :untilMs)
       on conflict(person) do update set role = excluded.role, by_person = excluded.by_person, at_ms = excluded.at_ms, confirmed = 1,
         until_ms = excluded.until_ms`,
      { person, role, by, atMs, untilMs },
    );
  const act = role === "guest" ? (was?.["role"] === "blocked" ? "unblock" : "untrust") : role === "blocked" ? "block" : "trust";
  writeAudit(sql, { atMs, by, act, person, about: untilMs === null ? "" : `until ${new Date(untilMs).toISOString()}` });
  return null;
}

/** A setting, and whose act it is; null where it is nobody's. */
export interface KeptSetting {
  readonly key: string;
  readonly value: string;
  readonly act: AuditEntry | null;
}

/** Keep a setting. What an operator set is missing in an older copy of the database, so that must be known for one (SE-099). */
export function setSetting(context: VerbContext, row: KeptSetting): null {
  const { sql } = context;
  sql.run("insert into setting(key, value) values (:key, :value) on conflict(key) do update set value = excluded.value", {
    key: row.key,
    value: row.value,
  });
  if (row.act !== null) {
    raiseEpoch(context);
    writeAudit(sql, row.act);
  }
  return null;
}

/** Keep who is in a place, or since when no more. */
export function setPresence({ sql }: VerbContext, row: PresenceRow): null {
  sql.run(
    `insert into presence(place, person, at_ms, left_at_ms) values (:place, :person, :atMs, :leftAtMs)
     on conflict(place, person) do update set at_ms = excluded.at_ms, left_at_ms = excluded.left_at_ms`,
    { place: row.place, person: row.person, atMs: row.atMs, leftAtMs: row.leftAtMs },
  );
  return null;
}
