import type { Clock } from "../../foundation/clock.ts";
import { sha256Hex } from "../../foundation/ids.ts";
import type { InviteState } from "./invite-state.ts";
import { KeyedLimiter } from "./keyed-limiter.ts";
import type { Member, Members } from "./members.ts";
import { freshSecret } from "./members.ts";
import { stateOf } from "./invite-state.ts";
import type { RoomConfig, RoomStore } from "./ports.ts";

/** The code of an invite: 144 random bits. */
const CODE = /^[A-Za-z0-9_-]{24}$/;
/** What a browser makes for its one use of an invite: at least 128 random bits. */
const CLAIM = /^[A-Za-z0-9_-]{22,64}$/;
/** Uses of one invite that are looked at: 8 at once, then one every 10 s. */
const TRIES = { burst: 8, everyMs: 10_000, maxKeys: 1_024 } as const;

/** What an invite is to whoever holds its code. */
export type Looked =
  | { readonly state: "open"; readonly name: string; readonly untilMs: number }
  | { readonly state: Exclude<InviteState, "open"> | "unknown" };

/** What using an invite gives. `secret` is told this once. */
export type Redeemed =
  | { readonly kind: "joined"; readonly member: Member; readonly secret: string }
  | { readonly kind: "used" | "expired" | "revoked" | "unknown" | "too_many" };

/** What the guests' side may do with invites: look at the one whose code they hold, and use it up. It can make none. */
export class Redemption {
  readonly #needs: { readonly config: RoomConfig; readonly store: RoomStore; readonly clock: Clock; readonly members: Members };
  readonly #tries: KeyedLimiter;

  constructor(needs: { readonly config: RoomConfig; readonly store: RoomStore; readonly clock: Clock; readonly members: Members }) {
    this.#needs = needs;
    this.#tries = new KeyedLimiter(needs.clock, TRIES);
  }

  /** Say what a code is good for. Nothing is used up: a machine that only looks at links does no harm. */
  look(code: string): Looked {
    const { config, store, clock } = this.#needs;
    const invite = CODE.test(code) ? store.read.inviteByCode(config.name, sha256Hex(code)) : null;
    if (invite === null) return { state: "unknown" };
    const state = stateOf(invite, clock.nowMs());
    return state === "open" ? { state, name: invite.name, untilMs: invite.expiresAtMs } : { state };
  }

  /** Use an invite up. The same browser may ask again for ten minutes, in case the answer was lost on the way. */
  async redeem(code: string, claim: string): Promise<Redeemed> {
    const { config, store, clock, members } = this.#needs;
    if (!CODE.test(code) || !CLAIM.test(claim)) return { kind: "unknown" };
    const codeHash = sha256Hex(code);
    // Only an invite that there is has tries to count; a made-up code is bounded by its address.
    if (store.read.inviteByCode(config.name, codeHash) === null) return { kind: "unknown" };
    if (!this.#tries.tryTake(codeHash)) return { kind: "too_many" };
    const { secret, hash } = freshSecret();
    const redeemed = await store.redeemInvite({
      surface: config.name,
      codeHash,
      claimHash: sha256Hex(claim),
      member: members.freshId(),
      secretHash: hash,
      atMs: clock.nowMs(),
    });
    if (redeemed.kind !== "redeemed") return { kind: redeemed.kind };
    const { member: principal, name, expiresAtMs: untilMs } = redeemed;
    return { kind: "joined", member: { principal, name, untilMs }, secret };
  }
}
