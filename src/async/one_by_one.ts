/** Lets one after the other in, in the order in which they came. */
export class OneByOne {
  #last: Promise<void> = Promise.resolve();

  /** Waits until all who came before have left. The answer is how to leave, and must be called. */
  async enter(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#last;
    this.#last = promise;
    await before;
    return resolve;
  }
}
