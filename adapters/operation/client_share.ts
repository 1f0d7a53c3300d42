/**
 * Shares of expensive requests, by the generic cell rate algorithm: of each client one time is stored,
 * that at which its share is whole again.
 */

/** Seconds of its share that a client may use up at once. */
export const BURST_SECONDS = 30;
/** Expensive requests of a client a second, in the long run, unless an operator says otherwise. */
export const CLIENT_RATE = 8;
/** So many times the share of a client is that of all who cannot be told apart, together. */
export const TOGETHER_FACTOR = 10;
/** Most clients of which it is stored, those that have asked last; others have their whole share. */
export const MAX_CLIENTS = 10_000;

/** Key of all clients that cannot be told apart. */
export const TOGETHER = "together";

/** The shares of all clients. */
export class ClientShares {
  /** Requests a second of one client. */
  readonly #rate: number;
  readonly #now: () => number;
  /** When the share of a client is whole again, in milliseconds; who has asked last stands last. */
  readonly #wholeMs = new Map<string, number>();

  /** @param now A monotonic clock in milliseconds. */
  constructor(rate: number = CLIENT_RATE, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Number of clients that have used some of their shares, at most {@link MAX_CLIENTS}. */
  get size(): number {
    return this.#wholeMs.size;
  }

  /** Takes one request from a share; the time until there is room for one, in seconds, if there is none. */
  take(key: string): number | undefined {
    const factor = key === TOGETHER ? TOGETHER_FACTOR : 1;
    const stepMs = 1000 / (this.#rate * factor);
    const nowMs = this.#now();
    const wholeMs = Math.max(this.#wholeMs.get(key) ?? nowMs, nowMs);
    this.#wholeMs.delete(key);
    const waitMs = wholeMs + stepMs - nowMs - 1000 * BURST_SECONDS;
    // Sums of steps are not exact.
    const isOver = waitMs > stepMs / 1000;
    this.#wholeMs.set(key, isOver ? wholeMs : wholeMs + stepMs);
    if (this.#wholeMs.size > MAX_CLIENTS) this.#wholeMs.delete(this.#wholeMs.keys().next().value!);
    return isOver ? waitMs / 1000 : undefined;
  }
}
