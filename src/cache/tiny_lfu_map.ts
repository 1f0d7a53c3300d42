/**
 * A map of bounded weight that keeps what is used often: LRU with admission by frequency (W-TinyLFU,
 * https://arxiv.org/abs/1512.00727), for entries of very different weights.
 *
 * A new entry stands in the window, which the least recently used entries leave. They move to the main part
 * while there is room in it. When it is full, an entry has to be worth more than the least recently used
 * entries whose room it needs, or it is dropped. LRU alone finds nothing when requests walk in a circle that
 * is larger than the map; here they find the same entries in each round. And a stranger who asks for many
 * things once replaces the entries of the window alone.
 */
import { LruMap } from "./lru_map.ts";

/** Share of the window in the capacity, at least. */
export const WINDOW_SHARE = 1 / 8;

/** Usual largest share of one entry. The window grows to take it, until counts are halved. */
export const LARGEST_SHARE = 1 / 4;

/** Share of its room from which the main part counts as full. */
export const FULL_SHARE = 7 / 8;

/** Counts are halved after so many uses for each entry: what is no longer used loses its place. */
export const USES_PER_ENTRY = 10;

/** A map with fewer entries halves counts as if it had so many. */
export const LEAST_COUNTED_ENTRIES = 1024;

interface Entry<V> {
  readonly key: string;
  readonly value: V;
  readonly weight: number;
  readonly worth: number;
}

/** Choices of a {@link TinyLfuMap}. */
export interface TinyLfuOptions<V> {
  /** Weight of a value, computed when it is set. */
  readonly weigh: (value: V) => number;
  /** Work that a value saves each time it is used, in any unit; its weight by default. */
  readonly worthOf?: (value: V) => number;
  /** Weight of the largest value that is taken; {@link LARGEST_SHARE} of the capacity by default. */
  readonly largest?: number;
  /** Receives each value that leaves the map for want of room, or that is not admitted. */
  readonly onDrop?: (value: V) => void;
  /** Counts of uses that another map keeps, if it is asked for the same keys. */
  readonly uses?: UseCounts;
}

/** A map whose entries weigh at most `capacity` together. */
export class TinyLfuMap<V> {
  #capacity: number;
  readonly #largest: number;
  readonly #weigh: (value: V) => number;
  readonly #worthOf: (value: V) => number;
  readonly #onDrop: ((value: V) => void) | undefined;
  readonly #window = new LruMap<string, Entry<V>>(Infinity, ({ weight }) => weight);
  readonly #main = new LruMap<string, Entry<V>>(Infinity, ({ weight }) => weight);
  /** Capacity of the window; the rest is that of the main part. */
  #windowRoom: number;
  /** Uses of keys, whether they have a value or not. */
  readonly uses: UseCounts;
  readonly #isCounting: boolean;
  /** How often the counts had been halved when the window was last as small as it may be. */
  #halvings = 0;

  /** @param capacity Largest weight of all entries together. */
  constructor(
    capacity: number,
    { weigh, worthOf = weigh, largest = capacity * LARGEST_SHARE, onDrop, uses }: TinyLfuOptions<V>,
  ) {
    this.#capacity = capacity;
    this.#largest = largest;
    this.#weigh = weigh;
    this.#worthOf = worthOf;
    this.#onDrop = onDrop;
    this.#windowRoom = capacity * WINDOW_SHARE;
    this.uses = uses ?? new UseCounts(Math.max(LEAST_COUNTS_BYTES, capacity * COUNTS_SHARE));
    this.#isCounting = uses === undefined;
  }

  /** Number of entries. */
  get size(): number {
    return this.#window.size + this.#main.size;
  }

  /** Weight of all entries together. */
  get weight(): number {
    return this.#window.weight + this.#main.weight;
  }

