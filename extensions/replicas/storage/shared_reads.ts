/** Reads in progress, which all concurrent readers share. */

/** @typeParam K Identifies what is read. */
export class SharedReads<K, T> {
  readonly #running = new Map<K, { readonly result: Promise<T>; readonly sinceMs: number }>();
  readonly #now: () => number;
  readonly #lostMs: number;

  /**
   * @param now Returns the time of a monotonic clock in milliseconds.
   * @param lostMs Time after which a read that has not ended counts as lost, in milliseconds. Lost reads are
   *   not shared.
   */
  constructor(now: () => number, lostMs: number) {
    this.#now = now;
    this.#lostMs = lostMs;
  }

  /** Returns the result of a read in progress. */
  get(key: K): Promise<T> | undefined {
    const running = this.#running.get(key);
    return running && this.#now() - running.sinceMs < this.#lostMs ? running.result : undefined;
  }

  /** Starts a read, unless it is already in progress. */
  share(key: K, read: () => Promise<T>): Promise<T> {
    const shared = this.get(key);
    if (shared !== undefined) return shared;
    const result = read().finally(() => {
      if (this.#running.get(key) === running) this.#running.delete(key);
    });
    const running = { result, sinceMs: this.#now() };
    this.#running.set(key, running);
    return result;
  }
}
