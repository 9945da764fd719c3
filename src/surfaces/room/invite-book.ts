import { randomBytes } from "node:crypto";
import type { Clock } from "../../foundation/clock.ts";
import type { IdSource } from "../../foundation/ids.ts";
import { sha256Hex } from "../../foundation/ids.ts";
import type { InviteId } from "../../vocabulary/ids.ts";
import { parseInviteId } from "../../vocabulary/ids.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import { parseMemberName } from "./names.ts";
import type { InviteStore, RoomConfig } from "./ports.ts";
import { reservedNames } from "./reserved-names.ts";

const CODE_BYTES = 18;

/** What is asked for: under which name, for how long, by whom. */
export interface InviteWish {
  readonly name: string;
  readonly forMs: number;
  readonly by: PrincipalId;
}

/** A new invite. `code` is told this once and kept nowhere. */
export type MadeInvite =
  | { readonly kind: "made"; readonly id: InviteId; readonly code: string; readonly name: string; readonly untilMs: number }
  | { readonly kind: "name_invalid" | "name_reserved" | "name_taken" | "full" };

/** The operator's side of one room's invites. The guests' handlers hold none of it (SE-086). */
export class InviteBook {
  readonly #needs: InviteBookNeeds;
  readonly #reserved: ReadonlySet<string>;

  constructor(needs: InviteBookNeeds) {
    this.#needs = needs;
    this.#reserved = reservedNames(needs.config);
  }

  /** Make an invite: whoever uses its code first comes in as a guest of that name, once, until its time is over (TR-094). */
  async make({ name, forMs, by }: InviteWish): Promise<MadeInvite> {
    const { config, store, clock, ids } = this.#needs;
    const parsed = parseMemberName(name);
    if (parsed === null) return { kind: "name_invalid" };
    if (this.#reserved.has(parsed.folded)) return { kind: "name_reserved" };
    const code = randomBytes(CODE_BYTES).toString("base64url");
    const id = parseInviteId(ids.next("i"));
    const atMs = clock.nowMs();
    const untilMs = atMs + forMs;
    const { kind } = await store.keepInvite({
      id,
      surface: config.name,
      name: parsed.shown,
      foldedName: parsed.folded,
      codeHash: sha256Hex(code),
      by,
      atMs,
      expiresAtMs: untilMs,
    });
    return kind === "kept" ? { kind: "made", id, code, name: parsed.shown, untilMs } : { kind };
  }
}

/** What the book stands on. */
export interface InviteBookNeeds {
  readonly config: RoomConfig;
  readonly store: InviteStore;
  readonly clock: Clock;
  readonly ids: IdSource;
}
