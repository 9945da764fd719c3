import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../foundation/clock.ts";
import type { IdSource } from "../../foundation/ids.ts";
import { sha256Hex } from "../../foundation/ids.ts";
import { RateLimiter } from "../../foundation/rate-limiter.ts";
import type { SurfaceName } from "../../vocabulary/ids.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import { parseMemberName } from "./names.ts";
import type { RoomConfig, RoomStore } from "./ports.ts";
import { stateOf } from "./invite-state.ts";
import { reservedNames } from "./reserved-names.ts";

/** A secret not used for this long opens nothing any more (SE-087). */
export const MEMBER_IDLE_MS: number = 24 * 3_600_000;
/** New members of one room: 30 at once, then one every 2 s, so 30 a minute in the long run (SE-090). */
export const NEW_MEMBERS: { readonly burst: number; readonly everyMs: number } = { burst: 30, everyMs: 2_000 };
/** How often a member's row is renewed while they are about. */
const RENEW_MS = 600_000;
const MAX_RENEWALS = 4_096;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** A browser in the room: its public id and its name, both data. */
export interface Member {
  readonly principal: PrincipalId;
  readonly name: string;
  /** When the stay of an invited guest ends; null for whoever came in without an invite. */
  readonly untilMs: number | null;
}

/** What asking for membership gives. `secret` is told this once. */
export type Joined =
  | { readonly kind: "joined"; readonly member: Member; readonly secret: string }
  | { readonly kind: "name_invalid" | "name_taken" | "invited_only" | "too_many" };

/** Who a secret belongs to. `ended` is told only to who holds a secret that did open the door. */
export type Known =
  | { readonly kind: "member"; readonly member: Member }
  | { readonly kind: "ended"; readonly why: "expired" | "revoked" }
  | { readonly kind: "unknown" };

/** A fresh secret and what is kept of it. */
export interface FreshSecret {
  readonly secret: string;
  readonly hash: string;
}

/** Make a member's secret: 256 random bits, of which only the hash is kept (SE-087). */
export function freshSecret(): FreshSecret {
  const secret = randomBytes(32).toString("base64url");
  return { secret, hash: sha256Hex(secret) };
}

/**
 * Who a secret belongs to. The public id and the secret have nothing to do with each other; only the secret's hash is kept
 * (SE-087). A member is a guest: nothing here can make one more.
 */
export class Members {
  readonly #surface: SurfaceName;
  readonly #store: RoomStore;
  readonly #clock: Clock;
  readonly #ids: IdSource;
  readonly #fresh: RateLimiter;
  readonly #reserved: ReadonlySet<string>;
  readonly #door: RoomConfig["door"];
  /** When each row was last renewed; the oldest entry gives way at 4,096 (its row is then only renewed once more). */
  readonly #renewedMs = new Map<PrincipalId, number>();

  constructor(needs: { readonly config: RoomConfig; readonly store: RoomStore; readonly clock: Clock; readonly ids: IdSource }) {
    this.#surface = needs.config.name;
    this.#store = needs.store;
    this.#clock = needs.clock;
    this.#ids = needs.ids;
    this.#fresh = new RateLimiter(needs.clock, NEW_MEMBERS);
    this.#reserved = reservedNames(needs.config);
    this.#door = needs.config.door;
  }

  /** Whether a name alone lets somebody in now. */
  get door(): ReturnType<RoomConfig["door"]> {
    return this.#door();
  }

  /** Make a member. A name is free when no other member's, invited guest's, character's or operator's name looks like it. */
  async join(name: string): Promise<Joined> {
    if (this.#door() !== "open") return { kind: "invited_only" };
    const parsed = parseMemberName(name);
    if (parsed === null) return { kind: "name_invalid" };
    if (this.#reserved.has(parsed.folded)) return { kind: "name_taken" };
    if (!this.#fresh.tryTake()) return { kind: "too_many" };
    const { secret, hash } = freshSecret();
    const principal = this.freshId();
    const row = {
      id: principal,
      surface: this.#surface,
      name: parsed.shown,
      foldedName: parsed.folded,
      secretHash: hash,
      atMs: this.#clock.nowMs(),
    };
    const { admitted } = await this.#store.admitMember(row);
    return admitted ? { kind: "joined", member: { principal, name: parsed.shown, untilMs: null }, secret } : { kind: "name_taken" };
  }

  /** A new member's public id. */
  freshId(): PrincipalId {
    return parsePrincipalId(`room:${this.#ids.next("m")}`);
  }

  /** Tell whose a secret is; `unknown` for a wrong, foreign or idle one, without telling which. Renews the member's row now and then. */
  async authenticate(secret: string): Promise<Known> {
    if (!SECRET.test(secret)) return { kind: "unknown" };
    const row = this.#rowOf(sha256Hex(secret));
    if (row === null) return { kind: "unknown" };
    const nowMs = this.#clock.nowMs();
    const seenMs = Math.max(row.seenAtMs, this.#renewedMs.get(row.id) ?? 0);
    if (nowMs - seenMs >= MEMBER_IDLE_MS) return { kind: "unknown" };
    const invite = this.#store.read.inviteOf(row.id);
    const state = invite === null ? "used" : stateOf(invite, nowMs);
    if (state === "revoked" || state === "expired") return { kind: "ended", why: state };
    if (nowMs - seenMs >= RENEW_MS) await this.#renew(row.id, nowMs);
    return { kind: "member", member: { principal: row.id, name: row.name, untilMs: invite?.expiresAtMs ?? null } };
  }

  #rowOf(hash: string): ReturnType<RoomStore["read"]["memberBySecret"]> {
    const row = this.#store.read.memberBySecret(this.#surface, hash);
    const isIts = row?.surface === this.#surface && row.secretHash !== null && sameHash(row.secretHash, hash);
    return isIts ? row : null;
  }

  /** End a membership: its secret opens nothing from now on. */
  async drop(principal: PrincipalId): Promise<void> {
    await this.#store.dropMember(principal);
  }

  async #renew(id: PrincipalId, atMs: number): Promise<void> {
    this.#renewedMs.delete(id);
    this.#renewedMs.set(id, atMs);
    const [oldest] = this.#renewedMs.keys();
    if (this.#renewedMs.size > MAX_RENEWALS && oldest !== undefined) this.#renewedMs.delete(oldest);
    await this.#store.renewMember({ id, atMs });
  }
}

function sameHash(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
