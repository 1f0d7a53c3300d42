/** Names that count only once, each stored for as long as it could count at all. */

/** A bounded memory of names. */
export class SingleUse {
  readonly #lifetimeMs: number;
  readonly #max: number;
  /** When each name was used, the oldest first. */
  readonly #used = new Map<string, number>();

  /**
   * @param lifetimeMs Time after which a name counts for nothing anyway, in milliseconds.
   * @param max Most names that are stored; one more replaces the oldest.
   */
  constructor(lifetimeMs: number, max: number) {
    this.#lifetimeMs = lifetimeMs;
    this.#max = max;
  }

  /** Number of stored names. */
  get size(): number {
    return this.#used.size;
  }

  /** Uses a name; returns `false` when it has been used before. */
  use(name: string, nowMs: number): boolean {
    if (this.#used.has(name)) return false;
    for (const [oldest, atMs] of this.#used) {
      if (atMs > nowMs - this.#lifetimeMs && this.#used.size < this.#max) break;
      this.#used.delete(oldest);
    }
    this.#used.set(name, nowMs);
    return true;
  }
}
