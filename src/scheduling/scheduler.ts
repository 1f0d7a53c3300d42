/**
 * The scheduler of a thread. All tasks share the turns of the event loop. In each turn one task works for a
 * time slice, so that a new request waits for at most one slice, regardless of the number of tasks. In
 * addition, each short task has a separate slice in each turn, so that short work never waits.
 *
 * A task of a request is short until it has taken {@link SHORT_REQUEST_MS}. Then it is long. A background
 * task is long from its start. Long tasks wait while short requests are running, but they get at least a
 * fifth of the time of the thread.
 */
import { startSystemTimer, type StartTimer } from "../async/timer.ts";

/**
 * Time after its start in which a request is treated as short, in milliseconds. A request that takes longer
 * waits for long work, or is long work.
 */
const SHORT_REQUEST_MS = 25;

/**
 * Time after the end of a request in which its response is probably being sent, and in which the next request
 * of the same client may arrive, in milliseconds.
 */
const SENDING_MS = 10;

/**
 * Priorities of work, with the names that `scheduler.postTask` uses.
 *
 * - `user-blocking`: work that several requests share, or for which others wait briefly.
 * - `user-visible`: work of one request.
 * - `background`: work for which no request waits.
 */
export type Priority = "user-blocking" | "user-visible" | "background";

/** Time after which a task is long, in milliseconds. */
export const LONG_AFTER_MS: Readonly<Record<Priority, number>> = {
  "user-blocking": Infinity,
  "user-visible": SHORT_REQUEST_MS,
  background: 0,
};

/** Length of a time slice, in milliseconds. */
export const SLICE_MS = 2;

/**
 * Time between two pauses, in milliseconds. Pauses are needed because some hosts accept new requests only in
 * a pause.
 */
const PAUSE_AFTER_MS = 4;
/** Time between two pauses while several requests are running, in milliseconds. */
const PAUSE_BESIDE_MS = 2;
/** Length of a turn after which a pause follows while several requests are running, in milliseconds. */
const LONG_TURN_MS = 1;

/**
 * Maximum time between two slices of long tasks while there is short work, in milliseconds. Counted for all
 * long tasks together.
 */
const MAX_WAIT_MS = 8;

/**
 * Maximum number of bytes that may be read, decompressed, copied and produced in one turn, which takes about
 * ten milliseconds. The second limit applies while several requests are running.
 */
const READ_BYTES = 4 * 2 ** 20;
const READ_BYTES_BESIDE = 2 ** 20;

/**
 * Time after which a timer that has not fired is treated as lost, in milliseconds. Some hosts (workerd) drop
 * the timers of a request after the response was sent.
 */
const LOST_TIMER_MS = 50;

/** Clock and timers of a host. */
export interface SchedulerHost {
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Starts a timer. It waits for at least one millisecond, on Deno for at least two. */
  readonly startTimer: StartTimer;
  /** Calls a function in the next tick of the event loop, without a pause if possible. */
  readonly nextTick: (call: () => void) => void;
  /**
   * Whether the host checks for new input in each tick. Deno checks for new input only while it waits for a
   * timer.
   */
  readonly pollsInTicks: boolean;
}

const { setImmediate, navigator } = globalThis as {
  readonly setImmediate?: (call: () => void) => unknown;
  readonly navigator?: { readonly userAgent?: string };
};

const HOST: SchedulerHost = {
  now: () => performance.now(),
  startTimer: startSystemTimer,
  pollsInTicks: /^(?:Node\.js|Bun)\//.test(navigator?.userAgent ?? ""),
  nextTick: (call) => void (setImmediate === undefined ? startSystemTimer(0, call) : setImmediate(call)),
};

/** The running requests of a thread. */
class Requests {
  /** The start time of each request, the oldest first. */
  readonly #starts = new Set<{ readonly atMs: number }>();
  #lastMs = -Infinity;
  #lastEndMs = -Infinity;
  readonly #now: () => number;

