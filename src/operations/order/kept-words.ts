/** Where small lists are kept. */
export interface WordShelf {
  setting(key: string): string | null;
  setSetting(key: string, value: string): Promise<void>;
}

/** A bounded list of words without spaces under one setting: the newest stay. Counts as soon as it is changed, and is kept before that is told. */
export class KeptWords {
  readonly #shelf: WordShelf;
  readonly #key: string;
  readonly #max: number;
  #words: readonly string[] | null = null;

  constructor(shelf: WordShelf, key: string, max: number) {
    this.#shelf = shelf;
    this.#key = key;
    this.#max = max;
  }

  has(word: string): boolean {
    return this.#all().includes(word);
  }

  async add(word: string): Promise<void> {
    await this.#keep([...this.#all().filter((one) => one !== word), word].slice(-this.#max));
  }

  /** False where it was not there. */
  async drop(word: string): Promise<boolean> {
    if (!this.has(word)) return false;
    await this.#keep(this.#all().filter((one) => one !== word));
    return true;
  }

  #all(): readonly string[] {
    this.#words ??= (this.#shelf.setting(this.#key) ?? "").split(" ").filter((word) => word !== "");
    return this.#words;
  }

  async #keep(words: readonly string[]): Promise<void> {
    this.#words = words;
    await this.#shelf.setSetting(this.#key, words.join(" "));
  }
}
