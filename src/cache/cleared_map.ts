/** A map of bounded size that is cleared when it is full: for entries too small for an order of use. */

/** A map of few bytes an entry. */
export class ClearedMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #capacity: number;
  readonly #entryBytes: number;
  /** Calls of {@link get} that found a value, and those that found none. */
  hits = 0;
  misses = 0;

  /** @param bytes Bytes of the map; an entry has `entryBytes`. */
  constructor(bytes: number, entryBytes: number) {
    this.#capacity = bytes / entryBytes;
    this.#entryBytes = entryBytes;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) this.misses++;
    else this.hits++;
    return value;
  }

  set(key: K, value: V): void {
    if (this.#entries.size >= this.#capacity) this.#entries.clear();
    this.#entries.set(key, value);
  }

  /** Number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  /** Bytes of all entries together, approximately. */
  get weight(): number {
    return this.#entryBytes * this.size;
  }
}