  /** @param now A monotonic clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a request until the returned function is called. */
  begin(): () => void {
    const start = { atMs: this.#lastMs = this.#now() };
    this.#starts.add(start);
    return () => {
      if (this.#starts.delete(start)) this.#lastEndMs = this.#now();
    };
  }

  /** Whether any request is running. */
  get areAny(): boolean {
    return this.#starts.size > 0;
  }

  /** Whether several requests are running, so that the work of one request delays the others. */
  get areSeveral(): boolean {
    return this.#starts.size > 1;
  }

  /** Whether a short request is running ({@link SHORT_REQUEST_MS}). */
  get areShort(): boolean {
    const afterMs = this.#now() - SHORT_REQUEST_MS;
    if (this.#lastMs <= afterMs) return false;
    for (const { atMs } of this.#starts) if (atMs > afterMs) return true;
    return false;
  }

  /** Whether a short request is running, or a response is probably still being sent. */
  get areNear(): boolean {
    return this.#now() - this.#lastEndMs < SENDING_MS || this.areShort;
  }
}

/** Continues a waiting task. */
type Resume = (nowMs: number) => void;

/** Waiting tasks by group. The groups take turns, regardless of how many tasks each group has. */
class Line {
  /** The first group is next. */
  readonly #groups = new Map<unknown, Resume[]>();

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  add(group: unknown, resume: Resume): void {
    const waiting = this.#groups.get(group);
    if (waiting === undefined) this.#groups.set(group, [resume]);
    else waiting.push(resume);
  }

  /** Takes the first task of the next group, and moves the group to the end. */
  take(): Resume | undefined {
    const [next] = this.#groups;
    if (next === undefined) return undefined;
    const [group, waiting] = next;
    const resume = waiting.shift();
    this.#groups.delete(group);
    if (waiting.length > 0) this.#groups.set(group, waiting);
    return resume;
  }
}

/** Decides when each task works. */
export class Scheduler {
  /** The clock of the host, in milliseconds. */
  readonly now: () => number;
  readonly #host: SchedulerHost;
  readonly requests: Requests;
  /** Number of the current or last turn. */
  turn = 0;
  /** Whether any task has worked in this turn. */
  #hasTurn = false;
  /**
   * End of the slice of this turn. It is in the past when there is no slice, or when the slice is used up.
   */
  sliceEndMs = -Infinity;
  /** Number of bytes that were read in this turn. */
  #readBytes = 0;
  /** Start of the current or last turn, and start of the first turn since the last pause. */
  #turnMs = Infinity;
  #workingSinceMs = Infinity;
  readonly #short = new Line();
  readonly #long = new Line();
  /** Time since which each task waits, the oldest first. */
  readonly #waits = new Set<{ readonly sinceMs: number }>();
  /** Time of the last slice of a long task, or time at which the first long task began to wait. */
  #longMs = -Infinity;
  /** The scheduled end of a turn or of a pause, until it happens. */
  #ordered: { readonly atMs: number } | undefined;

  constructor(host: Partial<SchedulerHost> = {}) {
    this.#host = { ...HOST, ...host };
    this.now = this.#host.now;
    this.requests = new Requests(this.now);
  }

  /** Time for which the oldest waiting task has been waiting, in milliseconds. */
  get delayMs(): number {
    const [oldest] = this.#waits;
    return oldest === undefined ? 0 : this.now() - oldest.sinceMs;
  }

  /** Checks whether work may continue in this turn. A turn begins with its first work. */
  mayGoOn(nowMs: number): boolean {
    if (!this.#hasTurn) this.#beginTurn(nowMs);
    return nowMs < this.sliceEndMs;
  }

  wait(group: unknown, isLong: boolean): Promise<number> {
    return new Promise((resolve) => {
      // Each waiting task has a separate timer, because the timers of other tasks may be lost.
      let stop: () => void;
      const watch = () => {
        stop = this.#host.startTimer(LOST_TIMER_MS, () => (watch(), this.#orderEnd()));
      };
      watch();
      const wait = { sinceMs: this.now() };
      this.#waits.add(wait);
      this.#add(isLong, group, (nowMs) => {
        stop();
        this.#waits.delete(wait);
        resolve(nowMs);
      });
    });
  }

  /**
   * Waits until no request is running, but at most for `timeoutMs`. Closing the API waits for the end of such
   * work, so the timer keeps the process alive.
   */
  async idle(timeoutMs: number): Promise<void> {
    const endMs = this.now() + timeoutMs;
    do await new Promise<void>((resume) => this.#host.startTimer(1, resume)); while (
      this.requests.areAny && this.now() < endMs
    );
  }

  /** Adds a number of bytes that were read to the work of this turn. */
  countRead(bytes: number): void {
    if (!this.#hasTurn) this.#beginTurn(this.now());
    this.#readBytes += bytes;
    if (this.#hasReadAll) this.sliceEndMs = -Infinity;
  }

  /**
   * Returns `undefined` while more may be read in this turn, otherwise a promise that is fulfilled in a later
   * turn. Call this method again in the later turn, because other tasks may already have read in that turn.
   */
  readLater(): Promise<unknown> | undefined {
    return this.#hasReadAll ? this.wait(this, false) : undefined;
  }

  get #hasReadAll(): boolean {
    return this.#readBytes >= READ_BYTES_BESIDE &&
      (this.#readBytes >= READ_BYTES || this.requests.areSeveral);
  }

  #beginTurn(nowMs: number): void {
    this.#hasTurn = true;
    this.turn++;
    this.sliceEndMs = nowMs + SLICE_MS;
    this.#readBytes = 0;
    this.#turnMs = nowMs;
    this.#workingSinceMs = Math.min(this.#workingSinceMs, nowMs);
    this.#orderEnd();
  }

  #add(isLong: boolean, group: unknown, resume: Resume): void {
    if (isLong && this.#long.isEmpty) this.#longMs = Math.max(this.#longMs, this.now());
    (isLong ? this.#long : this.#short).add(group, resume);
    this.#orderEnd();
  }

  /** Schedules the end of the turn for the next tick. */
  #orderEnd(): void {
    this.#order(this.#host.nextTick, () => this.#endTurn());
  }

  /** Schedules a call, unless a call is scheduled already. */
  #order(start: (call: () => void) => void, call: () => void): void {
    const nowMs = this.now();
    if (this.#ordered !== undefined && this.#ordered.atMs > nowMs - LOST_TIMER_MS) return;
    // If a call was scheduled before, this call was lost or would happen too late.
    const ordered = this.#ordered = { atMs: nowMs };
    start(() => {
      if (this.#ordered !== ordered) return;
      this.#ordered = undefined;
      call();
    });
  }

  /** Ends a turn. If a task waits, the next turn begins, possibly after a pause. */
  #endTurn(): void {
    this.sliceEndMs = -Infinity;
    this.#hasTurn = false;
    if (this.#short.isEmpty && this.#long.isEmpty) return;
    if (this.#isPauseDue || !this.#resumeNext()) this.#pause();
  }

  /** Whether a pause is due before the next turn. */
  get #isPauseDue(): boolean {
    if (this.#host.pollsInTicks) return false;
    const nowMs = this.now();
    const workedMs = nowMs - this.#workingSinceMs;
    return workedMs >= PAUSE_AFTER_MS ||
      this.requests.areSeveral && (workedMs >= PAUSE_BESIDE_MS || nowMs - this.#turnMs >= LONG_TURN_MS) ||
      this.#short.isEmpty && this.requests.areNear;
  }

  #pause(): void {
    this.#order((call) => this.#host.startTimer(0, call), () => {
      this.#workingSinceMs = Infinity;
      if (!this.#resumeNext()) this.#pause();
    });
  }

  /** Begins a turn with the next task. Returns `false` when all tasks must wait. */
  #resumeNext(): boolean {
    const nowMs = this.now();
    const hasWaited = nowMs - this.#longMs >= MAX_WAIT_MS;
    const mayLong = hasWaited || this.#short.isEmpty && !this.requests.areShort;
    const resumeLong = mayLong ? this.#long.take() : undefined;
    if (resumeLong !== undefined) this.#longMs = nowMs;
    const resume = resumeLong ?? this.#short.take();
    if (resume === undefined) return false;
    this.#beginTurn(nowMs);
    resume(nowMs);
    return true;
  }
}

/** The scheduler of this thread. */
export const scheduler: Scheduler = new Scheduler();
