/**
 * A worker slot of a pool: one worker from its start to its end, its job, and the time limit of its state.
 */
import type { Job, Made, MadeDiff, RunningWorker, StartWorker, WorkerEvents } from "../../ports/workers.ts";
import type { ToWorker } from "./protocol.ts";

/** A job with its caller. */
export interface Task {
  readonly job: Job;
  resolve(made: Made | MadeDiff): void;
  reject(error: Error): void;
  /** Ends the job for the queue. */
  leave(): void;
}

/** Calls back after some milliseconds, and returns a function that prevents it. */
export type SetTimer = (ms: number, callback: () => void) => () => void;

/** A slot. Its worker starts when {@link start} is called. */
export class WorkerSlot {
  state: "starting" | "idle" | "busy" = "starting";
  /** The running job. */
  task: Task | undefined;
  readonly #setTimer: SetTimer;
  #worker: RunningWorker | undefined;
  #cancelTimer = () => {};

  constructor(setTimer: SetTimer) {
    this.#setTimer = setTimer;
  }

  /** Starts the worker. Throws what `startWorker` throws. */
  start(startWorker: StartWorker, events: WorkerEvents): void {
    this.#worker = startWorker(events);
  }

  /** Gives a job to the idle worker. */
  begin(task: Task): void {
    this.state = "busy";
    this.task = task;
    this.post({ kind: "job", job: task.job });
  }

  /** Makes the worker idle, and returns the job that it has ended. */
  finish(): Task | undefined {
    const { task } = this;
    this.state = "idle";
    this.task = undefined;
    return task;
  }

  /** Sends a message to the worker. */
  post(message: ToWorker): void {
    this.#worker?.post(message);
  }

  /** Whether the worker keeps the process alive. */
  hold(isNeeded: boolean): void {
    this.#worker?.hold(isNeeded);
  }

  /** Sets the time limit of the present state, in place of the one before. */
  limit(ms: number, callback: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#setTimer(ms, callback);
  }

  /** Removes the time limit. */
  unlimit(): void {
    this.#cancelTimer();
  }

  /** Ends the worker at once. */
  terminate(): void {
    this.#worker?.terminate();
  }
}
