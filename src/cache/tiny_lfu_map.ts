/**
 * A map of limited weight that retains entries that are used often: LRU with admission by frequency
 * (W-TinyLFU, https://arxiv.org/abs/1512.00727), for entries of very different weights.
 *
 * A new entry is in the window first. The least recently used entries leave the window, and move to the main
 * part while the main part has room. When the main part is full, an entry is admitted only if it is worth
 * more than the least recently used entries that it would replace. Otherwise it is dropped. When requests
 * repeat in a cycle that is larger than the map, LRU alone finds no entry. In this map, such requests find
 * the same entries in each cycle. A client that requests many things once replaces only the entries of the
 * window.
 */
import { LruMap } from "./lru_map.ts";

/** Minimum size of the window, as a part of the capacity. */
const WINDOW_SHARE = 1 / 8;

/**
 * Maximum weight of one entry, as a part of the capacity. The window grows to have room for a large entry,
 * and may shrink when counts are halved.
 */
export const LARGEST_SHARE = 1 / 4;

/**
 * Counts are halved after this many uses per entry, so that entries that are no longer used can be replaced.
 */
const USES_PER_ENTRY = 10;

/** A map with fewer entries halves counts as if it had this many entries. */
const LEAST_COUNTED_ENTRIES = 1024;

interface Entry<V> {
  readonly key: string;
  readonly value: V;
  readonly weight: number;
  readonly worth: number;
}

export interface TinyLfuOptions<V> {
  /** Returns the weight of a value. Called when the value is set. */
  readonly weigh: (value: V) => number;
  /** Returns the work that a value saves each time it is used, in any unit. The default is the weight. */
  readonly worthOf?: (value: V) => number;
  /** Called with each value that is evicted or not admitted. */
  readonly onDrop?: (value: V) => void;
}

/** A map whose entries have a total weight of at most `capacity`. */
export class TinyLfuMap<V> {
  readonly #capacity: number;
  readonly #largest: number;
  readonly #weigh: (value: V) => number;
  readonly #worthOf: (value: V) => number;
  readonly #onDrop: ((value: V) => void) | undefined;
  readonly #window = new LruMap<string, Entry<V>>(Infinity, ({ weight }) => weight);
  readonly #main = new LruMap<string, Entry<V>>(Infinity, ({ weight }) => weight);
  /** Capacity of the window. The main part has the rest. */
  #windowRoom: number;
  /** Number of uses of each key, whether the key has a value or not. */
  readonly uses: UseCounts;

  /** @param capacity Maximum total weight of all entries. */
  constructor(
    capacity: number,
    { weigh, worthOf = weigh, onDrop }: TinyLfuOptions<V>,
  ) {
    this.#capacity = capacity;
    this.#largest = capacity * LARGEST_SHARE;
    this.#weigh = weigh;
    this.#worthOf = worthOf;
    this.#onDrop = onDrop;
    this.#windowRoom = capacity * WINDOW_SHARE;
    this.uses = new UseCounts(Math.max(LEAST_COUNTS_BYTES, capacity * COUNTS_SHARE));
  }

  get size(): number {
    return this.#window.size + this.#main.size;
  }

  /** Total weight of all entries. */
  get weight(): number {
    return this.#window.weight + this.#main.weight;
  }

  /** Returns the value of a key. A look-up counts as a use of the key, whether the key has a value or not. */
  get(key: string): V | undefined {
    const entry = this.#window.get(key) ?? this.#main.get(key);
    this.uses.add(key);
    const entries = Math.max(LEAST_COUNTED_ENTRIES, this.size);
    if (this.uses.isFull || this.uses.sum >= USES_PER_ENTRY * entries) {
      this.uses.halve();
      this.#windowRoom = Math.max(this.#capacity * WINDOW_SHARE, this.#window.weight);
    }
    return entry?.value;
  }

  /** Checks whether the key has a value. This does not count as a use. */
  has(key: string): boolean {
    return this.#window.has(key) || this.#main.has(key);
  }

