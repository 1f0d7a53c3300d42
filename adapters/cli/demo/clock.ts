/** The time of the demo's story, which has nothing to do with the time at which the home is made. */

/** Midday of 4 May 2026, UTC: the first commit. */
const START_SECONDS = 1777896000;

/** Hours and minutes that a step takes, so that not everything happens at the full hour. */
const STEP_SECONDS = 7 * 60;

/** A clock that stands still until it is told to go on. */
export class Clock {
  #seconds = START_SECONDS;

  /** Seconds since the Unix epoch. */
  get nowSeconds(): number {
    return this.#seconds;
  }

  /** Lets some hours and a little more pass. */
  later(hours: number): void {
    this.#seconds += hours * 3600 + STEP_SECONDS;
  }
}
