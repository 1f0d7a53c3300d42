/** A pool of workers with a fair queue of jobs. Workers start when there are jobs. Each job has a timeout. */
import { startUnrefTimer, within } from "../../async/timer.ts";
import { type Concurrency, Limiter } from "../../scheduling/limiter.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { Environment } from "../../ports/environment.ts";
import type { HistoryOutcome } from "../../ports/made_history.ts";
import {
  type Job,
  NoWorkersError,
  type Result,
  type StartWorker,
  type WorkerFigures,
  type Workers,
} from "../../ports/workers.ts";
import { HistoryWorker } from "./history_worker.ts";
import { fromErrorText, type FromWorker } from "./protocol.ts";
import { CLOSED, describeJob, NOBODY_WAITS, refusal, Refusals } from "./refusals.ts";
import { type SetTimer, type WorkerJob, WorkerSlot } from "./worker_slot.ts";

/** Default number of workers. With two workers, one long job does not delay all other jobs. */
export const DEFAULT_WORKERS = 2;
/**
 * Number of workers in addition to the size of the pool. These workers run a job only if its repository and
 * its client have no running job. Therefore long jobs of one repository or client cannot occupy all workers.
 */
export const RESERVED_WORKERS = 1;
/**
 * Maximum number of jobs in the queue. When the queue is full, a job of the repository or client with the
 * most waiting jobs is refused.
 */
export const MAX_WAITING_JOBS = 64;
/**
 * Time that a job waits for the running workers before another worker starts, in milliseconds. Most jobs take
 * less time than the start of a worker. Each worker takes 50 to 100 MB of memory.
 */
const GROWTH_TIMEOUT_MS = 250;
/** Timeout of a job, in milliseconds. After the timeout, the worker of the job is ended. */
export const JOB_LIMIT_MS = 10_000;
/** Maximum time that a job continues after all its clients have disconnected, in milliseconds. */
const ABANDONED_LIMIT_MS = 1000;
/** Maximum time that a closed pool waits for its workers, in milliseconds. */
const END_LIMIT_MS = 1000;
/** Timeout for the start of a worker, in milliseconds. */
export const START_LIMIT_MS = 20_000;
/**
 * Time without jobs after which a worker is ended, in milliseconds. For the only worker of a pool,
 * {@link LAST_IDLE_LIMIT_MS} applies.
 */
const IDLE_LIMIT_MS = 15_000;
/** Time without jobs after which the only worker is ended, in milliseconds. */
const LAST_IDLE_LIMIT_MS = 15 * 60_000;
/**
 * First and maximum delay before another worker is started after a failed start, in milliseconds. The delay
 * doubles with each further failure.
 */
const [FIRST_START_PAUSE_MS, MAX_START_PAUSE_MS] = [5000, 300_000];

/** Options of a pool: how workers start, and the number of workers. */
export interface WorkerPoolOptions {
  readonly startWorker: StartWorker;
  /** Maximum number of workers, at least 1; {@link DEFAULT_WORKERS} by default. */
  readonly size?: number;
  /** Logs jobs that took too long, failures of workers, and the messages of workers. */
  readonly log?: Environment["log"];
  /**
   * Number of processors of the machine, including the processor of this thread. The default is read from
   * `navigator` and is at least 2.
   */
  readonly processors?: number;
  /** Returns the current time in milliseconds. */
  readonly now?: () => number;
  /**
   * Calls `callback` after a delay in milliseconds. Returns a function that cancels the call. The timer must
   * not keep the process alive.
   */
  readonly setTimer?: (ms: number, callback: () => void) => () => void;
}

/** A pool of workers. */
export interface WorkerPool extends Workers {
  readonly figures: WorkerFigures;
  readHistory: NonNullable<Workers["readHistory"]>;
  /** Starts a worker if no worker runs. The first job then does not wait for the start. */
  warmUp(): void;
  /**
   * Ends all workers. Jobs that have not ended fail. The promise resolves when the workers have closed their
   * files, or after {@link END_LIMIT_MS} at the latest.
   */
  close(): Promise<void>;
}

