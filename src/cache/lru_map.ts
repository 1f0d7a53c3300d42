/** A map of bounded weight that evicts the least recently used entries. */

/**
 * A node of a doubly linked list in order of use. The order of a `Map` would suffice, but deleting its first
 * key is slow.
 */
interface Entry<K, V> {
  readonly key: K;
  readonly value: V;
  weight: number;
  older: Entry<K, V> | undefined;
  newer: Entry<K, V> | undefined;
}

/** A map whose entries weigh at most `capacity` together. */
export class LruMap<K, V> {
  readonly #entries = new Map<K, Entry<K, V>>();
  readonly #capacity: number;
  readonly #weigh: (value: V) => number;
  readonly #onEvict: ((value: V) => void) | undefined;
  #weight = 0;
  /** Calls of {@link get} that found a value, and those that found none. */
  hits = 0;
  misses = 0;
  #oldest: Entry<K, V> | undefined;
  #newest: Entry<K, V> | undefined;

  /**
   * @param weigh Weight of a value, 1 by default; computed when the value is set and by {@link weighAgain}.
   * @param onEvict Receives each value that is dropped for want of room.
   */
  constructor(capacity: number, weigh: (value: V) => number = () => 1, onEvict?: (value: V) => void) {
    this.#capacity = capacity;
    this.#weigh = weigh;
    this.#onEvict = onEvict;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.misses++;
      return undefined;
    }
    this.hits++;
    if (entry !== this.#newest) {
      this.#unlink(entry);
      this.#append(entry);
    }
    return entry.value;
  }

  /** Whether the key has a value; not a use. */
  has(key: K): boolean {
    return this.#entries.has(key);
  }

  set(key: K, value: V): void {
    this.delete(key);
    const entry = { key, value, weight: this.#weigh(value), older: undefined, newer: undefined };
    this.#entries.set(key, entry);
    this.#append(entry);
    this.#weight += entry.weight;
    this.#makeRoom();
  }

  /** Removes an entry; returns the value that it had. */
  delete(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#unlink(entry);
    this.#weight -= entry.weight;
    return entry.value;
  }

  /** Number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  /** Weight of all entries together. */
  get weight(): number {
    return this.#weight;
  }

  /**
   * Weighs an entry again that may have grown since it was set, and evicts the least recently used entries if
   * the capacity is exceeded.
   */
  weighAgain(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const weight = this.#weigh(entry.value);
    this.#weight += weight - entry.weight;
    entry.weight = weight;
    this.#makeRoom();
  }

  clear(): void {
    this.#entries.clear();
    this.#oldest = this.#newest = undefined;
    this.#weight = 0;
  }

  /** The value of a key; made and cached if the key has no value. */
  getOrMake(key: K, make: () => V): V {
    const cached = this.get(key);
    if (cached !== undefined) return cached;
    const value = make();
    this.set(key, value);
    return value;
  }

  keys(): IterableIterator<K> {
    return this.#entries.keys();
  }

  /** Values from the least to the most recently used. */
  *values(): Generator<V> {
    for (let entry = this.#oldest; entry !== undefined; entry = entry.newer) yield entry.value;
  }

  #makeRoom(): void {
    while (this.#weight > this.#capacity && this.#oldest !== undefined) {
      const { key, value } = this.#oldest;
      this.delete(key);
      this.#onEvict?.(value);
    }
  }

  #append(entry: Entry<K, V>): void {
    entry.older = this.#newest;
    entry.newer = undefined;
    if (this.#newest === undefined) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
  }

  #unlink({ older, newer }: Entry<K, V>): void {
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
  }
}
