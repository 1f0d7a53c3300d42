/** Long work in time slices, so that other requests are answered in between. */

/** How long work goes on before others get their turn, in milliseconds. */
export const SLICE_MS = 5;

const monotonicMs = () => performance.now();

/**
 * Long work, perhaps in several pieces at a time, each of a group. Groups have their turns one after the
 * other, however many pieces each has.
 */
export class TimeSlices {
  readonly #now: () => number;
  #startedMs: number;
  /** The group whose turn it is. */
  #group = "";
  #pieces = 0;
  /** Resumes waiting pieces, by group. The group at the front has the next turn. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isNextDue = false;

  /** @param now a monotonic clock in milliseconds. */
  constructor(now: () => number = monotonicMs) {
    this.#now = now;
    this.#startedMs = now();
  }

  /** Does a piece of work. Its first turn begins now, unless other pieces are in the midst of one. */
  async run<T>(piece: () => Promise<T>, group = ""): Promise<T> {
    if (this.#pieces++ === 0) this.#begin(group);
    try {
      return await piece();
    } finally {
      this.#pieces--;
      if (this.#hasTurn(group)) this.#letOneGoOn(group);
    }
  }

  /** Does work in turns of the group; when it needs no pause, the result is there at once. */
  do<T>(steps: Steps<T>, group = ""): T | Promise<T> {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      const pause = value ?? this.next(group);
      if (pause !== undefined) return this.#goOn(steps, pause, group);
    }
  }

  /**
   * Lets others through when the turn is over, or another group's; to be awaited between steps that are short
   * themselves.
   */
  next(group = ""): Promise<void> | undefined {
    if (this.#hasTurn(group)) return undefined;
    const turn = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(group);
    if (waiting === undefined) this.#waiting.set(group, [turn.resolve]);
    else waiting.push(turn.resolve);
    this.#callNext();
    return turn.promise;
  }

  async #goOn<T>(steps: Steps<T>, pause: Promise<unknown>, group: string): Promise<T> {
    await pause;
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      await (value ?? this.next(group));
    }
  }

  #hasTurn(group: string): boolean {
    return group === this.#group && this.#now() - this.#startedMs < SLICE_MS;
  }

  #begin(group: string): void {
    this.#group = group;
    this.#startedMs = this.#now();
  }

  #callNext(): void {
    if (this.#isNextDue) return;
    this.#isNextDue = true;
    setTimeout(() => {
      this.#isNextDue = false;
      const [group] = this.#waiting.keys();
      if (group === undefined) return;
      this.#begin(group);
      this.#letOneGoOn(group);
      if (this.#waiting.size > 0) this.#callNext();
    }, 0);
  }

  /** Ends the wait of the group's first piece; the group's next turn is behind those of all others. */
  #letOneGoOn(group: string): void {
    const waiting = this.#waiting.get(group);
    const goOn = waiting?.shift();
    if (waiting === undefined || goOn === undefined) return;
    this.#waiting.delete(group);
    if (waiting.length > 0) this.#waiting.set(group, waiting);
    goOn();
  }
}

/**
 * Work that can stop: a step that yields nothing may be followed by a pause, one that yields a promise waits
 * for it.
 */
export type Steps<T> = Generator<Promise<unknown> | undefined, T>;

/** Does work in time slices of its own; when it ends within the first, the result is there at once. */
export function inSlices<T>(steps: Steps<T>, now: () => number = monotonicMs): T | Promise<T> {
  return new TimeSlices(now).do(steps);
}

/** Does work without any pause; it must not wait for anything. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (value !== undefined) throw new TypeError("Work that is done at once cannot wait");
  }
}
