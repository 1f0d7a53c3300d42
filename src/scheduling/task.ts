/** A task: a computation that says where it may pause. The scheduler decides whether it does. */
import { LONG_AFTER_MS, type Priority, Scheduler, scheduler, SLICE_MS } from "./scheduler.ts";

/** Options of a {@link Task}. */
export interface TaskOptions {
  /** The scheduler of this thread by default. */
  readonly scheduler?: Scheduler | undefined;
  /** Tasks of a group have together as much time as a task without one. */
  readonly group?: string;
  /**
   * Called when the task has worked for 25 ms more, with this time in milliseconds. The time between two
   * places where the task may pause counts as work, 10 ms of it at most: the task may have waited for
   * something else there.
   */
  readonly onWork?: ((ms: number) => void) | undefined;
}

/** Work of a task after which it is reported, in milliseconds. */
const WORK_REPORT_MS = 25;
/** Longest time between two places where a task may pause that counts as work, in milliseconds. */
const MAX_STEP_MS = 10;

/**
 * An interruptible computation. After a step that yields `undefined` it may be paused; after a step that
 * yields a promise it waits for the promise.
 */
export type Steps<T> = Generator<Promise<unknown> | undefined, T>;

/** Longest time that idle work waits for requests, in milliseconds. */
const IDLE_TIMEOUT_MS = 100;

/** A computation, from where its work begins to its end. */
export class Task {
  readonly #scheduler: Scheduler;
  readonly #now: () => number;
  readonly #group: unknown;
  /** When the task counts as long. */
  readonly #longFromMs: number;
  /** Until when the task has a slice of its own in each turn. */
  readonly #shortUntilMs: number;
  /** The last turn in which it worked, and the end of its own slice there. */
  #turn = 0;
  #ownUntilMs = -Infinity;
  /** When the task has to wait for a turn, even if this one has time left. */
  #untilMs: number;
  readonly #onWork: ((ms: number) => void) | undefined;
  /** Work that has not been reported, and since when the next piece of it goes on. */
  #workMs = 0;
  #workingSinceMs: number;
  /** When idle work has to look for requests again: at first before it begins. */
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

  /** A task that never pauses, for a thread that does nothing else meanwhile. */
  static unbroken(): Task {
    return UNBROKEN;
  }

  /**
   * A place where the task may pause: to be awaited between short steps. Returns `undefined` when it goes on.
   */
  yield(): Promise<void> | undefined {
    const nowMs = this.#now();
    if (this.#onWork !== undefined) this.#countWork(nowMs, this.#onWork);
    const mayGoOn = nowMs < this.#scheduler.sliceEndMs || this.#scheduler.mayGoOn(nowMs);
    if (this.#turn !== this.#scheduler.turn) this.#beginOwnSlice(nowMs);
    if (mayGoOn && nowMs < this.#untilMs) return undefined;
    return nowMs < this.#ownUntilMs && nowMs < this.#shortUntilMs ? undefined : this.#wait(nowMs);
  }

  /**
   * Lets requests pass that need less than this task, while several are under way. To be awaited before work
   * that takes longer than most requests.
   */
  begin(): Promise<void> | undefined {
    return this.#scheduler.requests.areSeveral ? this.#wait(this.#now()) : undefined;
  }

  /**
   * As {@link yield}, but pauses until no request is under way, for `timeoutMs` at most. The first place is
   * always a pause: what a request leaves to do begins after the request.
   */
  idle(timeoutMs: number = IDLE_TIMEOUT_MS): Promise<void> | undefined {
    const nowMs = this.#now();
    if (nowMs < this.#idleUntilMs && this.#scheduler.mayGoOn(nowMs)) return undefined;
    return this.#scheduler.idle(timeoutMs).then(() => void (this.#idleUntilMs = this.#now() + SLICE_MS));
  }

  /** Runs steps, and pauses between them. Returns the result itself, not a promise, if it never waits. */
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
    if (value !== undefined) throw new TypeError("Work that is done at once cannot wait");
  }
}
