/** A clock that only a test moves, and its timers. */
import type { StartTimer } from "../../src/async/timer.ts";

/** A clock and its timers. */
export class FakeTimers {
  nowMs = 0;
  readonly #timers = new Set<{ readonly atMs: number; readonly call: () => void }>();

  readonly startTimer: StartTimer = (ms, call) => {
    const timer = { atMs: this.nowMs + ms, call };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  readonly now = (): number => this.nowMs;

  /** Timers that have neither fired nor been stopped. */
  get running(): number {
    return this.#timers.size;
  }

  /**
   * Moves the clock forward, from one timer to the next. After each timer, all work is done that waits for
   * nothing else.
   */
  async advance(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    for (;;) {
      await settle();
      const nextMs = Math.min(...[...this.#timers].map(({ atMs }) => atMs));
      if (nextMs > endMs) break;
      this.nowMs = nextMs;
      for (const timer of this.#timers) {
        if (timer.atMs === nextMs && this.#timers.delete(timer)) timer.call();
      }
    }
    this.nowMs = endMs;
    await settle();
  }
}

/** Runs promises and the event loop until nothing is left to do. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
}
