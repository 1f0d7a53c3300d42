/** A map of bounded weight that forgets what was used least recently. */

/**
 * A node of a doubly linked list in order of use. The map's own order would do, but removing a map's first
 * key is slow.
 */
interface Entry<K, V> {
  readonly key: K;
  readonly value: V;
  weight: number;
  older: Entry<K, V> | undefined;
  newer: Entry<K, V> | undefined;
}

/** A map whose entries weigh 1, or what `weigh` says, and together at most `capacity`. */
export class LruMap<K, V> {
  readonly #entries = new Map<K, Entry<K, V>>();
  readonly #capacity: number;
  readonly #weigh: (value: V) => number;
  readonly #onEvict: ((value: V) => void) | undefined;
  #weight = 0;
  #oldest: Entry<K, V> | undefined;
  #newest: Entry<K, V> | undefined;

  /**
   * A value is weighed when it is set, and by {@link weighAgain}; `onEvict` is called with each value that is
   * dropped to make room.
   */
  constructor(capacity: number, weigh: (value: V) => number = () => 1, onEvict?: (value: V) => void) {
    this.#capacity = capacity;
    this.#weigh = weigh;
    this.#onEvict = onEvict;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry !== this.#newest) {
      this.#unlink(entry);
      this.#append(entry);
    }
    return entry.value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    const entry = { key, value, weight: this.#weigh(value), older: undefined, newer: undefined };
    this.#entries.set(key, entry);
    this.#append(entry);
    this.#weight += entry.weight;
    this.#makeRoom();
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#unlink(entry);
    this.#weight -= entry.weight;
  }

  /** Weight of all entries together. */
  get weight(): number {
    return this.#weight;
  }

  /**
   * Weighs an entry that may have grown since it was set, and drops the least recently used ones when there
   * is no room.
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

  /** The value of a key, made and cached when it is not there. */
  getOrMake(key: K, make: () => V): V {
    const cached = this.get(key);
    if (cached !== undefined) return cached;
    const value = make();
    this.set(key, value);
    return value;
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
