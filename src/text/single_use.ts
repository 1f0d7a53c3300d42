/** Names that may be used only once. Each is stored for as long as it would be valid. */

/** A bounded table of used names. */
export class SingleUse {
  readonly #lifetimeMs: number;
  readonly #max: number;
  /** Time of use by name, the oldest first. */
  readonly #used = new Map<string, number>();

  /**
   * @param lifetimeMs Time after which a name is invalid anyway, in milliseconds.
   * @param max Maximum number of stored names; one more replaces the oldest.
   */
  constructor(lifetimeMs: number, max: number) {
    this.#lifetimeMs = lifetimeMs;
    this.#max = max;
  }

  get size(): number {
    return this.#used.size;
  }

  /** Marks a name as used; returns `false` when it was used before. */
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
