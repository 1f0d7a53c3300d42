/** A thread with an event loop and a clock that only its work and its timers move. */
import { setImmediate } from "node:timers";
import { type Priority, Scheduler, type SchedulerHost } from "../../src/scheduling/scheduler.ts";
import { Task } from "../../src/scheduling/task.ts";

interface Timer {
  readonly atMs: number;
  readonly call: () => void;
}

/** Longer than a task may work at once, in milliseconds. */
export const LONG_MS = 10;

export class FakeThread {
  nowMs = 0;
  /** Ticks that began with a timer, in which every host looks for what has come. */
  pauses = 0;
  /** Whether timers are lost that are set now, as workerd loses those of requests that have been answered. */
  losesTimers = false;
  #soon: (() => void)[] = [];
  readonly #timers = new Set<Timer>();
  readonly scheduler: Scheduler;

  /** @param pollsInTicks Whether the host looks for what has come in each tick. */
  constructor(pollsInTicks = false) {
    const startTimer = (ms: number, call: () => void) => {
      const timer = { atMs: this.nowMs + Math.max(ms, 1), call };
      if (!this.losesTimers) this.#timers.add(timer);
      return () => void this.#timers.delete(timer);
    };
    const host: SchedulerHost = {
      now: () => this.nowMs,
      startTimer,
      pollsInTicks,
      nextTick: (call) => void (this.losesTimers || this.#soon.push(call)),
    };
    this.scheduler = new Scheduler(host);
  }

  task(priority?: Priority, group?: string): Task {
    return new Task(priority, { scheduler: this.scheduler, ...group !== undefined && { group } });
  }

  /** One tick of the event loop: what is due, or else the next timer, for which the clock goes on. */
  async tick(): Promise<void> {
    const soon = this.#soon;
    this.#soon = [];
    if (soon.length === 0) {
      const next = Math.min(...[...this.#timers].map(({ atMs }) => atMs));
      if (next < Infinity) this.nowMs = Math.max(this.nowMs, next);
    }
    const due = [...this.#timers].filter(({ atMs }) => atMs <= this.nowMs);
    if (due.length > 0) this.pauses++;
    for (const call of soon) await runAlone(call);
    for (const timer of due) if (this.#timers.delete(timer)) await runAlone(timer.call);
  }

  /** Ticks until a promise is resolved; fails when it is not after 1,000. Returns the number of ticks. */
  async until(promise: Promise<unknown>): Promise<number> {
    let isOver = false;
    promise.then(() => isOver = true, () => isOver = true);
    await runAlone(() => {});
    let ticks = 0;
    for (; !isOver; ticks++) {
      if (ticks === 1000) throw new Error("It waits for ever");
      await this.tick();
    }
    await promise;
    return ticks;
  }
}

/** Calls a function, and waits for what it lets go on. */
async function runAlone(call: () => void): Promise<void> {
  call();
  await new Promise((resume) => setImmediate(resume));
}