/**
 * Creates a pool. Workers start with the first jobs.
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

class Pool implements WorkerPool {
  readonly #startWorker: StartWorker;
  readonly #size: number;
  readonly #processors: number;
  readonly #log: Environment["log"];
  readonly #now: () => number;
  readonly #setTimer: SetTimer;
  readonly #slots = new Set<WorkerSlot>();
  /** Includes workers that compute histories and workers that close their files. */
  readonly #notEnded = new Set<WorkerSlot>();
  readonly #jobs: Limiter;
  readonly #refusals: Refusals;
  readonly #histories: HistoryWorker;
  #startableFromMs = 0;
  #startPauseMs = FIRST_START_PAUSE_MS;
  #cancelRetry: (() => void) | undefined;
  /** Reason why the last start failed; `undefined` after a successful start. */
  #lastFault: string | undefined;
  #endedMs = -Infinity;
  #cancelGrowth: (() => void) | undefined;
  #closed: Promise<void> | undefined;
  #ended = 0;
  #endedSeconds = 0;

  constructor({ startWorker, size, processors, log, now, setTimer }: WorkerPoolOptions) {
    this.#startWorker = startWorker;
    this.#size = size ?? DEFAULT_WORKERS;
    this.#processors = processors ?? Math.max(globalThis.navigator?.hardwareConcurrency ?? 0, 2);
    this.#log = log ?? (() => {});
    this.#now = now ?? Date.now;
    this.#setTimer = setTimer ?? startUnrefTimer;
    this.#refusals = new Refusals(this.#log, this.#now);
    this.#jobs = new Limiter(() => this.#boundsOf(this.#readySlots.length), {
      waiting: MAX_WAITING_JOBS,
      refusal: () => this.#refusals.excess(),
      now: () => this.#now(),
    });
    const createSlot = () => this.#createSlot();
    this.#histories = new HistoryWorker({ createSlot, log: this.#log, now: this.#now });
  }

  get figures(): WorkerFigures {
    const { running, waiting } = this.#jobs;
    return { running, waiting, ended: this.#ended, seconds: this.#endedSeconds };
  }

  run<J extends Job>(
    job: J,
    signal?: AbortSignal,
    peer?: string,
    spend: (ms: number) => void = () => {},
  ): Promise<Result<J>> {
    if (this.#closed !== undefined) return Promise.reject(refusal(CLOSED));
    const refused = this.#refusals.of(job);
    if (refused !== undefined) return Promise.reject(refused);
    if (signal?.aborted) return Promise.reject(refusal(NOBODY_WAITS));
    return new Promise((resolve, reject) => {
      this.#jobs.add({ keys: [job.rid, peer], signal }, (leave) => {
        // The compiler cannot see that workers return the right kind of result for each kind of job.
        const startMs = this.#now();
        let hasEnded = false;
        const end = () => {
          if (hasEnded) return;
          hasEnded = true;
          this.#ended++;
          const ms = this.#now() - startMs;
          this.#endedSeconds += ms / 1000;
          spend(ms);
          leave();
        };
        const workerJob: WorkerJob = { job, resolve: resolve as WorkerJob["resolve"], reject, leave: end };
        this.#begin(workerJob);
        signal?.addEventListener("abort", () => this.#abandon(workerJob), { once: true });
      }, (error) => reject(signal?.aborted ? refusal(NOBODY_WAITS) : error));
      this.#grow();
    });
  }

  readHistory(rid: RepoId, oid: Oid, onProgress: (commits: number) => void): Promise<HistoryOutcome> {
    return this.#histories.read({ rid, oid }, onProgress);
  }

  warmUp(): void {
    if (this.#closed === undefined && this.#slots.size === 0 && this.#mayStart) this.#start();
    this.#hold();
  }

  close(): Promise<void> {
    return this.#closed ??= this.#end();
  }

  async #end(): Promise<void> {
    this.#cancelGrowth?.();
    this.#cancelRetry?.();
    this.#histories.close();
    this.#jobs.refuseWaiting(refusal(CLOSED));
    for (const slot of this.#slots) {
      this.#retire(slot);
      slot.workerJob?.reject(refusal(CLOSED));
    }
    const ending = [...this.#notEnded];
    for (const slot of ending) slot.hold(true);
    await within(Promise.all(ending.map(({ ended }) => ended)), END_LIMIT_MS, this.#setTimer).catch(() => {});
    for (const slot of ending) slot.hold(false);
  }

  get #readySlots(): WorkerSlot[] {
    return [...this.#slots].filter(({ state }) => state !== "starting");
  }

  /**
   * @param workers Number of workers. The {@link RESERVED_WORKERS} among them run a job only if its
   * repository and its client have no running job.
   */
  #boundsOf(workers: number): Concurrency {
    return { atOnce: workers, ofKey: this.#jobs.running < this.#size ? Infinity : 1 };
  }

  get #mayStart(): boolean {
    return this.#now() >= this.#startableFromMs;
  }

  get #isStarting(): boolean {
    return [...this.#slots].some(({ state }) => state === "starting");
  }

  get #mayGrow(): boolean {
    const { size } = this.#slots;
    return size < this.#size + RESERVED_WORKERS && this.#jobs.couldBegin(this.#boundsOf(size + 1));
  }

  /**
   * If no processor is free, another worker helps only when no worker has ended a job for
   * {@link GROWTH_TIMEOUT_MS}.
   */
  get #wouldHelp(): boolean {
    return this.#slots.size < this.#processors - 1 || this.#now() - this.#endedMs >= GROWTH_TIMEOUT_MS;
  }

  #assign(): void {
    this.#jobs.beginNext();
    this.#grow();
  }

  #grow(): void {
    if (this.#jobs.waiting === 0) {
      this.#cancelGrowth?.();
      this.#cancelGrowth = undefined;
    } else if (this.#slots.size === 0) {
      if (this.#mayStart) this.#start();
      else this.#jobs.refuseWaiting(new NoWorkersError("No worker can be started"));
    } else if (this.#mayGrow && !this.#isStarting) {
      this.#cancelGrowth ??= this.#setTimer(GROWTH_TIMEOUT_MS, () => {
        this.#cancelGrowth = undefined;
        if (this.#mayStart && this.#mayGrow && this.#wouldHelp) this.#start();
        this.#assign();
      });
    }
    this.#hold();
  }

  /** Keeps the process alive while jobs are running or waiting. */
  #hold(): void {
    for (const slot of this.#slots) slot.hold(slot.state === "busy" || this.#jobs.waiting > 0);
  }

  /** An idle worker exists, because no more jobs begin than workers are ready. */
  #begin(workerJob: WorkerJob): void {
    const slot = this.#readySlots.find(({ state }) => state === "idle")!;
    slot.limit(JOB_LIMIT_MS, () => {
      this.#retire(slot);
      this.#log("warn", `${describeJob(workerJob.job)} took longer than ${JOB_LIMIT_MS / 1000} seconds`);
      workerJob.reject(this.#refusals.add(workerJob.job, "This takes too long"));
      this.#assign();
    });
    slot.begin(workerJob);
  }

  #createSlot(): WorkerSlot {
    const slot = new WorkerSlot(this.#startWorker, this.#setTimer, this.#log);
    this.#notEnded.add(slot);
    void slot.ended.then(() => this.#notEnded.delete(slot));
    return slot;
  }

  #start(): void {
    const slot = this.#createSlot();
    this.#slots.add(slot);
    slot.limit(START_LIMIT_MS, () => this.#lose(slot, new Error("It was not ready in time")));
    try {
      slot.start({
        message: (message) => this.#receive(slot, message as FromWorker),
        end: (cause) => this.#slots.has(slot) && this.#lose(slot, cause),
      });
    } catch (cause) {
      this.#lose(slot, cause);
    }
  }

  #receive(slot: WorkerSlot, message: FromWorker): void {
    if (message.kind !== "ready" && message.kind !== "made" && message.kind !== "failed") return;
    if (!this.#slots.has(slot)) return;
    if (message.kind === "ready") this.#noteStart();
    const workerJob = slot.finish();
    slot.limit(IDLE_LIMIT_MS, () => this.#rest(slot));
    if (message.kind === "made") workerJob?.resolve(message.made);
    if (message.kind === "failed") workerJob?.reject(fromErrorText(message.error));
    if (message.kind !== "ready" && message.needsRecycling) {
      this.#retire(slot);
      this.warmUp();
    }
    if (workerJob !== undefined) {
      this.#endedMs = this.#now();
      workerJob.leave();
    }
    this.#assign();
  }

  #abandon(workerJob: WorkerJob): void {
    const slot = [...this.#slots].find((slot) => slot.workerJob === workerJob);
    slot?.limit(ABANDONED_LIMIT_MS, () => {
      this.#retire(slot);
      workerJob.reject(refusal(NOBODY_WAITS));
      this.#assign();
    });
  }

  #lose(slot: WorkerSlot, cause: unknown): void {
    const { state, workerJob } = slot;
    this.#slots.delete(slot);
    slot.terminate();
    workerJob?.leave();
    if (state === "starting") this.#pauseStarts(cause);
    else {
      this.#log("error", `A worker has ended${workerJob ? `: ${describeJob(workerJob.job)}` : ""}`, cause);
      workerJob?.reject(this.#refusals.add(workerJob.job, "This cannot be made"));
    }
    this.#assign();
  }

  #pauseStarts(cause: unknown): void {
    if (this.#closed !== undefined) return;
    const fault = String(cause);
    if (fault !== this.#lastFault) {
      const message = this.#slots.size === 0
        ? "Diffs are made without workers: none can be started"
        : "No further worker for diffs can be started";
      this.#log("warn", message, cause);
    }
    this.#lastFault = fault;
    this.#startableFromMs = this.#now() + this.#startPauseMs;
    this.#cancelRetry?.();
    this.#cancelRetry = this.#setTimer(this.#startPauseMs, () => {
      this.#startableFromMs = 0;
      this.warmUp();
    });
    this.#startPauseMs = Math.min(2 * this.#startPauseMs, MAX_START_PAUSE_MS);
  }

  #noteStart(): void {
    if (this.#lastFault !== undefined) this.#log("warn", "Diffs are made with workers again");
    this.#lastFault = undefined;
    this.#startPauseMs = FIRST_START_PAUSE_MS;
  }

  #rest(slot: WorkerSlot): void {
    if (this.#slots.size > 1) this.#retire(slot);
    else slot.limit(LAST_IDLE_LIMIT_MS - IDLE_LIMIT_MS, () => this.#retire(slot));
  }

  #retire(slot: WorkerSlot): void {
    this.#slots.delete(slot);
    slot.retire();
    slot.workerJob?.leave();
  }
}
