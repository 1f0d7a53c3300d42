/** A budget of work per iteration of the event loop, shared by independent callers. */

/** Share of the budget that may be spent before a timer is set for the end of the iteration. */
const WATCHED_SHARE = 1 / 8;

/** The work done in the current iteration of the event loop. */
export class LoopBudget {
  readonly #limit: number;
  #spent = 0;
  #end: PromiseWithResolvers<void> | undefined;

  /** @param limit Work per iteration, in units of the caller's choice. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Returns `undefined` while the budget lasts. Otherwise returns a promise that resolves in the next
   * iteration; call again then, because other callers may have used up the new budget.
   */
  next(): Promise<void> | undefined {
    if (this.#spent < this.#limit) return undefined;
    return this.#endIteration().promise;
  }

  /** Counts work. */
  spend(amount: number): void {
    this.#spent += amount;
    if (this.#end === undefined && this.#spent >= this.#limit * WATCHED_SHARE) this.#endIteration();
  }

  /**
   * Ends the iteration with the next one. Each caller sets its own timer, and the first one counts: some
   * hosts (workerd) drop the timers of a request that has been answered.
   */
  #endIteration(): PromiseWithResolvers<void> {
    const end = this.#end ??= Promise.withResolvers<void>();
    setTimeout(() => {
      if (this.#end !== end) return;
      this.#spent = 0;
      this.#end = undefined;
      end.resolve();
    }, 0);
    return end;
  }
}