  /** Replaces the value of a key. A value that is too large is dropped. */
  set(key: string, value: V): void {
    this.delete(key);
    const weight = this.#weigh(value);
    if (weight > this.#largest) return this.#onDrop?.(value);
    this.#window.set(key, this.#entryOf(key, value, weight));
    this.#windowRoom = Math.max(this.#windowRoom, weight);
    for (const oldest of this.#window.values()) {
      if (this.#window.weight <= this.#windowRoom) break;
      this.#window.delete(oldest.key);
      this.#admit(oldest);
    }
    this.#shrink();
  }

  /** Removes an entry. Returns its value. */
  delete(key: string): V | undefined {
    return (this.#window.delete(key) ?? this.#main.delete(key))?.value;
  }

  #drop(key: string): void {
    const value = this.delete(key);
    if (value !== undefined) this.#onDrop?.(value);
  }

  #shrink(): void {
    for (const oldest of this.#main.values()) {
      if (this.#main.weight <= this.#mainRoom) break;
      this.#drop(oldest.key);
    }
  }

  get #mainRoom(): number {
    return this.#capacity - this.#windowRoom;
  }

  /**
   * Moves an entry to the main part, or drops the entry if it is worth less than the entries that it would
   * replace.
   */
  #admit(entry: Entry<V>): void {
    const { leaving, mayStay } = this.#compare(entry);
    if (!mayStay) {
      this.#moveBack(leaving);
      return this.#onDrop?.(entry.value);
    }
    for (const { key } of leaving) this.#drop(key);
    this.#main.set(entry.key, entry);
  }

  /** Makes entries the most recently used entries, so that the next comparison is with other entries. */
  #moveBack(entries: readonly Entry<V>[]): void {
    for (const { key } of entries) this.#main.get(key);
  }

  /**
   * Returns the entries of the main part that a new entry would replace, and whether the new entry is worth
   * more.
   */
  #compare(entry: Entry<V>): { readonly leaving: readonly Entry<V>[]; readonly mayStay: boolean } {
    const missing = this.#main.weight + entry.weight - this.#mainRoom;
    const leaving: Entry<V>[] = [];
    // The latest use is not counted. When keys are used in a cycle, the other keys are used later in this
    // cycle.
    let gain = (this.uses.of(entry.key) - 1) * entry.worth;
    let weight = 0;
    for (const oldest of this.#main.values()) {
      if (weight >= missing) break;
      leaving.push(oldest);
      weight += oldest.weight;
      gain -= this.uses.of(oldest.key) * oldest.worth;
      if (gain <= 0) break;
    }
    return { leaving, mayStay: leaving.length === 0 ? missing <= 0 : weight >= missing && gain > 0 };
  }

  #entryOf(key: string, value: V, weight: number): Entry<V> {
    return { key, value, weight, worth: this.#worthOf(value) };
  }
}

/** Memory limit of the counts, as a part of the capacity. */
const COUNTS_SHARE = 1 / 32;

/** Minimum value of the memory limit of the counts, in bytes. */
const LEAST_COUNTS_BYTES = 2 ** 16;

/** Approximate memory of a count without its key, in bytes. */
const COUNT_BYTES = 64;

/** Maximum value of a count. */
const MAX_COUNT = 15;

/** Counts how often keys were used recently. All counts are halved from time to time. */
export class UseCounts {
  readonly #counts = new Map<string, number>();
  readonly #limitBytes: number;
  #bytes = 0;
  /** Number of uses that were counted. {@link halve} halves it. */
  sum = 0;

  /** @param limitBytes Approximate memory at which the counts should be halved, in bytes. */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Whether the counts have reached their memory limit. */
  get isFull(): boolean {
    return this.#bytes >= this.#limitBytes;
  }

  /** Returns the number of uses of a key, at most {@link MAX_COUNT}. */
  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Counts a use. */
  add(key: string): void {
    const count = this.of(key);
    if (count === 0) this.#bytes += COUNT_BYTES + 2 * key.length;
    this.#counts.set(key, Math.min(count + 1, MAX_COUNT));
    this.sum++;
  }

  /** Halves all counts, and removes keys that were used once. */
  halve(): void {
    for (const [key, count] of this.#counts) {
      if (count > 1) this.#counts.set(key, count >>> 1);
      else if (this.#counts.delete(key)) this.#bytes -= COUNT_BYTES + 2 * key.length;
    }
    this.sum >>>= 1;
  }
}
