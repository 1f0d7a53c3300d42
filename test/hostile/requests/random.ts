/** Random choices from fixed seeds. */

/** Choices that are the same for the same seeds (mulberry32). */
export class Random {
  #state: number;

  constructor(...seeds: readonly number[]) {
    this.#state = seeds.reduce((state, seed) => Math.imul(state ^ seed, 0x9e3779b1) ^ (state >>> 15), 1);
  }

  /** A whole number from 0 up to one below the limit. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  /** One of some values. */
  one<T>(of: readonly T[]): T {
    return of[this.below(of.length)]!;
  }

  /** Whether the case is one of so many. */
  isOneIn(count: number): boolean {
    return this.below(count) === 0;
  }
}
