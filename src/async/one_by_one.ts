/** A mutual exclusion of asynchronous callers, first in, first out. */
export class OneByOne {
  #last: Promise<void> = Promise.resolve();

  /** Waits until all earlier callers have left. Returns the function to leave, which must be called. */
  async enter(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#last;
    this.#last = promise;
    await before;
    return resolve;
  }
}
