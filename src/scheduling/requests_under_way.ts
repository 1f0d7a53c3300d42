/** Requests under way, to which work in the background gives way. */

/**
 * A request counts for this time after its start, in milliseconds: one that takes longer waits for long work
 * itself, or is long work.
 */
export const SHORT_REQUEST_MS = 25;

/** Longest time that work for which nobody waits gives way to short requests, in milliseconds. */
export const MAX_GIVEN_WAY_MS = 20;

/**
 * Time after the end of a request in which its answer is being sent, and in which the next request of its
 * client may be on its way, in milliseconds.
 */
export const SENDING_MS = 10;

/** Requests of a process. */
export class RequestsUnderWay {
  readonly #now: () => number;
  /** The start of each request, oldest first. */
  readonly #starts = new Set<{ readonly atMs: number }>();
  #lastMs = -Infinity;
  #lastEndMs = -Infinity;

  /** @param now A monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
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

  /** Whether a request is under way that has begun a moment ago. */
  get areShort(): boolean {
    const afterMs = this.#now() - SHORT_REQUEST_MS;
    if (this.#lastMs <= afterMs) return false;
    for (const { atMs } of this.#starts) if (atMs > afterMs) return true;
    return false;
  }

  /** Whether several are under way: the work of one holds the others up. */
  get areSeveral(): boolean {
    return this.#starts.size > 1;
  }

  /** Whether a short request is under way, or its answer is still being sent. */
  get areNear(): boolean {
    return this.#now() - this.#lastEndMs < SENDING_MS || this.areShort;
  }

  /** Waits until no short request is under way, at most {@link MAX_GIVEN_WAY_MS}. */
  yieldToShort(): Promise<void> {
    return this.#waitWhile(() => this.areShort, MAX_GIVEN_WAY_MS);
  }

  /**
   * Waits until no request is under way, at most `limitMs` milliseconds: for work that nobody waits for. A
   * request for which that work is done must not be under way.
   */
  yieldToAll(limitMs: number): Promise<void> {
    return this.#waitWhile(() => this.#starts.size > 0, limitMs);
  }

  async #waitWhile(isBusy: () => boolean, limitMs: number): Promise<void> {
    const endMs = this.#now() + limitMs;
    while (isBusy() && this.#now() < endMs) await new Promise<void>((resume) => setTimeout(resume, 1));
  }
}

/** Those of this process: all work in one thread shares its time. */
export const requestsUnderWay: RequestsUnderWay = new RequestsUnderWay();
