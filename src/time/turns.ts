/** Long work in turns, so that other requests are answered in between. */

/** How long work goes on before others get their turn, in milliseconds. */
export const TURN_MS = 5;

/** One piece of long work, perhaps done by several hands: they begin and end their turns together. */
export class Turns {
  #startedMs = performance.now();
  #pause: Promise<void> | undefined;

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
