/** A task is a computation with points where the scheduler may pause the computation. */
import { LONG_AFTER_MS, type Priority, Scheduler, scheduler, SLICE_MS } from "./scheduler.ts";

export interface TaskOptions {
  /** The default is the scheduler of this thread. */
  readonly scheduler?: Scheduler | undefined;
  /** All tasks of a group together get as much time as one task without a group. */
  readonly group?: string;
  /**
   * Called after each 25 ms of work, with the duration of the work in milliseconds. The time between two
   * possible pauses counts as work, but only up to 10 ms, because the task may have waited for something
   * else.
   */
  readonly onWork?: ((ms: number) => void) | undefined;
}

/** Duration of work after which `onWork` is called, in milliseconds. */
const WORK_REPORT_MS = 25;
/** Maximum time between two possible pauses that counts as work, in milliseconds. */
const MAX_STEP_MS = 10;

/**
 * An interruptible computation. After a step that yields `undefined`, the computation may pause. After a step
 * that yields a promise, the computation waits for the promise.
 */
export type Steps<T> = Generator<Promise<unknown> | undefined, T>;

/** Timeout of the wait of background work until no request is running, in milliseconds. */
const IDLE_TIMEOUT_MS = 100;

export class Task {
  readonly #scheduler: Scheduler;
  readonly #now: () => number;
  readonly #group: unknown;
  readonly #longFromMs: number;
  readonly #shortUntilMs: number;
  #turn = 0;
  #ownUntilMs = -Infinity;
  /** Time at which the task must wait for the next turn, even if this turn has time left. */
  #untilMs: number;
  readonly #onWork: ((ms: number) => void) | undefined;
  #workMs = 0;
  #workingSinceMs: number;
  #idleUntilMs = -Infinity;

  constructor(priority: Priority = "user-visible", options: TaskOptions = {}) {
    this.#scheduler = options.scheduler ?? scheduler;
    this.#group = options.group ?? this;
    this.#now = this.#scheduler.now;
    this.#onWork = options.onWork;
    const nowMs = this.#now();
    this.#workingSinceMs = nowMs;
    this.#longFromMs = nowMs + LONG_AFTER_MS[priority];
    this.#shortUntilMs = priority === "user-visible" ? this.#longFromMs : -Infinity;
    this.#untilMs = Math.max(this.#longFromMs, nowMs + SLICE_MS);
  }

  /** Returns a task that never pauses, for threads without other work. */
  static unbroken(): Task {
    return UNBROKEN;
  }

  /**
   * Lets the scheduler pause the task. Call this method between short steps, and await the result. Returns
   * `undefined` when the task may continue.
   */
  yield(): Promise<void> | undefined {
    const nowMs = this.#now();
    if (this.#onWork !== undefined) this.#countWork(nowMs, this.#onWork);
    const mayGoOn = nowMs < this.#scheduler.sliceEndMs || this.#scheduler.mayGoOn(nowMs);
    if (this.#turn !== this.#scheduler.turn) this.#beginOwnSlice(nowMs);
    if (mayGoOn && nowMs < this.#untilMs) return undefined;
    return nowMs < this.#ownUntilMs && nowMs < this.#shortUntilMs ? undefined : this.#wait(nowMs);
  }

  /** Lets shorter requests run first. Await the result before work that takes longer than most requests. */
  begin(): Promise<void> | undefined {
    return this.#scheduler.requests.areSeveral ? this.#wait(this.#now()) : undefined;
  }

  /**
   * Does the same as {@link yield}, but pauses until no request is running, for at most `timeoutMs`. The
   * first call always pauses, so that background work begins after the request.
   */
  idle(timeoutMs: number = IDLE_TIMEOUT_MS): Promise<void> | undefined {
    const nowMs = this.#now();
    if (nowMs < this.#idleUntilMs && this.#scheduler.mayGoOn(nowMs)) return undefined;
    return this.#scheduler.idle(timeoutMs).then(() => void (this.#idleUntilMs = this.#now() + SLICE_MS));
  }

  /**
   * Runs steps with possible pauses between them. Returns the result itself instead of a promise if no pause
   * was needed.
   */
  run<T>(steps: Steps<T>): T | Promise<T> {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      const pause = value ?? this.yield();
      if (pause !== undefined) return this.#runAfter(pause, steps);
    }
  }

  async #runAfter<T>(pause: Promise<unknown>, steps: Steps<T>): Promise<T> {
    await pause;
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      await (value ?? this.yield());
    }
  }

  #beginOwnSlice(nowMs: number): void {
    this.#turn = this.#scheduler.turn;
    this.#ownUntilMs = nowMs + SLICE_MS;
  }

  #countWork(nowMs: number, report: (ms: number) => void): void {
    this.#workMs += Math.min(nowMs - this.#workingSinceMs, MAX_STEP_MS);
    this.#workingSinceMs = nowMs;
    if (this.#workMs < WORK_REPORT_MS) return;
    report(this.#workMs);
    this.#workMs = 0;
  }

  async #wait(nowMs: number): Promise<void> {
    this.#goOn(await this.#scheduler.wait(this.#group, nowMs >= this.#longFromMs));
  }

  #goOn(nowMs: number): void {
    this.#untilMs = Math.max(this.#untilMs, nowMs + SLICE_MS);
    this.#workingSinceMs = nowMs;
    this.#beginOwnSlice(nowMs);
  }
}

const UNBROKEN = new Task("user-blocking", { scheduler: new Scheduler({ now: () => 0 }) });

/**
 * Runs steps without any pause.
 *
 * @throws {TypeError} when a step yields a promise.
 */
export function runSync<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (value !== undefined) throw new TypeError("Synchronous work cannot wait");
  }
}
