/** Long work in turns, so that other requests are answered in between. */

/** How long work goes on before others get their turn, in milliseconds. */
export const TURN_MS = 5;

/** One piece of long work. */
export class Turns {
  #startedMs = performance.now();

  /** Lets others through when the turn is over; to be awaited between steps that are short themselves. */
  async next(): Promise<void> {
    if (performance.now() - this.#startedMs < TURN_MS) return;
    await new Promise((resume) => setTimeout(resume, 0));
    this.#startedMs = performance.now();
  }
}
