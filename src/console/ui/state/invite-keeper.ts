import type { KeptText } from "./kept-text.ts";
import { isRecord } from "./wire-guards.ts";

const KEY = "troupe.invite";

/** An invite that this tab was opened with and has not used yet. */
export interface HeldInvite {
  readonly code: string;
  /** Made once for its one use: should the answer get lost, the same claim is answered again. */
  readonly claim: string;
}

/**
 * Holds the invite of a tab until it is used or turns out to be of no use. The code stands in no address by then, so a reload
 * (phones reload pages that were away) would lose it.
 */
export class InviteKeeper {
  readonly #tab: KeptText;
  readonly #freshClaim: () => string;

  constructor(tab: KeptText, freshClaim: () => string) {
    this.#tab = tab;
    this.#freshClaim = freshClaim;
  }

  /** Take a code in; the claim of the same code is kept. */
  hold(code: string): void {
    const held = this.held();
    if (held?.code !== code) this.#tab.set(KEY, JSON.stringify({ code, claim: this.#freshClaim() }));
  }

  held(): HeldInvite | null {
    const text = this.#tab.get(KEY);
    if (text === null) return null;
    try {
      const value: unknown = JSON.parse(text);
      const isHeld = isRecord(value) && typeof value["code"] === "string" && typeof value["claim"] === "string";
      return isHeld ? { code: String(value["code"]), claim: String(value["claim"]) } : null;
    } catch {
      return null;
    }
  }

  drop(): void {
    this.#tab.remove(KEY);
  }
}
