/** Long work in turns, so that other requests are answered in between. */

/** How long work goes on before others get their turn, in milliseconds. */
export const TURN_MS = 5;

/** Long work, perhaps in several pieces at a time: they begin and end their turns together. */
export class Turns {
  #startedMs = performance.now();
  #pause: Promise<void> | undefined;
  #pieces = 0;

  /** Does a piece of work. Its first turn begins now, unless other pieces are in the midst of one. */
  async run<T>(piece: () => Promise<T>): Promise<T> {
    if (this.#pieces++ === 0) this.#startedMs = performance.now();
    try {
      return await piece();
    } finally {
      this.#pieces--;
    }
  }

  /** Lets others through when the turn is over; to be awaited between steps that are short themselves. */
  next(): Promise<void> | undefined {
    if (this.#pause === undefined && performance.now() - this.#startedMs >= TURN_MS) {
      this.#pause = new Promise((resume) => {
        setTimeout(() => {
          this.#pause = undefined;
          this.#startedMs = performance.now();
          resume();
        }, 0);
      });
    }
    return this.#pause;
  }
}
