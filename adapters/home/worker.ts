/**
 * Runs the two kinds of workers. A worker of a home reads the storage of the home itself. A worker of another
 * storage reads through the thread that started the worker.
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

export interface HomeWorkerParts {
  readonly fileSystem: FileSystem;
  readonly loadLibgit2: LoadLibgit2;
  /** Decompresses zlib data faster than the default in TypeScript. */
  readonly inflate?: Inflate;
}

export interface HomeWorkerData {
  /** Absolute path of the `storage` folder. */
  readonly root: string;
  /** Cache sizes of the process. A worker uses caches with a share of these sizes. */
  readonly memory: MemoryOptions;
  /** Kind of jobs that the worker runs; all jobs by default. */
  readonly purpose?: WorkerPurpose;
}

/** Data for a worker that reads through the thread that started the worker. */
export interface ThreadWorkerData {
  readonly storage: "thread";
}

export function isThreadWorkerData(data: unknown): data is ThreadWorkerData {
  return typeof data === "object" && data !== null && "storage" in data && data.storage === "thread";
}

/**
 * Computes diffs for the thread that started this worker, and reads the storage through that thread.
 *
 * @param post Sends a message to the other thread.
 * @returns a function that receives the messages of the other thread.
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
 * Runs jobs for the thread that started this worker, and reads the storage of a home itself.
 *
 * @param post Sends a message to the other thread.
 * @returns a function that receives the messages of the other thread.
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
