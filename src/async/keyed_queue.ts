/** One queue for each key: work that reads, decides and writes must not interleave with other such work. */

/**
 * Queues of this process. Locks order the changes of several processes; this queue orders the requests of
 * one.
 */
export class KeyedQueue<K> {
  /** The last work in the queue of each key. */
  readonly #last = new Map<K, Promise<void>>();

  /** Does `work` after all earlier work on the key, whether that succeeded or failed; settles as it does. */
  run<T>(key: K, work: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const end = result.then(() => {}, () => {}).finally(() => {
      if (this.#last.get(key) === end) this.#last.delete(key);
    });
    this.#last.set(key, end);
    return result;
  }
}
