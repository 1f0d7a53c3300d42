/**
 * Runs the two kinds of workers. The worker of a home itself reads the storage of the home, and computes
 * diffs. The worker of another storage reads the storage through the thread that started the worker. The same
 * code serves all runtimes.
 */
import { Memory, type MemoryOptions } from "../../src/cache/memory.ts";
import type { FromWorker } from "../../src/diff_service/worker/protocol.ts";
import { answerJobs, postLog, type WorkerParts } from "../../src/diff_service/worker/worker.ts";
import {
  isAboutReads,
  type ReadsAnswer,
  type ReadsMessage,
  ThreadStorage,
} from "../../src/diff_service/worker/thread_storage.ts";
import { type FileSystem, readOnlyFiles } from "../../src/ports/file_system.ts";
import type { Inflate } from "../../src/ports/compression.ts";
import type { LoadLibgit2 } from "../../src/ports/libgit2.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import type { WorkerPurpose } from "../../src/ports/workers.ts";

/** Functions of a runtime that a worker uses to read a storage. */
export interface HomeWorkerParts {
  readonly fileSystem: FileSystem;
  readonly loadLibgit2: LoadLibgit2;
  /** Decompresses zlib data faster than the default, which is written in TypeScript. */
  readonly inflate?: Inflate;
}

/** The data with which a worker is started. */
export interface HomeWorkerData {
  /** Absolute path of the `storage` folder. */
  readonly root: string;
  /** Cache sizes of the process. A worker uses caches with a share of these sizes. */
  readonly memory: MemoryOptions;
  /** Kind of jobs that the worker runs; all jobs by default. */
  readonly purpose?: WorkerPurpose;
}

/** The data of a worker that reads through the thread that started it. */
export interface ThreadWorkerData {
  readonly storage: "thread";
}

/** Checks whether the data is for a worker that reads through the thread that started it. */
export function isThreadWorkerData(data: unknown): data is ThreadWorkerData {
  return typeof data === "object" && data !== null && "storage" in data && data.storage === "thread";
}

/**
 * Computes diffs of a storage that belongs to the thread that started this thread.
 *
 * @param post Sends a message to the thread that started this thread.
 * @returns a function that receives the messages of that thread.
 */
export function workThroughThread(
  { loadLibgit2 }: Pick<HomeWorkerParts, "loadLibgit2">,
  post: (message: FromWorker | ReadsMessage, transfer: ArrayBuffer[]) => void,
): (message: unknown) => void {
  const storage = new ThreadStorage((message) => post(message, []));
  const take = answerJobs({ storage, loadLibgit2, post, close: () => {} });
  return (message) => isAboutReads<ReadsAnswer>(message) ? storage.take(message) : take(message);
}

/**
 * Reads the storage of a home, and runs jobs for the thread that started this thread.
 *
 * @param post Sends a message to the thread that started this thread.
 * @returns a function that receives the messages of that thread.
 */
export function workOnHome(
  { root, memory, purpose }: HomeWorkerData,
  { fileSystem, inflate, loadLibgit2 }: HomeWorkerParts,
  post: WorkerParts["post"],
): (message: unknown) => void {
  const storage = createHomeStorage({
    root,
    fileSystem: readOnlyFiles(fileSystem),
    ...(inflate && { inflate }),
    log: postLog((message) => post(message, [])),
    memory: new Memory(memory),
  });
  return answerJobs({ storage, loadLibgit2, post, close: () => storage.close(), purpose });
}
