/** Names that may be used only once, such as nonces. */

/** A table of used names, with a maximum size. */
export class SingleUse {
  readonly #lifetimeMs: number;
  readonly #max: number;
  /** Time of use by name, the oldest first. */
  readonly #used = new Map<string, number>();

  /**
   * @param lifetimeMs Time after which a name is invalid in any case, in milliseconds.
   * @param max Maximum number of stored names. A further name replaces the oldest name.
   */
  constructor(lifetimeMs: number, max: number) {
    this.#lifetimeMs = lifetimeMs;
    this.#max = max;
  }

  get size(): number {
    return this.#used.size;
  }

  /** Stores a name as used. Returns `false` when the name was used before. */
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
