/** A slot of a pool: one worker from its start to its end, its job, and a timeout. */
import type { Environment } from "../../ports/environment.ts";
import type {
  Job,
  Result,
  RunningWorker,
  StartWorker,
  WorkerEvents,
  WorkerPurpose,
} from "../../ports/workers.ts";
import { fromErrorText, type FromWorker, type ToWorker } from "./protocol.ts";

/** A job, and the functions to call when the job has ended. */
export interface WorkerJob {
  readonly job: Job;
  resolve(made: Result<Job>): void;
  reject(error: Error): void;
  /** Frees the place of the job in the queue. */
  leave(): void;
}

/** Calls `callback` after a delay in milliseconds. Returns a function that cancels the call. */
export type SetTimer = (ms: number, callback: () => void) => () => void;

/**
 * Timeout for a worker to end its job and close its files, in milliseconds. After the timeout, the worker is
 * terminated. libgit2 cannot be interrupted, and needs at most three seconds to find moved files.
 */
const CLOSE_LIMIT_MS = 5000;

export class WorkerSlot {
  state: "starting" | "idle" | "busy" = "starting";
  workerJob: WorkerJob | undefined;
  readonly #startWorker: StartWorker;
  readonly #setTimer: SetTimer;
  readonly #log: Environment["log"];
  readonly #ended = Promise.withResolvers<void>();
  #worker: RunningWorker | undefined;
  #cancelTimer = () => {};

  constructor(startWorker: StartWorker, setTimer: SetTimer, log: Environment["log"]) {
    this.#startWorker = startWorker;
    this.#setTimer = setTimer;
    this.#log = log;
  }

  /** Resolves when the worker has closed its files, or was terminated. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /**
   * Starts the worker. Logs its lines, and terminates the worker when it has closed its files.
   *
   * @throws {Error} the errors of `startWorker`.
   */
  start({ message, end }: WorkerEvents, purpose?: WorkerPurpose): void {
    const receive = (data: unknown) => {
      const received = data as FromWorker;
      if (received.kind === "closed") return this.terminate();
      if (received.kind !== "log") return message(received);
      const { level, cause } = received;
      this.#log(level, received.message, typeof cause === "object" ? fromErrorText(cause) : cause);
    };
    const finish = (cause: unknown) => {
      this.terminate();
      end(cause);
    };
    this.#worker = this.#startWorker({ message: receive, end: finish }, purpose);
  }

  begin(workerJob: WorkerJob): void {
    this.state = "busy";
    this.workerJob = workerJob;
    this.post({ kind: "job", job: workerJob.job });
  }

  /** Makes the worker idle, and returns the job that has ended. */
  finish(): WorkerJob | undefined {
    const { workerJob } = this;
    this.state = "idle";
    this.workerJob = undefined;
    return workerJob;
  }

  post(message: ToWorker): void {
    this.#worker?.post(message);
  }

  /** Sets whether the worker keeps the process alive. */
  hold(isNeeded: boolean): void {
    this.#worker?.hold(isNeeded);
  }

  /** Sets the timeout of the current state, and cancels the previous timeout. */
  limit(ms: number, callback: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#setTimer(ms, callback);
  }

  /**
   * Asks the worker to end its job and to close its files. Some runtimes do not close the files of a
   * terminated worker.
   */
  retire(): void {
    this.hold(false);
    this.post({ kind: "close" });
    this.limit(CLOSE_LIMIT_MS, () => this.terminate());
  }

  terminate(): void {
    this.#cancelTimer();
    this.#worker?.terminate();
    this.#ended.resolve();
  }
}
