/**
 * A pool of workers, started on demand, with a fair queue of jobs and a time limit for each job. Workers that
 * end are replaced.
 */
import { ApiError } from "../../errors.ts";
import { smallTable } from "../../cache/memory.ts";
import type { Environment } from "../../ports/environment.ts";
import {
  type Job,
  type Made,
  type MadeDiff,
  NoWorkersError,
  type Result,
  type RunningWorker,
  type StartWorker,
  type Workers,
} from "../../ports/workers.ts";
import { startUnrefTimer } from "../../async/unref_timer.ts";
import { FairQueue, groupsOf } from "../fair_queue.ts";
import { fromErrorText, type FromWorker, type ToWorker } from "./protocol.ts";

/**
 * Workers at a time. The second keeps one large job from holding up all others; more than processors would
 * only share them.
 */
export const DEFAULT_WORKERS = 2;
/**
 * Workers beyond {@link DEFAULT_WORKERS}, or the size that a host asks for, that are started for jobs of
 * which neither the repository nor the peer has another one under way: so jobs that take long do not have all
 * workers.
 */
export const RESERVED_WORKERS = 1;
/**
 * Jobs that wait for a worker. More are refused, of those repositories and peers first that have the most
 * waiting.
 */
export const MAX_WAITING_JOBS = 64;
/**
 * Time that a job waits for the workers there are before another one is started, in milliseconds: most are
 * done sooner than it would start.
 */
export const PATIENCE_MS = 250;
/** Time that a job may take, in milliseconds; then its worker is ended. */
export const JOB_LIMIT_MS = 10_000;
/**
 * Time that a job may still take when nobody waits for it any more, in milliseconds; then its worker is
 * ended.
 */
export const ABANDONED_LIMIT_MS = 1000;
/** Time that a worker may take to be ready, in milliseconds. */
export const START_LIMIT_MS = 20_000;
/** Time without work after which a worker is ended, unless it is the only one, in milliseconds. */
export const IDLE_LIMIT_MS = 60_000;
/**
 * Time without work after which the only worker is ended, in milliseconds: whoever asks next waits until
 * another one is ready.
 */
export const LAST_IDLE_LIMIT_MS = 15 * 60_000;
/** Time in which no worker is started after one could not be, in milliseconds. */
export const START_PAUSE_MS = 60_000;
/**
 * When a client that was refused may ask again, in seconds. What took too long, or cost a worker, is not
 * tried before.
 */
export const RETRY_SECONDS = 30;

/**
 * Time without a refusal for excess after which the next one is worth a line in the log again, in
 * milliseconds.
 */
const EXCESS_SILENCE_MS = 60_000;

/** Options of a pool. */
export interface WorkerPoolOptions {
  readonly startWorker: StartWorker;
  /** Workers at a time, at least 1; {@link DEFAULT_WORKERS} by default. */
  readonly size?: number;
  /** Hears of jobs that took too long, of workers that fail, and what workers have to say. */
  readonly log?: Environment["log"];
  /** The clock, milliseconds. */
  readonly now?: () => number;
  /**
   * Calls back after some milliseconds, unless what it returns is called before. Must not keep the process
   * from ending.
   */
  readonly setTimer?: (ms: number, callback: () => void) => () => void;
}

/** Workers of a host. */
export interface WorkerPool extends Workers {
  /** Starts a worker, if there is none, so that the first job need not wait for it. */
  warmUp(): void;
  /** Ends all workers; jobs fail from now on. */
  close(): void;
}

/**
 * Builds a pool; no worker is started yet.
 *
 * @example
 * ```ts
 * import { Worker } from "node:worker_threads";
 *
 * const workers = createWorkerPool({
 *   startWorker: ({ message, end }) => {
 *     const worker = new Worker(new URL("./worker.ts", import.meta.url));
 *     worker.on("message", message).on("error", end).on("exit", end);
 *     return {
 *       post: (message) => worker.postMessage(message),
 *       hold: (isNeeded) => isNeeded ? worker.ref() : worker.unref(),
 *       terminate: () => void worker.terminate(),
 *     };
 *   },
 * });
 * ```
 */
export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  return new Pool(options);
}

interface Task {
  readonly job: Job;
  readonly groups: readonly string[];
  resolve(made: Made | MadeDiff): void;
  reject(error: Error): void;
}

interface Seat {
  worker: RunningWorker | undefined;
  state: "starting" | "idle" | "busy";
  task: Task | undefined;
  cancelTimer: () => void;
}

