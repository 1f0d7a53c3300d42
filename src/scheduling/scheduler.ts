/**
 * The scheduler of a thread. In each turn of the event loop, one task works for a time slice, and each short
 * task works for a further time slice. Therefore a new request does not wait long, regardless of the number
 * of tasks.
 *
 * A task of a request becomes long after {@link SHORT_REQUEST_MS}. A background task is always long. Long
 * tasks wait while short requests are running, but get at least a fifth of the time of the thread.
 */
import { startSystemTimer, type StartTimer } from "../async/timer.ts";

/** Age up to which a request counts as short, in milliseconds. */
const SHORT_REQUEST_MS = 25;

/**
 * Time after the end of a request during which its response is probably still being sent, in milliseconds.
 */
const SENDING_MS = 10;

/**
 * Priorities of tasks, with the names that `scheduler.postTask` uses.
 *
 * - `user-blocking`: several requests share the result of the task, or others wait briefly for the task.
 * - `user-visible`: one request needs the result of the task.
 * - `background`: no request waits for the task.
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

/** Time between two pauses, in milliseconds. Some hosts accept new requests only in a pause. */
const PAUSE_AFTER_MS = 4;
/** Time between two pauses while several requests are running, in milliseconds. */
const PAUSE_BESIDE_MS = 2;
/** Length of a turn after which a pause follows, in milliseconds, while several requests are running. */
const LONG_TURN_MS = 1;

/** Maximum time between two slices of long tasks while short tasks are waiting, in milliseconds. */
const MAX_WAIT_MS = 8;

/**
 * Maximum number of bytes that tasks may read, decompress, copy and produce in one turn, which takes about
 * ten milliseconds. The second limit applies while several requests are running.
 */
const READ_BYTES = 4 * 2 ** 20;
const READ_BYTES_BESIDE = 2 ** 20;

/**
 * Time after which a timer that has not fired is treated as lost, in milliseconds. Some hosts (workerd) drop
 * the timers of a request after its response was sent.
 */
const LOST_TIMER_MS = 50;

export interface SchedulerHost {
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /**
   * Starts a timer with a delay of at least one millisecond. On Deno the delay is at least two milliseconds.
   */
  readonly startTimer: StartTimer;
  /** Calls a function in the next turn of the event loop, without a pause if possible. */
  readonly nextTick: (call: () => void) => void;
  /**
   * Whether the host checks for new requests in each turn of the event loop. Deno checks for new requests
   * only while it waits for a timer.
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

class Requests {
  /** The start time of each running request, the oldest first. */
  readonly #starts = new Set<{ readonly atMs: number }>();
  #lastMs = -Infinity;
  #lastEndMs = -Infinity;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a request as running until the returned function is called. */
  begin(): () => void {
    const start = { atMs: this.#lastMs = this.#now() };
    this.#starts.add(start);
    return () => {
      if (this.#starts.delete(start)) this.#lastEndMs = this.#now();
    };
  }

  get areAny(): boolean {
    return this.#starts.size > 0;
  }

  get areSeveral(): boolean {
    return this.#starts.size > 1;
  }

  /** Whether a request is running that began less than {@link SHORT_REQUEST_MS} ago. */
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

type Resume = (nowMs: number) => void;

/** Waiting tasks by group. Groups take turns, regardless of how many tasks each group has. */
class Line {
  /** The next task comes from the first group. */
  readonly #groups = new Map<unknown, Resume[]>();

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  add(group: unknown, resume: Resume): void {
    const waiting = this.#groups.get(group);
    if (waiting === undefined) this.#groups.set(group, [resume]);
    else waiting.push(resume);
  }

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
  /** Returns the time of the host's monotonic clock, in milliseconds. */
  readonly now: () => number;
  readonly #host: SchedulerHost;
  readonly requests: Requests;
  turn = 0;
  #hasTurn = false;
  /**
   * Time at which the slice of this turn ends, in milliseconds. A time in the past means that there is no
   * slice.
   */
  sliceEndMs = -Infinity;
  #readBytes = 0;
  #turnMs = Infinity;
  #workingSinceMs = Infinity;
  readonly #short = new Line();
  readonly #long = new Line();
  readonly #waits = new Set<{ readonly sinceMs: number }>();
  #longMs = -Infinity;
  #ordered: { readonly atMs: number } | undefined;

  constructor(host: Partial<SchedulerHost> = {}) {
    this.#host = { ...HOST, ...host };
    this.now = this.#host.now;
    this.requests = new Requests(this.now);
  }

  /** How long the oldest waiting task has been waiting, in milliseconds. */
  get delayMs(): number {
    const [oldest] = this.#waits;
    return oldest === undefined ? 0 : this.now() - oldest.sinceMs;
  }

  /** Checks whether the calling task may continue in this turn. Begins a turn if no turn has begun. */
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
   * Waits until no request is running, but at most for `timeoutMs`. The timer keeps the process alive,
   * because the closing of the API waits for background tasks.
   */
  async idle(timeoutMs: number): Promise<void> {
    const endMs = this.now() + timeoutMs;
    do await new Promise<void>((resume) => this.#host.startTimer(1, resume)); while (
      this.requests.areAny && this.now() < endMs
    );
  }

  /** Counts bytes that were read towards the limit of this turn. */
  countRead(bytes: number): void {
    if (!this.#hasTurn) this.#beginTurn(this.now());
    this.#readBytes += bytes;
    if (this.#hasReadAll) this.sliceEndMs = -Infinity;
  }

  /**
   * Returns `undefined` while more bytes may be read in this turn, otherwise a promise that is fulfilled in a
   * later turn. Call the method again in the later turn, because other tasks may already have read in that
   * turn.
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

  #orderEnd(): void {
    this.#order(this.#host.nextTick, () => this.#endTurn());
  }

  #order(start: (call: () => void) => void, call: () => void): void {
    const nowMs = this.now();
    if (this.#ordered !== undefined && this.#ordered.atMs > nowMs - LOST_TIMER_MS) return;
    // If a call was scheduled before, that call was lost or would happen too late.
    const ordered = this.#ordered = { atMs: nowMs };
    start(() => {
      if (this.#ordered !== ordered) return;
      this.#ordered = undefined;
      call();
    });
  }

  #endTurn(): void {
    this.sliceEndMs = -Infinity;
    this.#hasTurn = false;
    if (this.#short.isEmpty && this.#long.isEmpty) return;
    if (this.#isPauseDue || !this.#resumeNext()) this.#pause();
  }

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

  /** Begins a turn with the next task. Returns `false` when no task may work now. */
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
