import type { Clock } from "../../foundation/clock.ts";
import { keyedDigest } from "../../foundation/keyed-digest.ts";
import type { SurfaceName } from "../../vocabulary/ids.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";

/** Blocks of one server at the same time: what one setting holds. */
export const MAX_SERVER_BLOCKS = 150;

/** Where the blocks of servers are kept. */
export interface BlockShelf {
  setting(key: string): string | null;
  setSetting(key: string, value: string): Promise<void>;
}

type Blocks = ReadonlyMap<string, number>;

/** What came of a block. */
export type BlockResult = "blocked" | "already" | "full";

/**
 * People whom moderators of one server blocked there, until a moment: in that server alone, since a role of one server says nothing in
 * another. Kept under a keyed hash, so that nobody's id stands there and a forgetting lifts nothing (TR-043).
 */
export class ServerBlocks {
  readonly #shelf: BlockShelf;
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #key: Uint8Array;
  readonly #known = new Map<string, Blocks>();

  constructor(shelf: BlockShelf, clock: Pick<Clock, "nowMs">, key: Uint8Array) {
    this.#shelf = shelf;
    this.#clock = clock;
    this.#key = key;
  }

  /** Whether somebody is blocked in a server now. */
  isBlocked(surface: SurfaceName, server: string, person: PrincipalId): boolean {
    return this.#until(surface, server, person) > this.#clock.nowMs();
  }

  /** Block somebody until a moment. One who is blocked already stays so as long as was said before. */
  async block(surface: SurfaceName, server: string, who: { readonly person: PrincipalId; readonly untilMs: number }): Promise<BlockResult> {
    if (this.isBlocked(surface, server, who.person)) return "already";
    const blocks = new Map(this.#of(surface, server));
    const nowMs = this.#clock.nowMs();
    for (const [hash, untilMs] of blocks) if (untilMs <= nowMs) blocks.delete(hash);
    if (blocks.size >= MAX_SERVER_BLOCKS) return "full";
    blocks.set(this.#hash(surface, server, who.person), who.untilMs);
    await this.#keep(surface, server, blocks);
    return "blocked";
  }

  /** Lift a block; false where there is none. */
  async lift(surface: SurfaceName, server: string, person: PrincipalId): Promise<boolean> {
    if (!this.isBlocked(surface, server, person)) return false;
    const blocks = new Map(this.#of(surface, server));
    blocks.delete(this.#hash(surface, server, person));
    await this.#keep(surface, server, blocks);
    return true;
  }

  #until(surface: SurfaceName, server: string, person: PrincipalId): number {
    const blocks = this.#of(surface, server);
    return blocks.size === 0 ? 0 : (blocks.get(this.#hash(surface, server, person)) ?? 0);
  }

  #of(surface: SurfaceName, server: string): Blocks {
    const key = keyOf(surface, server);
    const known = this.#known.get(key) ?? readBlocks(this.#shelf.setting(key));
    this.#known.set(key, known);
    return known;
  }

  /** Counts from now on; it is kept before anybody is told that it is done. */
  async #keep(surface: SurfaceName, server: string, blocks: Blocks): Promise<void> {
    const key = keyOf(surface, server);
    this.#known.set(key, blocks);
    await this.#shelf.setSetting(key, [...blocks].map(([hash, untilMs]) => `${hash}${Math.ceil(untilMs / 1_000).toString(36)}`).join(" "));
  }

  #hash(surface: SurfaceName, server: string, person: PrincipalId): string {
    return keyedDigest(this.#key, ["server block", surface, server, person]);
  }
}

function keyOf(surface: SurfaceName, server: string): string {
  return `server_blocks:${surface}:${server}`;
}

/** What cannot be read blocks nobody, and is written anew with the next block. */
function readBlocks(text: string | null): Blocks {
  const entries = (text ?? "").split(" ").flatMap((word): (readonly [string, number])[] => {
    const [, hash = "", until = ""] = /^([\w-]{16})([0-9a-z]{1,9})$/.exec(word) ?? [];
    return hash === "" ? [] : [[hash, Number.parseInt(until, 36) * 1_000]];
  });
  return new Map(entries);
}
