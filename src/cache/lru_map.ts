/** Maps of bounded weight that evict the least recently used entries. */

/**
 * A node of a doubly linked list in order of use. The order of a `Map` would suffice, but deleting its first
 * key is slow.
 */
interface Entry<K, V> {
  readonly map: LruMap<K, V>;
  readonly key: K;
  readonly value: V;
  weight: number;
  older: AnyEntry | undefined;
  newer: AnyEntry | undefined;
}

// deno-lint-ignore no-explicit-any -- entries of different maps stand in one list
type AnyEntry = Entry<any, any>;

/**
 * Largest share of a room that one value counts for in {@link LruRoom.mapOfLarge}. The rest is left for small
 * values, and two large values do not fit.
 */
export const LARGE_SHARE = 3 / 4;

/**
 * The capacity of one or more maps, whose entries are in one order of use. When it is exceeded, the entries
 * of any of the maps that were used least recently are evicted.
 */
export class LruRoom {
  readonly capacity: number;
  /** Number of entries, and their weight. */
  size = 0;
  weight = 0;
  /** Calls of {@link LruMap.get} that found a value, and those that found none. */
  hits = 0;
  misses = 0;
  /** The entries used least and most recently. */
  oldest: AnyEntry | undefined;
  newest: AnyEntry | undefined;

  /** @param capacity Largest weight of all entries together. */
  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** An empty map in this room. The parameters are those of {@link LruMap}. */
  map<K, V>(weigh: (value: V, key: K) => number, onEvict?: (value: V) => void): LruMap<K, V> {
    return new LruMap(this, weigh, onEvict);
  }

  /** As {@link map}, but a value larger than the room counts for {@link LARGE_SHARE} of it, so it fits. */
  mapOfLarge<K, V>(weigh: (value: V, key: K) => number, onEvict?: (value: V) => void): LruMap<K, V> {
    const most = LARGE_SHARE * this.capacity;
    return new LruMap<K, V>(this, (value, key) => Math.min(weigh(value, key), most), onEvict);
  }

  /** Adds an entry as the newest one. */
  append(entry: AnyEntry): void {
    this.size++;
    this.weight += entry.weight;
    this.#link(entry);
  }

  /** Removes an entry. */
  remove(entry: AnyEntry): void {
    this.size--;
    this.weight -= entry.weight;
    this.#unlink(entry);
  }

  /** Makes an entry the newest one. */
  use(entry: AnyEntry): void {
    if (entry === this.newest) return;
    this.#unlink(entry);
    this.#link(entry);
  }

  /** Evicts entries until the rest weighs no more than the capacity. */
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

/** A map with a room of its own, or one that it shares with others. */
export class LruMap<K, V> {
  readonly #entries = new Map<K, Entry<K, V>>();
  readonly #room: LruRoom;
  readonly #weigh: (value: V, key: K) => number;
  readonly #onEvict: ((value: V) => void) | undefined;
  #weight = 0;

  /**
   * @param room The room, or the capacity of a room of its own.
   * @param weigh Weight of an entry, 1 by default; computed when it is set and by {@link weighAgain}.
   * @param onEvict Receives each value that is evicted.
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

  /** Whether the key has a value; not a use. */
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

  /** Removes an entry; returns the value that it had. */
  delete(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#remove(entry);
    return entry.value;
  }

  /** Number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  /** Weight of all entries of this map together. */
  get weight(): number {
    return this.#weight;
  }

  /** Weighs an entry again that may have grown since it was set. */
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
    for (let entry = this.#room.oldest; entry !== undefined; entry = entry.newer) {
      if (entry.map === this) yield entry.value;
    }
  }

  /** Drops an entry for want of room: called by the room. */
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
