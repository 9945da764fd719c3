import type { Clock } from "../../foundation/clock.ts";
import type { AuditEntry } from "../../vocabulary/audit.ts";
import type { SurfaceName } from "../../vocabulary/ids.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { ResponsePolicy } from "../../vocabulary/response-policy.ts";
import { STANDARD_POLICY, UNREADABLE_POLICY } from "../../vocabulary/response-policy.ts";
import { readPolicy, toKept } from "./kept-policy.ts";

/** What the policies stand on. */
export interface PolicyNeeds {
  readonly clock: Pick<Clock, "nowMs">;
  setting(key: string): string | null;
  setSetting(key: string, value: string, act: AuditEntry): Promise<void>;
  /** Told once of each surface whose kept policy cannot be read. */
  readonly unreadable: (surface: SurfaceName) => void;
}

/** The policy of one bot, and whether that is what was kept. */
export interface PolicyInForce {
  readonly policy: ResponsePolicy;
  /** False where what was kept cannot be read: then everything goes by direct message until somebody sets it anew (VS-043). */
  readonly readable: boolean;
}

/** Where the replies of each bot go, kept in the database; read anew for each message, so a change counts from the next one. */
export class ResponsePolicies {
  readonly #needs: PolicyNeeds;
  /** What was read last, by the text it was read from. */
  readonly #read = new Map<SurfaceName, { readonly text: string; readonly inForce: PolicyInForce }>();

  constructor(needs: PolicyNeeds) {
    this.#needs = needs;
  }

  /** The policy that is in force. */
  of(surface: SurfaceName): PolicyInForce {
    const text = this.#needs.setting(keyOf(surface));
    if (text === null) return { policy: STANDARD_POLICY, readable: true };
    const known = this.#read.get(surface);
    if (known?.text === text) return known.inForce;
    const policy = readPolicy(text);
    const inForce = policy === null ? { policy: UNREADABLE_POLICY, readable: false } : { policy, readable: true };
    this.#read.set(surface, { text, inForce });
    if (policy === null) this.#needs.unreadable(surface);
    return inForce;
  }

  /** The row that keeps a policy, for whoever keeps it together with something else. */
  rowOf(
    surface: SurfaceName,
    policy: ResponsePolicy,
    by: PrincipalId,
  ): { readonly key: string; readonly value: string; readonly act: AuditEntry } {
    const act = { atMs: this.#needs.clock.nowMs(), by, act: "policy", person: null, about: surface } as const;
    return { key: keyOf(surface), value: JSON.stringify(toKept(policy)), act };
  }

  /** Keep a policy, in one commit with whose act that was. @throws RuntimeError the store's code. */
  async set(surface: SurfaceName, policy: ResponsePolicy, by: PrincipalId): Promise<void> {
    const { key, value, act } = this.rowOf(surface, policy, by);
    await this.#needs.setSetting(key, value, act);
  }
}

function keyOf(surface: SurfaceName): string {
  return `policy:${surface}`;
}