class Pool implements WorkerPool {
  readonly #startWorker: StartWorker;
  readonly #size: number;
  readonly #log: Environment["log"];
  readonly #now: () => number;
  readonly #setTimer: NonNullable<WorkerPoolOptions["setTimer"]>;
  readonly #seats = new Set<Seat>();
  readonly #waiting: FairQueue<Task>;
  /**
   * Jobs that took too long or cost their worker, by description, and until when they are refused: for
   * {@link RETRY_SECONDS}.
   */
  readonly #refused = smallTable<string, { readonly error: ApiError; readonly until: number }>("refusedJobs");
  #startableFrom = 0;
  #lastFault = "";
  #silentUntil = 0;
  #calm: (() => void) | undefined;
  #isClosed = false;

  constructor({ startWorker, size, log, now, setTimer }: WorkerPoolOptions) {
    this.#startWorker = startWorker;
    this.#size = size ?? DEFAULT_WORKERS;
    this.#log = log ?? (() => {});
    this.#now = now ?? Date.now;
    this.#setTimer = setTimer ?? startUnrefTimer;
    this.#waiting = new FairQueue(MAX_WAITING_JOBS, () => this.#now());
  }

  run<J extends Job>(job: J, signal?: AbortSignal, peer?: string): Promise<Result<J>> {
    if (this.#isClosed) return Promise.reject(refusal("The service is ending"));
    const refused = this.#refused.get(describe(job));
    if (refused !== undefined && this.#now() < refused.until) return Promise.reject(refused.error);
    if (signal?.aborted) return Promise.reject(refusal(NOBODY_WAITS));
    return new Promise((resolve, reject) => {
      // Workers answer each kind of job with its kind of result.
      const done = resolve as Task["resolve"];
      const task: Task = { job, groups: groupsOf(job.rid, peer), resolve: done, reject };
      this.#waiting.add(task)?.reject(this.#refuseExcess());
      signal?.addEventListener("abort", () => this.#abandon(task), { once: true });
      this.#assign();
    });
  }

  warmUp(): void {
    if (!this.#isClosed && this.#seats.size === 0 && this.#mayStart) this.#start();
    this.#hold();
  }

  close(): void {
    this.#isClosed = true;
    this.#calm?.();
    for (const seat of [...this.#seats]) this.#end(seat);
    this.#refuseWaiting(refusal("The service is ending"));
  }

  get #mayStart(): boolean {
    return this.#now() >= this.#startableFrom;
  }

  get #isStarting(): boolean {
    return [...this.#seats].some(({ state }) => state === "starting");
  }

  /**
   * Whether there may be another worker: for all, or for jobs of repositories and peers that have none under
   * way.
   */
  get #mayGrow(): boolean {
    const excess = this.#seats.size - this.#size;
    if (excess < 0) return true;
    return excess < RESERVED_WORKERS && [...this.#waiting.values()].some((task) => this.#waiting.isNew(task));
  }

  /** Gives jobs that wait to workers that do not, and has others started when that takes too long. */
  #assign(): void {
    for (const seat of this.#seats) {
      if (seat.state === "idle") this.#giveNext(seat);
    }
    if (this.#waiting.length === 0) {
      this.#calm?.();
      this.#calm = undefined;
    } else if (this.#seats.size === 0) {
      if (this.#mayStart) this.#start();
      else this.#refuseWaiting(new NoWorkersError("No worker can be started"));
    } else if (this.#mayGrow && !this.#isStarting) {
      this.#calm ??= this.#setTimer(PATIENCE_MS, () => {
        this.#calm = undefined;
        if (this.#mayStart && this.#mayGrow) this.#start();
        this.#assign();
      });
    }
    this.#hold();
  }

  /** The process must not end while somebody waits. */
  #hold(): void {
    for (const { worker, state } of this.#seats) worker?.hold(state === "busy" || this.#waiting.length > 0);
  }

  #giveNext(seat: Seat): void {
    const busy = [...this.#seats].filter(({ state }) => state === "busy").length;
    const task = this.#waiting.next((task) => busy < this.#size || this.#waiting.isNew(task));
    if (task === undefined) return;
    this.#waiting.begin(task);
    seat.state = "busy";
    seat.task = task;
    this.#limit(seat, JOB_LIMIT_MS, () => this.#takeTooLong(seat));
    post(seat, { kind: "job", job: task.job });
  }

  #start(): void {
    const seat: Seat = { worker: undefined, state: "starting", task: undefined, cancelTimer: () => {} };
    this.#seats.add(seat);
    this.#limit(seat, START_LIMIT_MS, () => this.#lose(seat, new Error("It was not ready in time")));
    try {
      seat.worker = this.#startWorker({
        message: (message) => this.#hear(seat, message as FromWorker),
        end: (cause) => this.#seats.has(seat) && this.#lose(seat, cause),
      });
    } catch (cause) {
      this.#lose(seat, cause);
    }
  }

  #hear(seat: Seat, message: FromWorker): void {
    if (message.kind === "closed") seat.worker?.terminate();
    if (message.kind === "log") {
      const { level, cause } = message;
      this.#log(level, message.message, typeof cause === "object" ? fromErrorText(cause) : cause);
    }
    if (message.kind === "closed" || message.kind === "log" || !this.#seats.has(seat)) return;
    const { task } = seat;
    if (task !== undefined) this.#waiting.end(task);
    seat.task = undefined;
    seat.state = "idle";
    this.#limit(seat, IDLE_LIMIT_MS, () => this.#rest(seat));
    if (message.kind === "made") task?.resolve(message.made);
    if (message.kind === "failed") task?.reject(fromErrorText(message.error));
    if (message.kind !== "ready" && message.isWorn) {
      this.#retire(seat);
      this.warmUp();
    }
    this.#assign();
  }

  /** Drops a job for which nobody waits. When a worker has begun it, the worker is ended soon. */
  #abandon(task: Task): void {
    const seat = [...this.#seats].find((seat) => seat.task === task);
    if (this.#waiting.delete(task)) task.reject(refusal(NOBODY_WAITS));
    else if (seat !== undefined) {
      this.#limit(seat, ABANDONED_LIMIT_MS, () => {
        this.#end(seat);
        task.reject(refusal(NOBODY_WAITS));
        this.#assign();
      });
    }
  }

