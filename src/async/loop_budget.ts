/** Work of callers that know nothing of each other, bounded for each turn of the event loop. */

/** The share of a turn's work from which on it is found out when the turn ends. */
const WATCHED_SHARE = 1 / 8;

/** How much has been done in the present turn. */
export class LoopBudget {
  readonly #limit: number;
  #spent = 0;
  #end: Promise<void> | undefined;

  /** @param limit How much may be done in a turn, in units of the caller's choice. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Resolves in the next turn, when this one has had its share; then ask again, as others may have come
   * first.
   */
  next(): Promise<void> | undefined {
    return this.#spent >= this.#limit ? this.#end : undefined;
  }

  /** Counts what was done. */
  spend(amount: number): void {
    this.#spent += amount;
    if (this.#end !== undefined || this.#spent < this.#limit * WATCHED_SHARE) return;
    this.#end = new Promise((resolve) => {
      setTimeout(() => {
        this.#spent = 0;
        this.#end = undefined;
        resolve();
      }, 0);
    });
  }
}
