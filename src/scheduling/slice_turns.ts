/**
 * Turns of the event loop. All computations of a thread together get about one time slice in each, so that a
 * request waits for one slice however many computations there are.
 */
import type { RequestsUnderWay } from "./requests_under_way.ts";

/** Time after which no further slice begins in a turn, in milliseconds. */
export const TURN_MS = 2;

/**
 * Longest time that long work waits for short requests before a slice of {@link TURN_MS}, in
 * milliseconds: it has a fifth of the thread, however many short requests come.
 */
export const MAX_WAIT_MS = 8;

/** Turns that may follow each other at once. Some runtimes (Deno) look for what has come only in a pause. */
export const TURNS_AT_ONCE = 2;

/**
 * Calls back in the next turn at once, where the runtime can; a timer waits for one millisecond at least, and
 * on Deno for two.
 */
const nextTurn = (globalThis as { readonly setImmediate?: (call: () => void) => unknown }).setImmediate;

/** Begins a time slice. */
type Begin = () => void;

/** Begins the time slices of a thread: several in one turn only while they are short. */
export class SliceTurns {
  readonly #now: () => number;
  /** The requests of the thread. */
  readonly requests: RequestsUnderWay;
  /** The start of the first slice of this turn, in milliseconds. */
  #turn: { readonly startedMs: number } | undefined;
  readonly #interactive: Begin[] = [];
  /** Those that give way to short requests. */
  readonly #background: Begin[] = [];
  /** When a background one had its slice, or began to wait for the first. */
  #backgroundMs = -Infinity;
  /** Turns since the last pause. */
  #turns = 0;
  /** Timers that are set. */
  #timers = 0;
  #fired = 0;

  /** @param now A monotonic clock in milliseconds. */
  constructor(now: () => number, requests: RequestsUnderWay) {
    this.#now = now;
    this.requests = requests;
  }

  /** Grows with each timer that fires. */
  get fired(): number {
    return this.#fired;
  }

  /**
   * Begins a slice in a later turn, first come, first served.
   *
   * @param givesWay Whether it waits until no short request is under way, {@link MAX_WAIT_MS} at most
   *     for all of these slices together.
   */
  enter(begin: Begin, givesWay: boolean): void {
    if (givesWay && this.#background.length === 0) {
      this.#backgroundMs = Math.max(this.#backgroundMs, this.#now());
    }
    (givesWay ? this.#background : this.#interactive).push(begin);
    this.#setTimers();
  }

  /** Counts a slice that did not {@link enter}: the first one of a computation. Returns its turn's start. */
  count(startedMs: number): number {
    if (this.#turn === undefined) {
      const turn = this.#turn = { startedMs };
      this.#turns++;
      this.#soon(() => this.#end(turn));
    }
    return this.#turn.startedMs;
  }

  /** Sets timers anew: some hosts (workerd) drop the timers of a request that has been answered. */
  wake(): void {
    this.#timers = 0;
    this.#setTimers();
  }

  /**
   * Calls back in the next turn. There is a pause before it now and then, while several requests are under
   * way, and before long work while short ones are near: in it their files are read, and what they send and
   * receive is passed on.
   */
  #soon(call: () => void): void {
    const { areSeveral, areNear } = this.requests;
    const isPauseDue = areSeveral || this.#turns >= TURNS_AT_ONCE ||
      this.#interactive.length === 0 && areNear;
    if (!isPauseDue && nextTurn !== undefined) return void nextTurn(call);
    setTimeout(() => {
      this.#turns = 0;
      call();
    }, 0);
  }

  /** A timer for each slice: all of them may begin in one turn. */
  #setTimers(): void {
    while (this.#timers < this.#interactive.length + this.#background.length) {
      this.#soon(this.#timer());
    }
  }

  /** Returns what a timer does that is set now. */
  #timer(): () => void {
    const turn = this.#turn;
    this.#timers++;
    return () => {
      this.#timers--;
      this.#fired++;
      // This timer fires after the turn in which it was set; the one that ends the turn may be lost.
      if (turn !== undefined) this.#end(turn);
      this.#beginFirst();
    };
  }

  #beginFirst(): void {
    const nowMs = this.#now();
    if (this.#turn !== undefined && nowMs - this.#turn.startedMs >= TURN_MS) return this.#setTimers();
    const hasWaited = nowMs - this.#backgroundMs >= MAX_WAIT_MS;
    if (this.#interactive.length === 0 && this.requests.areShort && !hasWaited) {
      if (this.#timers === 0) setTimeout(this.#timer(), 0);
      return;
    }
    const isBackground = this.#background.length > 0 && (hasWaited || this.#interactive.length === 0);
    const begin = (isBackground ? this.#background : this.#interactive).shift();
    if (begin === undefined) return;
    if (isBackground) this.#backgroundMs = nowMs;
    this.count(nowMs);
    this.#setTimers();
    begin();
  }

  #end(turn: { readonly startedMs: number }): void {
    if (this.#turn === turn) this.#turn = undefined;
  }
}
