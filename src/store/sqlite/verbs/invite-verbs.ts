import { RuntimeError } from "../../../foundation/errors.ts";
import { parseInviteId, parseSurfaceName } from "../../../vocabulary/ids.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { PrincipalId } from "../../../vocabulary/principal.ts";
import type { GuestVerbs, InviteRecord, InviteRow, RedeemResult, RedeemRow, RevokeRow } from "../../guest-store.ts";
import { CLAIM_AGAIN_MS, MAX_OPEN_INVITES } from "../../guest-store.ts";
import type { Row } from "../rows/columns.ts";
import { numberIn, optionalNumberIn, optionalTextIn, textIn } from "../rows/columns.ts";
import { raiseEpoch } from "../file/epoch.ts";
import { writeAudit } from "./operator-verbs.ts";
import type { VerbContext } from "./verbs.ts";

/** An invite that can still be used, at `:atMs`. */
export const OPEN_INVITE = "redeemed_at_ms is null and revoked_at_ms is null and expires_at_ms > :atMs";

type Kept = Awaited<ReturnType<GuestVerbs["keepInvite"]>>;
type Revoked = Awaited<ReturnType<GuestVerbs["revokeInvite"]>>;

/** Keep an invite; its name is nobody else's until it has ended. */
export function keepInvite({ sql }: VerbContext, row: InviteRow): Kept {
  const where = { surface: row.surface, atMs: row.atMs };
  const named = { ...where, foldedName: row.foldedName };
  // Whoever was here under that name by an invite that has ended gives it up.
  sql.run(
    `delete from principal where surface = :surface and folded_name = :foldedName
       and id in (select member from invite where member is not null and (revoked_at_ms is not null or expires_at_ms <= :atMs))`,
    named,
  );
  const taken = sql.get(
    `select 1 as taken where exists (select 1 from principal where surface = :surface and folded_name = :foldedName)
       or exists (select 1 from invite where surface = :surface and folded_name = :foldedName and ${OPEN_INVITE})`,
    named,
  );
  if (taken !== null) return { kind: "name_taken" };
  const open = sql.get(`select count(*) as count from invite where surface = :surface and ${OPEN_INVITE}`, where);
  if (open !== null && numberIn(open, "count") >= MAX_OPEN_INVITES) return { kind: "full" };
  sql.run(
    `insert into invite(id, surface, name, folded_name, code_hash, by_person, at_ms, expires_at_ms)
     values (:id, :surface, :name, :foldedName, :codeHash, :by, :atMs, :expiresAtMs)`,
    { ...named, id: row.id, name: row.name, codeHash: row.codeHash, by: row.by, expiresAtMs: row.expiresAtMs },
  );
  writeAudit(sql, { atMs: row.atMs, by: row.by, act: "invite", person: null, about: aboutOf(row) });
  return { kind: "kept" };
}

/** Use an invite up. An older copy of the database would let it in again, so it must be known for one (SE-099). */
export function redeemInvite(context: VerbContext, row: RedeemRow): RedeemResult {
  const { sql } = context;
  const found = sql.get("select * from invite where surface = :surface and code_hash = :codeHash", {
    surface: row.surface,
    codeHash: row.codeHash,
  });
  if (found === null) return { kind: "unknown" };
  const invite = readInvite(found);
  const stands = { name: invite.name, expiresAtMs: invite.expiresAtMs };
  if (invite.revokedAtMs !== null) return { kind: "revoked" };
  if (invite.expiresAtMs <= row.atMs) return { kind: "expired" };
  if (invite.member !== null) {
    const again = textIn(found, "claim_hash") === row.claimHash && row.atMs - (invite.redeemedAtMs ?? 0) < CLAIM_AGAIN_MS;
    const renewed = again && changeSecret(context, invite.member, row);
    return renewed ? { kind: "redeemed", member: invite.member, ...stands } : { kind: "used" };
  }
  sql.run("update invite set member = :member, claim_hash = :claimHash, redeemed_at_ms = :atMs where id = :id", {
    id: invite.id,
    member: row.member,
    claimHash: row.claimHash,
    atMs: row.atMs,
  });
  const made = sql.run(
    `insert into principal(id, surface, name, folded_name, secret_hash, at_ms, seen_at_ms)
     select :member, surface, name, folded_name, :secretHash, :atMs, :atMs from invite where id = :id`,
    { id: invite.id, member: row.member, secretHash: row.secretHash, atMs: row.atMs },
  );
  if (made !== 1) throw new RuntimeError("internal", "Cannot use an invite: its member was not made");
  raiseEpoch(context);
  return { kind: "redeemed", member: row.member, ...stands };
}

function changeSecret({ sql }: VerbContext, member: PrincipalId, { secretHash, atMs }: RedeemRow): boolean {
  return (
    sql.run("update principal set secret_hash = :secretHash, seen_at_ms = :atMs where id = :member", { member, secretHash, atMs }) === 1
  );
}

/** End an invite. Its member's row stays for a day, so that the browser can be told why it is out, and nobody takes the name at once. */
export function revokeInvite(context: VerbContext, row: RevokeRow): Revoked {
  const { sql } = context;
  const revoked = sql.run("update invite set revoked_at_ms = :atMs where id = :id and revoked_at_ms is null", {
    id: row.id,
    atMs: row.atMs,
  });
  if (revoked === 0) return { revoked: false, member: null };
  raiseEpoch(context);
  const found = sql.get("select * from invite where id = :id", { id: row.id });
  const invite = found === null ? null : readInvite(found);
  const member = invite?.member ?? null;
  writeAudit(sql, { atMs: row.atMs, by: row.by, act: "revoke", person: member, about: invite === null ? row.id : aboutOf(invite) });
  return { revoked: true, member };
}

/** Ids and times alone: a name is somebody's. */
function aboutOf({ id, surface, expiresAtMs }: Pick<InviteRecord, "id" | "surface" | "expiresAtMs">): string {
  return `${id} into ${surface} until ${new Date(expiresAtMs).toISOString()}`;
}

/** A row as data. @throws RuntimeError `state_corrupt`, `invalid_argument` */
export function readInvite(row: Row): InviteRecord {
  const member = optionalTextIn(row, "member");
  return {
    id: parseInviteId(textIn(row, "id")),
    surface: parseSurfaceName(textIn(row, "surface")),
    name: textIn(row, "name"),
    by: parsePrincipalId(textIn(row, "by_person")),
    atMs: numberIn(row, "at_ms"),
    expiresAtMs: numberIn(row, "expires_at_ms"),
    member: member === null ? null : parsePrincipalId(member),
    redeemedAtMs: optionalNumberIn(row, "redeemed_at_ms"),
    revokedAtMs: optionalNumberIn(row, "revoked_at_ms"),
  };
}
