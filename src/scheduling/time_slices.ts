/** Time slices: long computations yield after some milliseconds, so that other requests are answered. */
import { type RequestsUnderWay, requestsUnderWay, SHORT_REQUEST_MS } from "./requests_under_way.ts";
import { SliceTurns } from "./slice_turns.ts";

/**
 * Length of a time slice, in milliseconds: what comes meanwhile, such as the work that a worker has done,
 * waits no longer.
 */
export const SLICE_MS = 2;

/**
 * Time after which a computation that waits, while no slice begins, sets the timer again, in milliseconds.
 * Some hosts (workerd) drop the timers of a request that has been answered.
 */
export const LOST_TIMER_MS = 50;

const monotonicMs = () => performance.now();

/** The turns of this thread. */
const threadTurns = new SliceTurns(monotonicMs, requestsUnderWay);

function turnsOf(now: () => number, requests: RequestsUnderWay): SliceTurns {
  return now === monotonicMs && requests === requestsUnderWay ? threadTurns : new SliceTurns(now, requests);
}

/** Options of {@link TimeSlices}. */
export interface SliceOptions {
  /** The turns of the thread. */
  readonly turns?: SliceTurns;
  /**
   * Time after which the work gives way to short requests, in milliseconds: never for work of many requests,
   * at once in the background.
   */
  readonly longAfterMs?: number;
}

/**
 * Divides the time among computations. Each belongs to a group. The groups get time slices in rotation,
 * however many computations each has.
 *
 * Long work gives way to short requests: its slices begin when none is under way, or after a while (see
 * {@link SliceTurns}). A request that is short itself is younger than any work that counts as long.
 */
export class TimeSlices {
  readonly #now: () => number;
  #startedMs: number;
  /** The group of the current slice. */
  #group = "";
  #running = 0;
  /** Functions that resume the waiting computations, by group. The first group gets the next slice. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isSliceDue = false;
  readonly #turns: SliceTurns;
  /** When the work counts as long, by the clock. */
  readonly #longFromMs: number;

  /** @param now A monotonic clock in milliseconds. */
  constructor(now: () => number = monotonicMs, { turns, longAfterMs = SHORT_REQUEST_MS }: SliceOptions = {}) {
    this.#now = now;
    this.#startedMs = now();
    this.#turns = turns ?? turnsOf(now, requestsUnderWay);
    this.#longFromMs = this.#startedMs + longAfterMs;
  }

  /**
   * Slices of work in the background, or of work for which one request waits and others need not: it gives
   * way from the beginning.
   */
  static inBackground(now: () => number = monotonicMs, requests = requestsUnderWay): TimeSlices {
    return new TimeSlices(now, { turns: turnsOf(now, requests), longAfterMs: 0 });
  }

  /** One slice without an end, for a thread that does nothing else meanwhile. */
  static unbroken(): TimeSlices {
    return new TimeSlices(() => 0);
  }

  /** Slices of the work of many requests, some of them short. */
  static ofMany(now: () => number = monotonicMs): TimeSlices {
    return new TimeSlices(now, { longAfterMs: Infinity });
  }

  /**
   * Runs a computation that calls {@link next}. If no other one is running, a slice of the group begins; many
   * short computations in one turn of the event loop have one slice together, unless several requests are
   * under way: a pause after each slice would cost a third of the time then.
   */
  async run<T>(computation: () => Promise<T>, group = ""): Promise<T> {
    if (this.#running++ === 0) {
      this.#begin(group);
      if (!this.#turns.requests.areSeveral) this.#startedMs = this.#turns.count(this.#startedMs);
    }
    try {
      return await computation();
    } finally {
      this.#running--;
      if (this.#hasSlice(group)) this.#resumeOne(group);
    }
  }

  /** Runs steps in slices of the group. Returns the result itself, not a promise, if the steps never wait. */
  do<T>(steps: Steps<T>, group = ""): T | Promise<T> {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      const pause = value ?? this.next(group);
      if (pause !== undefined) return this.#goOn(steps, pause, group);
    }
  }

  /**
   * Yields if the current slice is over or belongs to another group. To be awaited between short steps;
   * returns `undefined` while the slice lasts.
   */
  next(group = ""): Promise<void> | undefined {
    if (this.#hasSlice(group)) return undefined;
    this.#turns.count(this.#startedMs);
    return this.#wait(group);
  }

  /**
   * Waits for the first slice if several requests are under way. To be awaited before work that takes longer
   * than most requests; returns `undefined` when it may begin at once.
   */
  begin(): Promise<void> | undefined {
    return this.#turns.requests.areSeveral ? this.#wait("") : undefined;
  }

  #wait(group: string): Promise<void> {
    const slice = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(group);
    let { fired } = this.#turns;
    const watch = () => {
      if (fired === this.#turns.fired) this.#turns.wake();
      fired = this.#turns.fired;
      timer = setTimeout(watch, LOST_TIMER_MS);
    };
    let timer = setTimeout(watch, LOST_TIMER_MS);
    const resume = () => {
      clearTimeout(timer);
      slice.resolve();
    };
    if (waiting === undefined) this.#waiting.set(group, [resume]);
    else waiting.push(resume);
    this.#beginNext();
    return slice.promise;
  }

  async #goOn<T>(steps: Steps<T>, pause: Promise<unknown>, group: string): Promise<T> {
    await pause;
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      await (value ?? this.next(group));
    }
  }

  #hasSlice(group: string): boolean {
    return group === this.#group && this.#now() - this.#startedMs < SLICE_MS;
  }

  #begin(group: string): void {
    this.#group = group;
    this.#startedMs = this.#now();
  }

  #beginNext(): void {
    if (this.#isSliceDue) return;
    this.#isSliceDue = true;
    this.#turns.enter(() => this.#resumeNext(), this.#now() >= this.#longFromMs);
  }

  /** Begins a slice of the group whose turn it is. */
  #resumeNext(): void {
    this.#isSliceDue = false;
    const [group] = this.#waiting.keys();
    if (group === undefined) return;
    this.#begin(group);
    this.#resumeOne(group);
    if (this.#waiting.size > 0) this.#beginNext();
  }

  /** Resumes the group's first waiting computation, and moves the group behind all other groups. */
  #resumeOne(group: string): void {
    const waiting = this.#waiting.get(group);
    const resume = waiting?.shift();
    if (waiting === undefined || resume === undefined) return;
    this.#waiting.delete(group);
    if (waiting.length > 0) this.#waiting.set(group, waiting);
    resume();
  }
}

/**
 * An interruptible computation. After a step that yields `undefined` it may be paused; after a step that
 * yields a promise it waits for the promise.
 */
export type Steps<T> = Generator<Promise<unknown> | undefined, T>;

/** Runs steps in their own time slices. Returns the result itself, not a promise, if they never wait. */
export function inSlices<T>(steps: Steps<T>, now: () => number = monotonicMs): T | Promise<T> {
  return new TimeSlices(now).do(steps);
}

/**
 * Runs steps without any pause.
 *
 * @throws {TypeError} when a step yields a promise.
 */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (value !== undefined) throw new TypeError("Work that is done at once cannot wait");
  }
}
