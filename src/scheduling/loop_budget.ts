/** A budget of work per iteration of the event loop, shared by independent callers. */

/** Share of the budget that may be spent before a timer is set for the end of the iteration. */
const WATCHED_SHARE = 1 / 8;

/** The work done in the current iteration of the event loop. */
export class LoopBudget {
  readonly #limit: () => number;
  #spent = 0;
  #iteration = 0;
  /** Whether a timer has been set that begins the next iteration. */
  #isWatched = false;

  /** @param limit Work per iteration at the moment, in units of the caller's choice. */
  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /**
   * Returns `undefined` while the budget lasts. Otherwise returns a promise that resolves in the next
   * iteration; call again then, because other callers may have used up the new budget.
   */
  next(): Promise<void> | undefined {
    return this.#spent < this.#limit() ? undefined : this.#nextIteration();
  }

  /** Counts work. */
  spend(amount: number): void {
    this.#spent += amount;
    if (!this.#isWatched && this.#spent >= this.#limit() * WATCHED_SHARE) void this.#nextIteration();
  }

  /**
   * Waits for the next iteration. Each caller sets its own timer and has its own promise, and the first timer
   * counts: some hosts (workerd) drop the timers of a request that has been answered, and whoever waits for a
   * promise of such a request waits for ever.
   */
  #nextIteration(): Promise<void> {
    const iteration = this.#iteration;
    this.#isWatched = true;
    return new Promise((resolve) => {
      setTimeout(() => {
        if (this.#iteration === iteration) {
          this.#iteration++;
          this.#spent = 0;
          this.#isWatched = false;
        }
        resolve();
      }, 0);
    });
  }
}