  #takeTooLong(seat: Seat): void {
    const { task } = seat;
    this.#end(seat);
    if (task === undefined) return;
    this.#log("warn", `${describe(task.job)} took longer than ${JOB_LIMIT_MS / 1000} seconds`);
    this.#refuse(task, refusal("This takes too long"));
    this.#assign();
  }

  /** Goes on without a worker that has ended, or could not start. */
  #lose(seat: Seat, cause: unknown): void {
    const { state, task } = seat;
    this.#end(seat);
    if (state === "starting") {
      this.#startableFrom = this.#now() + START_PAUSE_MS;
      const fault = String(cause);
      if (fault !== this.#lastFault) {
        this.#log("warn", "Diffs are made without workers: none can be started", cause);
      }
      this.#lastFault = fault;
    } else {
      this.#log("error", `A worker has ended${task ? `: ${describe(task.job)}` : ""}`, cause);
      if (task !== undefined) this.#refuse(task, refusal("This cannot be made"));
    }
    this.#assign();
  }

  /** Lets a worker go that has been idle, the only one later. */
  #rest(seat: Seat): void {
    if (this.#seats.size > 1) this.#retire(seat);
    else this.#limit(seat, LAST_IDLE_LIMIT_MS - IDLE_LIMIT_MS, () => this.#retire(seat));
  }

  /** Has an idle worker close its files; then it is ended. */
  #retire(seat: Seat): void {
    seat.cancelTimer();
    this.#seats.delete(seat);
    seat.worker?.hold(false);
    post(seat, { kind: "close" });
  }

  #end(seat: Seat): void {
    seat.cancelTimer();
    this.#seats.delete(seat);
    seat.worker?.terminate();
    if (seat.task !== undefined) this.#waiting.end(seat.task);
    if (this.#isClosed) seat.task?.reject(refusal("The service is ending"));
  }

  #limit(seat: Seat, ms: number, callback: () => void): void {
    seat.cancelTimer();
    seat.cancelTimer = this.#setTimer(ms, callback);
  }

  /** Refuses a job, also to those who ask again soon. */
  #refuse({ job, reject }: Task, error: ApiError): void {
    this.#refused.set(describe(job), { error, until: this.#now() + 1000 * RETRY_SECONDS });
    reject(error);
  }

  #refuseExcess(): ApiError {
    if (this.#now() >= this.#silentUntil) this.#log("warn", "Diffs are refused: too many are being made");
    this.#silentUntil = this.#now() + EXCESS_SILENCE_MS;
    return refusal("Too many diffs are being made");
  }

  #refuseWaiting(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

function post({ worker }: Seat, message: ToWorker): void {
  worker?.post(message);
}

const NOBODY_WAITS = "Nobody waits for it any more";

function refusal(message: string): ApiError {
  return new ApiError("unavailable", message, { retryAfterSeconds: RETRY_SECONDS });
}

function describe(job: Job): string {
  switch (job.kind) {
    case "diff":
      return `The diff of trees ${job.oldTree ?? "(none)"} and ${job.newTree} in ${job.rid}`;
    case "part":
      return `A part of a diff in ${job.rid}, ${job.batch.bytes.length} bytes of files from number ${job.batch.start} on,`;
    case "files":
      return `Showing ${job.oids.length} files of ${job.rid}, from ${job.oids[0]} on,`;
  }
}
