/** Measures whether a service is idle: no work waits in a queue, and timers are on time. */
import { scheduler } from "../../src/scheduling/scheduler.ts";
import type { ServiceFigures } from "../server/operator.ts";

/** Minimum delay of a timer or a waiting task for the thread to count as busy, in milliseconds. */
export const LATE_MS = 50;
/** Interval between two measurements of the timer delay, in milliseconds. */
const CHECK_MS = 20;
/** Time for which the measurement continues after the last use of {@link Load.isIdle}, in milliseconds. */
const WATCHED_MS = 10_000;

/** Measures the load of a service while `isIdle` is used. */
export class Load {
  readonly #figures: () => ServiceFigures;
  readonly #now: () => number;
  #dueMs = 0;
  #delayMs = 0;
  #watchedUntilMs = -Infinity;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param now Returns the time of a monotonic clock, in milliseconds. */
  constructor(figures: () => ServiceFigures, now: () => number = () => performance.now()) {
    this.#figures = figures;
    this.#now = now;
  }

  get isIdle(): boolean {
    const { workers, git, waiting = 0 } = this.#figures();
    if (waiting + (workers?.waiting ?? 0) + (git?.waiting ?? 0) > 0) return false;
    return Math.max(this.#timerDelayMs(), scheduler.delayMs) < LATE_MS;
  }

  /**
   * Returns the delay of the last timer, or the delay of the next timer if the next timer is already later.
   */
  #timerDelayMs(): number {
    const nowMs = this.#now();
    this.#watchedUntilMs = nowMs + WATCHED_MS;
    if (this.#timer === undefined) {
      this.#delayMs = 0;
      this.#dueMs = nowMs + CHECK_MS;
      this.#timer = setInterval(() => this.#check(), CHECK_MS);
      this.#timer.unref();
    }
    return Math.max(this.#delayMs, nowMs - this.#dueMs);
  }

  #check(): void {
    const nowMs = this.#now();
    this.#delayMs = nowMs - this.#dueMs;
    this.#dueMs = nowMs + CHECK_MS;
    if (nowMs < this.#watchedUntilMs) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
