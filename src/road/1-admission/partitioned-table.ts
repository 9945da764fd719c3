/** Whether an entry belongs to somebody an operator named, or to an identity that anyone can make (SE-090). */
export type Partition = "named" | "free";

/**
 * A bounded table in two halves: entries of free identities push out only each other, so no flood of them makes the runtime
 * forget somebody an operator named (SE-090). Within a half the entry that was longest not set goes first.
 */
export class PartitionedTable<Value> {
  readonly #halves: Readonly<Record<Partition, Map<string, Value>>> = { named: new Map(), free: new Map() };
  readonly #capacity: number;

  /** `capacity` entries in all, half of them for each partition. */
  constructor(capacity: number) {
    this.#capacity = Math.max(1, Math.floor(capacity / 2));
  }

  get size(): number {
    return this.#halves.named.size + this.#halves.free.size;
  }

  get(key: string): Value | undefined {
    return this.#halves.named.get(key) ?? this.#halves.free.get(key);
  }

  /** Keep an entry as the newest of its half; an entry of the same key in the other half is dropped. */
  set(key: string, value: Value, partition: Partition): void {
    const half = this.#halves[partition];
    this.delete(key);
    half.set(key, value);
    for (const oldest of half.keys()) {
      if (half.size <= this.#capacity) break;
      half.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#halves.named.delete(key);
    this.#halves.free.delete(key);
  }

  values(): readonly Value[] {
    return [...this.#halves.named.values(), ...this.#halves.free.values()];
  }
}
