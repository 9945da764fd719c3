import { keyedDigest } from "../foundation/keyed-digest.ts";
import type { WordShelf } from "../operations/order/kept-words.ts";

/** Moments that are kept: the newest. */
const MAX_MOMENTS = 1_024;

/** Where moments are kept, and under which key their names are hidden. */
export interface KeptMomentsNeeds {
  readonly shelf: WordShelf;
  readonly key: Uint8Array;
  /** The setting they stand under. */
  readonly setting: string;
}

/** A bounded list of moments by name under one setting: no name is kept, only a digest of it. One that cannot be read is none. */
export class KeptMoments {
  readonly #needs: KeptMomentsNeeds;
  #moments: Map<string, number> | null = null;

  constructor(needs: KeptMomentsNeeds) {
    this.#needs = needs;
  }

  get isEmpty(): boolean {
    return this.#all().size === 0;
  }

  /** The moment of a name; null where none is kept. */
  of(...name: readonly string[]): number | null {
    return this.#all().get(this.#digest(name)) ?? null;
  }

  /** Counts at once; resolves once it is kept. */
  async keep(atMs: number, ...name: readonly string[]): Promise<void> {
    const [moments, digest] = [this.#all(), this.#digest(name)];
    moments.delete(digest);
    moments.set(digest, atMs);
    for (const oldest of moments.keys()) {
      if (moments.size <= MAX_MOMENTS) break;
      moments.delete(oldest);
    }
    const words = [...moments].map(([one, ms]) => `${one}:${ms.toString(36)}`);
    await this.#needs.shelf.setSetting(this.#needs.setting, words.join(" "));
  }

  #digest(name: readonly string[]): string {
    return keyedDigest(this.#needs.key, [this.#needs.setting, ...name]);
  }

  #all(): Map<string, number> {
    this.#moments ??= new Map(
      (this.#needs.shelf.setting(this.#needs.setting) ?? "").split(" ").flatMap((word): [string, number][] => {
        const [, digest, ms] = /^([\w-]{16}):([0-9a-z]{1,10})$/.exec(word) ?? [];
        return digest === undefined || ms === undefined ? [] : [[digest, Number.parseInt(ms, 36)]];
      }),
    );
    return this.#moments;
  }
}
