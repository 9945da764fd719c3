import { numberIn, textIn } from "../rows/columns.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import { presenceOf } from "./process-identity.ts";
import type { Statements } from "../rows/statements.ts";

/** How often a holder says that it lives; only matters where others cannot see its process. */
export const HEARTBEAT_MS = 20_000;
/** A holder that cannot be seen and was silent for this long is taken for gone. */
export const STALE_MS = 90_000;

/** What taking the lease gives. */
export type LeaseOutcome =
  | { readonly kind: "held"; readonly generation: number; readonly tookOver: boolean }
  | { readonly kind: "busy"; readonly pid: number; readonly host: string };

/**
 * Take the lease of the state folder unless a living process holds it; the caller holds the write lock, so that of two openers
 * one comes first. Each taking raises the generation, which fences whatever an earlier holder left (TR-041, MC-099).
 */
export function takeLease(sql: Statements, claim: { owner: string; self: ProcessIdentity; nowMs: number }): LeaseOutcome {
  const row = sql.get("select * from lease where id = 1");
  const owner = row === null ? "" : textIn(row, "owner");
  if (row !== null && owner !== "") {
    const holder: ProcessIdentity = {
      pid: numberIn(row, "pid"),
      started: textIn(row, "started"),
      host: textIn(row, "host"),
      boot: textIn(row, "boot"),
      namespace: textIn(row, "namespace"),
    };
    const presence = presenceOf(holder, claim.self);
    const recent = Math.abs(claim.nowMs - numberIn(row, "heartbeat_ms")) < STALE_MS;
    if (presence === "alive" || (presence === "unknown" && recent)) return { kind: "busy", pid: holder.pid, host: holder.host };
  }
  const taken = sql.get(
    `insert into lease(id, owner, pid, started, host, boot, namespace, generation, heartbeat_ms)
     values (1, :owner, :pid, :started, :host, :boot, :namespace, 1, :nowMs)
     on conflict(id) do update set owner = excluded.owner, pid = excluded.pid, started = excluded.started, host = excluded.host,
       boot = excluded.boot, namespace = excluded.namespace, generation = generation + 1, heartbeat_ms = excluded.heartbeat_ms
     returning generation`,
    { owner: claim.owner, ...claim.self, nowMs: claim.nowMs },
  );
  return { kind: "held", generation: taken === null ? 1 : numberIn(taken, "generation"), tookOver: owner !== "" };
}

/** Whether the lease is still ours: checked in every transaction, before anything is written. */
export function holdsLease(sql: Statements, owner: string): boolean {
  return sql.get("select 1 as held from lease where id = 1 and owner = :owner", { owner }) !== null;
}

/** Say that the holder lives. */
export function renewLease(sql: Statements, owner: string, nowMs: number): void {
  sql.run("update lease set heartbeat_ms = :nowMs where id = 1 and owner = :owner", { owner, nowMs });
}

/** Give the lease back; the generation stays. */
export function releaseLease(sql: Statements, owner: string): void {
  sql.run("update lease set owner = '', pid = 0 where id = 1 and owner = :owner", { owner });
}
