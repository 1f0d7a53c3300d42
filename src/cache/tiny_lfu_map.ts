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

/** Weight for each entry that is counted well, and the most of these entries, whose counts take 512 KiB. */
const [WEIGHT_PER_COUNTED, MOST_COUNTED_ENTRIES] = [4096, 2 ** 15];

interface Entry<V> {
  readonly key: string;
  readonly hash: number;
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
  /** Key of the hashes of keys; by default a new one that nobody can guess. */
  readonly hashKey?: HashKey | undefined;
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
  readonly #counted: number;
  readonly #sketch: FrequencySketch;
  /** Made with the first use: some hosts have no random numbers while modules are loaded. */
  #hashKey: HashKey | undefined;

  /** @param capacity Largest weight of all entries together. */
  constructor(
    capacity: number,
    { weigh, worthOf = weigh, largest = capacity * LARGEST_SHARE, onDrop, hashKey }: TinyLfuOptions<V>,
  ) {
    this.#capacity = capacity;
    this.#largest = largest;
    this.#weigh = weigh;
    this.#worthOf = worthOf;
    this.#onDrop = onDrop;
    this.#hashKey = hashKey;
    this.#windowRoom = capacity * WINDOW_SHARE;
    const counted = Math.max(LEAST_COUNTED_ENTRIES, capacity / WEIGHT_PER_COUNTED);
    this.#counted = Math.min(MOST_COUNTED_ENTRIES, counted);
    this.#sketch = new FrequencySketch(this.#counted);
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
    this.#sketch.use(entry?.hash ?? this.#hash(key));
    const entries = Math.max(LEAST_COUNTED_ENTRIES, this.#window.size + this.#main.size);
    if (this.#sketch.uses >= USES_PER_ENTRY * Math.min(this.#counted, entries)) {
      this.#sketch.age();
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
    return this.#main.weight < this.#mainRoom * FULL_SHARE || this.#sketch.count(this.#hash(key)) > 1;
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
    let gain = (this.#sketch.count(entry.hash) - 1) * entry.worth;
    let weight = 0;
    for (const oldest of this.#main.values()) {
      if (weight >= missing) break;
      leaving.push(oldest);
      weight += oldest.weight;
      gain -= this.#sketch.count(oldest.hash) * oldest.worth;
      if (gain <= 0) break;
    }
    return { leaving, mayStay: leaving.length === 0 ? missing <= 0 : weight >= missing && gain > 0 };
  }

  #entryOf(key: string, value: V, weight: number): Entry<V> {
    return { key, hash: this.#hash(key), value, weight, worth: this.#worthOf(value) };
  }

  #hash(key: string): number {
    return keyedHash(key, this.#hashKey ??= randomHashKey());
  }
}

/** A key: two integers of 32 bits. */
export type HashKey = readonly [number, number];

/** A key that nobody can guess. */
export function randomHashKey(): HashKey {
  const [first = 0, second = 0] = crypto.getRandomValues(new Uint32Array(2));
  return [first, second];
}

/**
 * Hash of the UTF-16 of a text, in little endian: HalfSipHash-2-4 (https://github.com/veorq/SipHash). Whoever
 * chooses the texts cannot choose which of them collide.
 *
 * @returns Integer from 0 to 2³² - 1.
 */
export function keyedHash(text: string, [k0, k1]: HashKey): number {
  let [v0, v1, v2, v3] = [k0 | 0, k1 | 0, k0 ^ 0x6c796765, k1 ^ 0x74656462];
  const words = text.length >>> 1;
  // Two code units in a word, then a word with the length and with what is left; the word after it is none.
  for (let i = 0; i <= words + 1; i++) {
    let word = 0;
    if (i < words) word = text.charCodeAt(2 * i) | text.charCodeAt(2 * i + 1) << 16;
    else if (i > words) v2 ^= 0xff;
    else word = text.length << 25 | (text.length & 1 ? text.charCodeAt(2 * i) : 0);
    v3 ^= word;
    for (let round = i > words ? 4 : 2; round > 0; round--) {
      v0 = v0 + v1 | 0;
      v1 = (v1 << 5 | v1 >>> 27) ^ v0;
      v0 = v0 << 16 | v0 >>> 16;
      v2 = v2 + v3 | 0;
      v3 = (v3 << 8 | v3 >>> 24) ^ v2;
      v0 = v0 + v3 | 0;
      v3 = (v3 << 7 | v3 >>> 25) ^ v0;
      v2 = v2 + v1 | 0;
      v1 = (v1 << 13 | v1 >>> 19) ^ v2;
      v2 = v2 << 16 | v2 >>> 16;
    }
    v0 ^= word;
  }
  return (v1 ^ v3) >>> 0;
}

/** Largest count. */
export const MAX_COUNT = 15;

/** Counters of a key, one in each row. The smallest one counts; the others count other keys, too. */
const ROWS = 4;

/** Length of a row, for each key. */
const COUNTERS_PER_KEY = 4;

/** Odd numbers, which make the places of a key in the rows of its hash. */
const MULTIPLIERS = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f] as const;

/**
 * Counts how often keys, given as hashes of 32 bits, were used of late: a count-min sketch whose counters are
 * halved from time to time. A count may be too large, never too small.
 */
export class FrequencySketch {
  /** One byte for each counter, row by row. */
  readonly #counters: Uint8Array<ArrayBuffer>;
  readonly #rowBits: number;
  /** Uses that have been counted; after {@link age} half of them. */
  uses = 0;

  /**
   * @param keys Keys that are counted well at the same time, if there are at most ten uses for each before
   *   {@link age} is called. The sketch takes 16 to 32 bytes for each.
   */
  constructor(keys: number) {
    this.#rowBits = Math.ceil(Math.log2(COUNTERS_PER_KEY * keys));
    this.#counters = new Uint8Array(ROWS * 2 ** this.#rowBits);
  }

  /** Memory of the sketch. */
  get bytes(): number {
    return this.#counters.length;
  }

  /** How often a key was used, at most {@link MAX_COUNT}. */
  count(hash: number): number {
    let least = MAX_COUNT;
    for (let row = 0; row < ROWS; row++) least = Math.min(least, this.#counters[this.#place(hash, row)]!);
    return least;
  }

  /** Counts a use. */
  use(hash: number): void {
    this.uses++;
    const count = this.count(hash);
    if (count === MAX_COUNT) return;
    // Counters above it have counted other keys, too, and are large enough.
    for (let row = 0; row < ROWS; row++) {
      const place = this.#place(hash, row);
      if (this.#counters[place] === count) this.#counters[place] = count + 1;
    }
  }

  /** Halves all counts, so that what was used long ago is forgotten. */
  age(): void {
    for (let i = 0; i < this.#counters.length; i++) this.#counters[i]! >>>= 1;
    this.uses >>>= 1;
  }

  #place(hash: number, row: number): number {
    return (row << this.#rowBits) + (Math.imul(hash, MULTIPLIERS[row]!) >>> 32 - this.#rowBits);
  }
}
