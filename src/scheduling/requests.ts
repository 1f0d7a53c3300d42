/** Requests under way: long work gives way to the short ones. */

/**
 * A request counts as short for this time after its start, in milliseconds: one that takes longer waits for
 * long work itself, or is long work.
 */
export const SHORT_REQUEST_MS = 25;

/**
 * Time after the end of a request in which its answer is being sent, and in which the next request of its
 * client may be on its way, in milliseconds.
 */
const SENDING_MS = 10;

/** Requests of a thread. */
export class Requests {
  /** The start of each request, oldest first. */
  readonly #starts = new Set<{ readonly atMs: number }>();
  #lastMs = -Infinity;
  #lastEndMs = -Infinity;
  readonly #now: () => number;

  /** @param now A monotonic clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a request until the returned function is called. */
  begin(): () => void {
    const start = { atMs: this.#lastMs = this.#now() };
    this.#starts.add(start);
    return () => {
      if (this.#starts.delete(start)) this.#lastEndMs = this.#now();
    };
  }

  /** Whether any is under way. */
  get areAny(): boolean {
    return this.#starts.size > 0;
  }

  /** Whether several are under way: the work of one holds the others up. */
  get areSeveral(): boolean {
    return this.#starts.size > 1;
  }

  /** Whether one is under way that has begun a moment ago. */
  get areShort(): boolean {
    const afterMs = this.#now() - SHORT_REQUEST_MS;
    if (this.#lastMs <= afterMs) return false;
    for (const { atMs } of this.#starts) if (atMs > afterMs) return true;
    return false;
  }

  /** Whether a short one is under way, or its answer is still being sent. */
  get areNear(): boolean {
    return this.#now() - this.#lastEndMs < SENDING_MS || this.areShort;
  }
}