  /** The value of a key. A look-up counts as a use of the key, whether it has a value or not. */
  get(key: string): V | undefined {
    const entry = this.#window.get(key) ?? this.#main.get(key);
    if (this.#isCounting) {
      this.uses.add(key);
      const entries = Math.max(LEAST_COUNTED_ENTRIES, this.size);
      if (this.uses.isFull || this.uses.sum >= USES_PER_ENTRY * entries) this.uses.halve();
    }
    if (this.#halvings !== this.uses.halvings) {
      this.#halvings = this.uses.halvings;
      this.#windowRoom = Math.max(this.#capacity * WINDOW_SHARE, this.#window.weight);
    }
    return entry?.value;
  }

  /** Whether the key has a value; not a use. */
  has(key: string): boolean {
    return this.#window.has(key) || this.#main.has(key);
  }

  /** Whether a value of the key may stay when it is set: there is room, or the key was used several times. */
  mayKeep(key: string): boolean {
    return this.#main.weight < this.#mainRoom * FULL_SHARE || this.uses.of(key) > 1;
  }

  /** Whether a value would stay for longer than in the window: there is room, or it is used often enough. */
  wouldAdmit(key: string, value: V): boolean {
    const weight = this.#weigh(value);
    return weight <= this.#largest && this.#compare(this.#entryOf(key, value, weight)).mayStay;
  }

  /** Has the next value compared with others than a refused one, as after {@link set}. */
  refuse(key: string, value: V): void {
    this.#moveBack(this.#compare(this.#entryOf(key, value, this.#weigh(value))).leaving);
  }

  /** Sets a value in place of the one that the key had; none if it is too large. */
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

  /** Changes the largest weight of all entries together. The window and the largest entry stay the same. */
  resize(capacity: number): void {
    this.#capacity = capacity;
    this.#shrink();
  }

  /** Removes an entry; returns the value that it had. */
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

  /** Moves an entry to the main part if it may, and drops it otherwise. */
  #admit(entry: Entry<V>): void {
    const { leaving, mayStay } = this.#compare(entry);
    if (!mayStay) {
      this.#moveBack(leaving);
      return this.#onDrop?.(entry.value);
    }
    for (const { key } of leaving) this.#drop(key);
    this.#main.set(entry.key, entry);
  }

  /** Moves entries behind all others. */
  #moveBack(entries: readonly Entry<V>[]): void {
    for (const { key } of entries) this.#main.get(key);
  }

  /** The entries of the main part whose room another one needs, and whether it is worth more than they. */
  #compare(entry: Entry<V>): { readonly leaving: readonly Entry<V>[]; readonly mayStay: boolean } {
    const missing = this.#main.weight + entry.weight - this.#mainRoom;
    const leaving: Entry<V>[] = [];
    // Its latest use does not count: the others may not have had their turn yet. In a circle all are equal.
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

/** Memory of the counts as a share of the capacity, and the least. */
const [COUNTS_SHARE, LEAST_COUNTS_BYTES] = [1 / 32, 2 ** 16];

/** Memory of a count in addition to its key, approximately. */
const COUNT_BYTES = 64;

/** Largest count. */
export const MAX_COUNT = 15;

/** How often keys were used of late. All counts are halved from time to time. */
export class UseCounts {
  readonly #counts = new Map<string, number>();
  readonly #limitBytes: number;
  #bytes = 0;
  /** Uses that have been counted; after {@link halve} half of them. */
  sum = 0;
  /** Number of calls of {@link halve}. */
  halvings = 0;

  /** @param limitBytes Memory from which on the counts should be halved, approximately. */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Whether the counts take as much memory as they may. */
  get isFull(): boolean {
    return this.#bytes >= this.#limitBytes;
  }

  /** Uses of a key, at most {@link MAX_COUNT}. */
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

  /** Halves all counts. What was used once, or long ago, is forgotten. */
  halve(): void {
    for (const [key, count] of this.#counts) {
      if (count > 1) this.#counts.set(key, count >>> 1);
      else if (this.#counts.delete(key)) this.#bytes -= COUNT_BYTES + 2 * key.length;
    }
    this.sum >>>= 1;
    this.halvings++;
  }
}
