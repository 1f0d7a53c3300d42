/** The code in a worker: runs the jobs that it receives. */
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

/** Work after which a worker is replaced. */
export interface RecycleLimits {
  /** Bytes read and made for one job. */
  readonly jobBytes: number;
  /** Bytes read and made for all jobs together. */
  readonly totalBytes: number;
}

/**
 * A worker is replaced from time to time, because a runtime seldom returns memory to the system. A new worker
 * takes two to three times as long for a diff until its code is compiled, after about 300 diffs.
 */
export const RECYCLE_LIMITS: RecycleLimits = { jobBytes: 16 * 2 ** 20, totalBytes: 256 * 2 ** 20 };

/** Time after which a job pauses for messages, in milliseconds. A pause takes one or two milliseconds. */
const MESSAGES_AFTER_MS = 100;

/** Storage, engine and messages of a worker. */
export interface WorkerParts {
  readonly storage: Storage;
  readonly loadLibgit2: LoadLibgit2;
  /** Sends a message to the thread that started the worker, and moves the buffers in `transfer`. */
  post(message: FromWorker, transfer: ArrayBuffer[]): void;
  /** Closes the files of the storage. */
  close(): void;
  /** A worker for a history does not start libgit2. By default the worker is for all jobs. */
  readonly purpose?: WorkerPurpose | undefined;
  /** {@link RECYCLE_LIMITS} by default. */
  readonly recycleLimits?: RecycleLimits;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/** A log that sends its lines to the thread that started the worker. */
export function postLog(post: (message: FromWorker) => void): Environment["log"] {
  return (level, message, cause) => {
    const text = cause === undefined ? undefined : String(cause);
    post({ kind: "log", level, message, cause: cause instanceof Error ? toErrorText(cause) : text });
  };
}

/** Returns the handler of messages to the worker. The worker posts `ready` by itself. */
export function answerJobs(parts: WorkerParts): (message: unknown) => void {
  const { storage, loadLibgit2, post, close, purpose = "jobs", now = () => performance.now() } = parts;
  const { recycleLimits = RECYCLE_LIMITS } = parts;
  const libgit2 = new Libgit2(loadLibgit2);
  let total = 0;
  /** The last job or history. */
  let work: Promise<unknown> = Promise.resolve();
  /** Whether the running job has to end at its next pause. */
  let isClosing = false;
  /** When the running job pauses next. */
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
