/**
 * Counts how often keys were used of late, in little memory: a count-min sketch whose counters are halved
 * from time to time (Einziger, Friedman, Manes: TinyLFU, https://arxiv.org/abs/1512.00727).
 */

/** Largest count. */
export const MAX_COUNT = 15;

/** Counters of a key, one in each row. The smallest one counts; the others count other keys, too. */
const ROWS = 4;

/** Length of a row, for each key. */
const COUNTERS_PER_KEY = 4;

/** Odd numbers, which make the places of a key in the rows of its hash. */
const MULTIPLIERS = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f] as const;

/** Counts uses of keys, which are given as hashes of 32 bits. A count may be too large, never too small. */
export class FrequencySketch {
  /** One byte for each counter, row by row. */
  readonly #counters: Uint8Array<ArrayBuffer>;
  readonly #rowBits: number;
  #uses = 0;

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

  /** Uses that have been counted; after {@link age} half of them. */
  get uses(): number {
    return this.#uses;
  }

  /** How often a key was used, at most {@link MAX_COUNT}. */
  count(hash: number): number {
    let least = MAX_COUNT;
    for (let row = 0; row < ROWS; row++) least = Math.min(least, this.#counters[this.#place(hash, row)]!);
    return least;
  }

  /** Counts a use. */
  use(hash: number): void {
    this.#uses++;
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
    this.#uses >>>= 1;
  }

  #place(hash: number, row: number): number {
    return (row << this.#rowBits) + (Math.imul(hash, MULTIPLIERS[row]!) >>> 32 - this.#rowBits);
  }
}
