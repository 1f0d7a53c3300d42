/** Maps of limited weight that evict the least recently used entries. */

/**
 * A node of a doubly linked list in order of use. A `Map` also has an order, but deleting its first key is
 * slow.
 */
interface Entry<K, V> {
  readonly map: LruMap<K, V>;
  readonly key: K;
  readonly value: V;
  weight: number;
  older: AnyEntry | undefined;
  newer: AnyEntry | undefined;
}

// deno-lint-ignore no-explicit-any -- entries of different maps are in one list
type AnyEntry = Entry<any, any>;

/**
 * Maximum weight of a value in {@link LruRoom.mapOfLarge}, as a part of the capacity. The rest of the
 * capacity is left for small values.
 */
export const LARGE_SHARE = 3 / 4;

/**
 * A capacity that one or more maps share. When the capacity is exceeded, the least recently used entries of
 * all maps are evicted.
 */
export class LruRoom {
  readonly capacity: number;
  size = 0;
  weight = 0;
  /** Number of calls of {@link LruMap.get} that found a value (`hits`) or no value (`misses`). */
  hits = 0;
  misses = 0;
  oldest: AnyEntry | undefined;
  newest: AnyEntry | undefined;

  /** @param capacity Maximum total weight of all entries. */
  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** Returns an empty map that shares this capacity. The parameters are described at {@link LruMap}. */
  map<K, V>(weigh: (value: V, key: K) => number, onEvict?: (value: V) => void): LruMap<K, V> {
    return new LruMap(this, weigh, onEvict);
  }

  /**
   * Does the same as {@link map}, but the weight of a value is at most {@link LARGE_SHARE} of the capacity,
   * so that every value fits.
   */
  mapOfLarge<K, V>(weigh: (value: V, key: K) => number, onEvict?: (value: V) => void): LruMap<K, V> {
    const most = LARGE_SHARE * this.capacity;
    return new LruMap<K, V>(this, (value, key) => Math.min(weigh(value, key), most), onEvict);
  }

  append(entry: AnyEntry): void {
    this.size++;
    this.weight += entry.weight;
    this.#link(entry);
  }

  remove(entry: AnyEntry): void {
    this.size--;
    this.weight -= entry.weight;
    this.#unlink(entry);
  }

  use(entry: AnyEntry): void {
    if (entry === this.newest) return;
    this.#unlink(entry);
    this.#link(entry);
  }

  shrink(): void {
    while (this.weight > this.capacity && this.oldest !== undefined) this.oldest.map.evict(this.oldest);
  }

  #link(entry: AnyEntry): void {
    entry.older = this.newest;
    entry.newer = undefined;
    if (this.newest === undefined) this.oldest = entry;
    else this.newest.newer = entry;
    this.newest = entry;
  }

  #unlink({ older, newer }: AnyEntry): void {
    if (older === undefined) this.oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.newest = older;
    else newer.older = older;
  }
}

/** A map with a limited weight that evicts the least recently used entries. */
export class LruMap<K, V> {
  readonly #entries = new Map<K, Entry<K, V>>();
  readonly #room: LruRoom;
  readonly #weigh: (value: V, key: K) => number;
  readonly #onEvict: ((value: V) => void) | undefined;
  #weight = 0;

  /**
   * @param room Capacity that several maps share, or the capacity of this map.
   * @param weigh Returns the weight of an entry, 1 by default. Called when an entry is set and by
   * {@link weighAgain}.
   * @param onEvict Called with each value that is evicted.
   */
  constructor(
    room: LruRoom | number,
    weigh: (value: V, key: K) => number = () => 1,
    onEvict?: (value: V) => void,
  ) {
    this.#room = typeof room === "number" ? new LruRoom(room) : room;
    this.#weigh = weigh;
    this.#onEvict = onEvict;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#room.misses++;
      return undefined;
    }
    this.#room.hits++;
    this.#room.use(entry);
    return entry.value;
  }

  /** Checks whether the key has a value. The check does not count as a use. */
  has(key: K): boolean {
    return this.#entries.has(key);
  }

  set(key: K, value: V): void {
    this.delete(key);
    const weight = this.#weigh(value, key);
    const entry: Entry<K, V> = { map: this, key, value, weight, older: undefined, newer: undefined };
    this.#entries.set(key, entry);
    this.#weight += weight;
    this.#room.append(entry);
    this.#room.shrink();
  }

  /** Removes an entry. Returns its value. */
  delete(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#remove(entry);
    return entry.value;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Total weight of all entries of this map. */
  get weight(): number {
    return this.#weight;
  }

  /** Computes the weight of an entry again. Call this method when the value may have grown. */
  weighAgain(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const growth = this.#weigh(entry.value, key) - entry.weight;
    entry.weight += growth;
    this.#weight += growth;
    this.#room.weight += growth;
    this.#room.shrink();
  }

  clear(): void {
    for (const entry of this.#entries.values()) this.#room.remove(entry);
    this.#entries.clear();
    this.#weight = 0;
  }

  /** Returns the value of a key. If the key has no value, creates and caches a value. */
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

  /** Yields the values from the least to the most recently used value. */
  *values(): Generator<V> {
    for (let entry = this.#room.oldest; entry !== undefined; entry = entry.newer) {
      if (entry.map === this) yield entry.value;
    }
  }

  /** Called by the room to evict an entry. */
  evict(entry: Entry<K, V>): void {
    this.#remove(entry);
    this.#onEvict?.(entry.value);
  }

  #remove(entry: Entry<K, V>): void {
    this.#entries.delete(entry.key);
    this.#weight -= entry.weight;
    this.#room.remove(entry);
  }
}
