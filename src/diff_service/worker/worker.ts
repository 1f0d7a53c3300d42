/** Runs jobs in a worker. */
import { pauseFor } from "../../async/timer.ts";
import { Budget, LARGEST_DIFF } from "../../diff/budget.ts";
import { Libgit2 } from "../../diff/libgit2/engine.ts";
import { DamagedError } from "../../errors.ts";
import type { Environment } from "../../ports/environment.ts";
import type { LoadLibgit2 } from "../../ports/libgit2.ts";
import type { Storage } from "../../ports/storage.ts";
import type { Job, MadePart, WorkerPurpose } from "../../ports/workers.ts";
import { makeJob } from "../make.ts";
import { readHistory } from "./history.ts";
import { type FromWorker, toErrorText, type ToWorker } from "./protocol.ts";
import { warmUpLibgit2 } from "../warm_up.ts";

/** Limits after which a worker is replaced. */
export interface RecycleLimits {
  /** Maximum number of bytes read and created for one job. */
  readonly jobBytes: number;
  /** Maximum number of bytes read and created for all jobs together. */
  readonly totalBytes: number;
}

/**
 * Default limits after which a worker is replaced, because a runtime seldom returns memory to the system. The
 * limits are not lower, because a new worker needs two to three times as long for each of its first 300
 * diffs.
 */
export const RECYCLE_LIMITS: RecycleLimits = { jobBytes: 16 * 2 ** 20, totalBytes: 256 * 2 ** 20 };

/**
 * Time after which a job pauses to receive messages, in milliseconds. A pause takes one or two milliseconds.
 */
const MESSAGES_AFTER_MS = 100;

/** Objects and functions that the code of a worker needs. */
export interface WorkerParts {
  readonly storage: Storage;
  readonly loadLibgit2: LoadLibgit2;
  /** Sends a message to the thread that has started the worker, and moves the buffers in `transfer`. */
  post(message: FromWorker, transfer: ArrayBuffer[]): void;
  /** Closes the files of the storage. */
  close(): void;
  /**
   * Kind of jobs that the worker runs; all jobs by default. A worker for histories does not start libgit2.
   */
  readonly purpose?: WorkerPurpose | undefined;
  /** Limits after which the worker is replaced; {@link RECYCLE_LIMITS} by default. */
  readonly recycleLimits?: RecycleLimits;
  /** Returns the current time in milliseconds, from a monotonic clock. */
  readonly now?: () => number;
}

/** Creates a log that sends its lines to the thread that has started the worker. */
export function postLog(post: (message: FromWorker) => void): Environment["log"] {
  return (level, message, cause) => {
    const text = cause === undefined ? undefined : String(cause);
    post({ kind: "log", level, message, cause: cause instanceof Error ? toErrorText(cause) : text });
  };
}

/** Creates the handler of messages to the worker, and sends `ready`. */
export function answerJobs(parts: WorkerParts): (message: unknown) => void {
  const { storage, loadLibgit2, post, close, purpose = "jobs", now = () => performance.now() } = parts;
  const { recycleLimits = RECYCLE_LIMITS } = parts;
  const libgit2 = new Libgit2(loadLibgit2);
  let total = 0;
  let work: Promise<unknown> = Promise.resolve();
  let isClosing = false;
  let pauseMs = Infinity;

  async function answer(job: Job): Promise<void> {
    pauseMs = now() + MESSAGES_AFTER_MS;
    const budget = new Budget(LARGEST_DIFF, { yield: () => now() < pauseMs ? undefined : pause() });
    const needsRecycling = (madeBytes: number) => {
      const bytes = budget.readBytes + madeBytes;
      total += bytes;
      return bytes > recycleLimits.jobBytes || total > recycleLimits.totalBytes;
    };
    try {
      const repository = await storage.repository(job.rid);
      if (repository === undefined) throw new DamagedError(`Repository ${job.rid} is gone`);
      const made = await makeJob({ libgit2, repository, budget }, job);
      const batches = job.kind === "files" ? [] : (made as MadePart).left;
      post({ kind: "made", made, needsRecycling: needsRecycling(made.json.length) }, [
        made.json.buffer,
        ...batches.map(({ bytes }) => bytes.buffer),
      ]);
    } catch (error) {
      post({ kind: "failed", error: toErrorText(error), needsRecycling: needsRecycling(0) }, []);
    }
  }

  const pause = async () => {
    await pauseFor(0);
    if (isClosing) throw new Error("The worker is closed");
    pauseMs = now() + MESSAGES_AFTER_MS;
  };
  const end = () => {
    close();
    post({ kind: "closed" }, []);
  };
  const warm = purpose === "jobs" ? warmUpLibgit2(libgit2) : Promise.resolve();
  void warm.then(() => post({ kind: "ready" }, []));
  return (received) => {
    const message = received as ToWorker;
    if (message.kind === "job") work = answer(message.job);
    else if (message.kind === "history") work = readHistory(storage, message, post);
    else if (message.kind === "close") {
      isClosing = true;
      void work.then(end, end);
    }
  };
}
