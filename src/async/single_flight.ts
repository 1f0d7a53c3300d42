/** Single flight: equal work that is asked for at the same time is done once. */

interface Flight<T> {
  readonly result: Promise<T>;
  readonly nobodyWaits: AbortController;
  waiting: number;
}

/** Work under way, by key. */
export class SingleFlight<T> {
  readonly #underWay = new Map<string, Flight<T>>();

  /**
   * The result of the work of a key. The work begins unless it is under way.
   *
   * @param begin Its signal is aborted when nobody waits for the result any more.
   * @param signal Aborted when this caller does not wait any more. The promise is the result all the same.
   */
  join(key: string, begin: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    let flight = this.#underWay.get(key);
    if (flight === undefined) {
      const nobodyWaits = new AbortController();
      const result = begin(nobodyWaits.signal).finally(() => this.#remove(key, flight));
      flight = { result, nobodyWaits, waiting: 0 };
      this.#underWay.set(key, flight);
    }
    const joined = flight;
    joined.waiting++;
    const leave = () => {
      if (--joined.waiting > 0) return;
      this.#remove(key, joined);
      joined.nobodyWaits.abort();
    };
    if (signal?.aborted) leave();
    else signal?.addEventListener("abort", leave);
    return joined.result.finally(() => signal?.removeEventListener("abort", leave));
  }

  #remove(key: string, flight: Flight<T> | undefined): void {
    if (this.#underWay.get(key) === flight) this.#underWay.delete(key);
  }
}
