/** Single flight: concurrent requests for the same result share one computation. */

interface Flight<T> {
  readonly result: Promise<T>;
  readonly nobodyWaits: AbortController;
  waiting: number;
}

export class SingleFlight<T> {
  readonly #underWay = new Map<string, Flight<T>>();

  /**
   * Returns the result of a key's computation. Starts the computation unless it is running.
   *
   * @param begin Starts the computation. Its signal is aborted when no caller waits for the result any more.
   * @param signal Aborted when this caller stops waiting. The returned promise is not affected.
   */
  join(key: string, begin: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
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
