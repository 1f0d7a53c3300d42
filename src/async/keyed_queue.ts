/** Queues of asynchronous work by key, so that read-modify-write steps on a key do not interleave. */

/** One queue per key, within this process. Between processes, locks have the same task. */
export class KeyedQueue<K> {
  /** The last work in the queue of each key. */
  readonly #last = new Map<K, Promise<void>>();

  /** Runs `work` after all earlier work on the key has settled, and returns its result. */
  run<T>(key: K, work: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const end = result.then(() => {}, () => {}).finally(() => {
      if (this.#last.get(key) === end) this.#last.delete(key);
    });
    this.#last.set(key, end);
    return result;
  }
}
