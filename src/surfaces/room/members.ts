import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../foundation/clock.ts";
import type { IdSource } from "../../foundation/ids.ts";
import { sha256Hex } from "../../foundation/ids.ts";
import { RateLimiter } from "../../foundation/rate-limiter.ts";
import type { SurfaceName } from "../../vocabulary/ids.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import { foldName, parseMemberName } from "./names.ts";
import type { RoomConfig, RoomStore } from "./ports.ts";

/** A secret not used for this long opens nothing any more (SE-087). */
export const MEMBER_IDLE_MS: number = 24 * 3_600_000;
/** New members of one room: 30 at once, then one every 2 s, so 30 a minute in the long run (SE-090). */
export const NEW_MEMBERS: { readonly burst: number; readonly everyMs: number } = { burst: 30, everyMs: 2_000 };
/** How often a member's row is renewed while they are about. */
const RENEW_MS = 600_000;
const MAX_RENEWALS = 4_096;
const SECRET = /^[A-Za-z0-9_-]{43}$/;
/** Names that would pass for the room's own voice. */
const OWN_NAMES = ["troupe", "operator", "everyone", "system", "understudy", "you"] as const;

/** A browser in the room: its public id and its name, both data. */
export interface Member {
  readonly principal: PrincipalId;
  readonly name: string;
}

/** What asking for membership gives. `secret` is told this once. */
export type Joined =
  | { readonly kind: "joined"; readonly member: Member; readonly secret: string }
  | { readonly kind: "name_invalid" | "name_taken" | "too_many" };

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
  /** When each row was last renewed; the oldest entry gives way at 4,096 (its row is then only renewed once more). */
  readonly #renewedMs = new Map<PrincipalId, number>();

  constructor(needs: { readonly config: RoomConfig; readonly store: RoomStore; readonly clock: Clock; readonly ids: IdSource }) {
    this.#surface = needs.config.name;
    this.#store = needs.store;
    this.#clock = needs.clock;
    this.#ids = needs.ids;
    this.#fresh = new RateLimiter(needs.clock, NEW_MEMBERS);
    const own = needs.config.characters.flatMap((character) => [character.id, character.name]);
    this.#reserved = new Set([...OWN_NAMES, ...own, ...needs.config.reservedNames].map(foldName));
  }

  /** Make a member. A name is free when no other member's, character's or operator's name looks like it. */
  async join(name: string): Promise<Joined> {
    const parsed = parseMemberName(name);
    if (parsed === null) return { kind: "name_invalid" };
    if (this.#reserved.has(parsed.folded)) return { kind: "name_taken" };
    if (!this.#fresh.tryTake()) return { kind: "too_many" };
    const secret = randomBytes(32).toString("base64url");
    const principal = parsePrincipalId(`room:${this.#ids.next("m")}`);
    const row = {
      id: principal,
      surface: this.#surface,
      name: parsed.shown,
      foldedName: parsed.folded,
      secretHash: sha256Hex(secret),
      atMs: this.#clock.nowMs(),
    };
    const { admitted } = await this.#store.admitMember(row);
    return admitted ? { kind: "joined", member: { principal, name: parsed.shown }, secret } : { kind: "name_taken" };
  }

  /** The member that a secret belongs to; null for a wrong, foreign or idle one, without telling which. Renews the member's row now and then. */
  async authenticate(secret: string): Promise<Member | null> {
    if (!SECRET.test(secret)) return null;
    const hash = sha256Hex(secret);
    const row = this.#store.read.memberBySecret(this.#surface, hash);
    if (row === null || row.secretHash === null || row.surface !== this.#surface || !sameHash(row.secretHash, hash)) return null;
    const nowMs = this.#clock.nowMs();
    const seenMs = Math.max(row.seenAtMs, this.#renewedMs.get(row.id) ?? 0);
    if (nowMs - seenMs >= MEMBER_IDLE_MS) return null;
    if (nowMs - seenMs >= RENEW_MS) await this.#renew(row, nowMs);
    return { principal: row.id, name: row.name };
  }

  async #renew(row: Parameters<RoomStore["admitMember"]>[0], nowMs: number): Promise<void> {
    this.#renewedMs.delete(row.id);
    this.#renewedMs.set(row.id, nowMs);
    const [oldest] = this.#renewedMs.keys();
    if (this.#renewedMs.size > MAX_RENEWALS && oldest !== undefined) this.#renewedMs.delete(oldest);
    const { id, surface, name, foldedName, secretHash } = row;
    await this.#store.admitMember({ id, surface, name, foldedName, secretHash, atMs: nowMs });
  }
}

function sameHash(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
