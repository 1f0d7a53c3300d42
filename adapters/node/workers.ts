/** Starts workers through `node:worker_threads`. */
import process from "node:process";
import { Worker, type WorkerOptions } from "node:worker_threads";
import type {
  LoadLibgit2,
  MemoryOptions,
  RunningWorker,
  StartWorker,
  Storage,
  WorkerEvents,
} from "../../mod.ts";
import {
  answerReads,
  isAboutReads,
  type ReadsMessage,
} from "../../src/diff_service/worker/thread_storage.ts";
import type { HomeParts } from "../home/parts.ts";
import type { HomeWorkerData, ThreadWorkerData } from "../home/worker.ts";
import { compileCacheVariables } from "./compile_cache.ts";
import { loadLibgit2 as loadCarried } from "./libgit2.ts";
import { WORKER_TEXT } from "./worker_text.ts";
import type { Libgit2Message } from "./worker_thread.ts";

/**
 * Maximum memory for JavaScript objects in a worker, in MB. A worker that needs more memory is ended, if the
 * runtime supports this limit. The process continues.
 */
export const WORKER_HEAP_MEGABYTES = 1024;

export type WorkerParts = Required<Pick<HomeParts, "homeWorkers" | "storageWorkers">>;

/**
 * Returns functions that start workers with a program. The workers use the libgit2 of the package, unless
 * another libgit2 is given.
 *
 * @param program Returns the program. Throws an error when a worker cannot be started.
 */
export function workersOf(program: () => WorkerProgram): WorkerParts {
  return {
    homeWorkers: (root, memory = {}, loadLibgit2 = loadCarried) =>
      startFrom(program, root, memory, loadLibgit2),
    storageWorkers: (storage, loadLibgit2 = loadCarried) => startReading(program, storage, loadLibgit2),
  };
}

/** Starts workers that run the program of this adapter. */
export const workers: WorkerParts = workersOf(() => programNextTo(import.meta.url));

/** URL of a module, or text of a program. */
export type WorkerProgram = URL | string;

/**
 * Returns the program for workers. A built package contains the program as text. In a checkout, the program
 * is the module `home_worker.ts` next to the adapter's module `url`.
 */
export function programNextTo(url: string): WorkerProgram {
  return WORKER_TEXT || new URL("home_worker.ts", url);
}

/** Returns a function that starts workers, which read the storage in the folder `root`. */
function startFrom(
  program: () => WorkerProgram,
  root: string,
  memory: MemoryOptions = {},
  loadLibgit2: LoadLibgit2,
): StartWorker {
  return (events, purpose = "jobs") => {
    const data = { root, memory, purpose } satisfies HomeWorkerData;
    const worker = startThread(program(), data, events);
    if (purpose === "jobs") sendLibgit2(worker, loadLibgit2);
    return worker;
  };
}

/** Returns a function that starts workers, which read the given storage through this thread. */
function startReading(
  program: () => WorkerProgram,
  storage: Pick<Storage, "repository">,
  loadLibgit2: LoadLibgit2,
): StartWorker {
  return (events) => {
    const worker: RunningThread = startThread(program(), { storage: "thread" } satisfies ThreadWorkerData, {
      ...events,
      message(message) {
        if (isAboutReads<ReadsMessage>(message)) void read(message);
        else events.message(message);
      },
    });
    sendLibgit2(worker, loadLibgit2);
    return worker;

    async function read(message: ReadsMessage): Promise<void> {
      const { answer, transfer } = await answerReads(storage, message);
      try {
        worker.post(answer, transfer);
      } catch {
        // The worker has already ended.
      }
    }
  };
}

function sendLibgit2(worker: RunningWorker, loadLibgit2: LoadLibgit2): void {
  const send = (libgit2: Libgit2Message["libgit2"]) => worker.post({ libgit2 } satisfies Libgit2Message);
  loadLibgit2().then(send, () => send(undefined)).catch(() => {}); // The worker may have ended.
}

/** A thread to which buffers can be sent without copying them. */
export interface RunningThread extends RunningWorker {
  post(message: unknown, transfer?: ArrayBuffer[]): void;
}

export function startThread(
  program: WorkerProgram,
  workerData: unknown,
  { message, end }: WorkerEvents,
): RunningThread {
  const worker = new Worker(program, {
    name: "xylem",
    eval: typeof program === "string",
    // The thread needs no other environment variables. On Deno, copying all variables would require a
    // permission.
    env: compileCacheVariables(),
    workerData,
    ...inheritedArguments(),
    resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MEGABYTES },
  });
  let failure: unknown;
  worker.on("message", message);
  worker.on("error", (error) => failure = error);
  worker.on("exit", (status) => end(failure ?? new Error(`It ended with status ${status}`)));
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    hold: (isNeeded) => isNeeded ? worker.ref() : worker.unref(),
    terminate() {
      worker.unref();
      // Bun cannot interrupt WebAssembly, so the worker ends when the current call of WebAssembly returns.
      void worker.terminate();
    },
  };
}

/**
 * Returns the arguments of the process for a worker. Arguments that set the syntax of a program on the
 * command line are left out, because they would also apply to the program of the worker.
 */
function inheritedArguments(): Pick<WorkerOptions, "execArgv"> {
  const isInputType = (text: string) => text.startsWith("--input-type");
  if (!process.execArgv.some(isInputType)) return {};
  return { execArgv: process.execArgv.filter((text) => !isInputType(text)) };
}
