/** Whether a service has time: no work waits in a queue, and its thread is not late. */
import { scheduler } from "../../src/scheduling/scheduler.ts";
import type { ServiceFigures } from "../server/operator.ts";

/** Delay of timers, and of tasks that wait for their turn, at which a thread is late, in milliseconds. */
export const LATE_MS = 50;
/** Time between two looks at the delay of timers, in milliseconds. */
const LOOK_MS = 20;
/** Time after the last question in which it is still looked, in milliseconds. */
const WATCHED_MS = 10_000;

/** Watches a service while somebody asks. */
export class Load {
  readonly #figures: () => ServiceFigures;
  readonly #now: () => number;
  #dueMs = 0;
  #delayMs = 0;
  #watchedUntilMs = -Infinity;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param now A monotonic clock in milliseconds. */
  constructor(figures: () => ServiceFigures, now: () => number = () => performance.now()) {
    this.#figures = figures;
    this.#now = now;
  }

  /** Whether the service has time for more work. */
  get isIdle(): boolean {
    const { workers, git, waiting = 0 } = this.#figures();
    if (waiting + (workers?.waiting ?? 0) + (git?.waiting ?? 0) > 0) return false;
    return Math.max(this.#timerDelayMs(), scheduler.delayMs) < LATE_MS;
  }

  /** How late the last timer was, or the next one is by now. */
  #timerDelayMs(): number {
    const nowMs = this.#now();
    this.#watchedUntilMs = nowMs + WATCHED_MS;
    if (this.#timer === undefined) {
      this.#delayMs = 0;
      this.#dueMs = nowMs + LOOK_MS;
      this.#timer = setInterval(() => this.#look(), LOOK_MS);
      this.#timer.unref();
    }
    return Math.max(this.#delayMs, nowMs - this.#dueMs);
  }

  #look(): void {
    const nowMs = this.#now();
    this.#delayMs = nowMs - this.#dueMs;
    this.#dueMs = nowMs + LOOK_MS;
    if (nowMs < this.#watchedUntilMs) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
