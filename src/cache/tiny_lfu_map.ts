/**
 * A map of limited weight that keeps entries that are used often (W-TinyLFU,
 * https://arxiv.org/abs/1512.00727). Entries may have very different weights.
 *
 * The map has two parts: a small window for new entries, and a main part. An entry that leaves the window
 * moves to the main part if the entry is worth more than the entries that it would replace there. Otherwise
 * it is dropped. Therefore a client that requests many things once replaces only entries of the window.
 */
import { LruMap } from "./lru_map.ts";

/** Minimum size of the window, as a part of the capacity. */
const WINDOW_SHARE = 1 / 8;

/**
 * Maximum weight of one entry, as a part of the capacity. The window grows to make room for a large entry.
 */
export const LARGEST_SHARE = 1 / 4;

/**
 * Number of uses per entry after which all counts of uses are halved, so that entries that are no longer used
 * can be replaced.
 */
const USES_PER_ENTRY = 10;

/** Minimum number of entries that is assumed for halving counts. */
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
  /** Returns the work that the value saves with each use, in any unit. The default is the weight. */
  readonly worthOf?: (value: V) => number;
  /** Called with each value that leaves the map or is not accepted. */
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
  #windowRoom: number;
  /** Number of uses of each key, even of keys without a value. */
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

  /** Returns the value of a key; `undefined` without a value. Each look-up counts as a use of the key. */
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

  /** Checks whether the key has a value. The check does not count as a use. */
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

  /** Marks entries as recently used, so that the next comparison is with other entries. */
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
    // The latest use does not count, because in a cycle of requests the other entries are used later.
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

/** Minimum memory limit of the counts, in bytes. */
const LEAST_COUNTS_BYTES = 2 ** 16;

/** Approximate memory of a count without its key, in bytes. */
const COUNT_BYTES = 64;

const MAX_COUNT = 15;

/** Counts how often keys were used recently. All counts are halved from time to time. */
export class UseCounts {
  readonly #counts = new Map<string, number>();
  readonly #limitBytes: number;
  #bytes = 0;
  /** Total number of counted uses. {@link halve} halves the sum. */
  sum = 0;

  /** @param limitBytes Approximate memory at which the counts should be halved, in bytes. */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get isFull(): boolean {
    return this.#bytes >= this.#limitBytes;
  }

  /** Returns the number of uses of a key, at most {@link MAX_COUNT}. */
  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

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
