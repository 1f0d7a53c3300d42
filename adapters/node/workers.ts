/** Workers through `node:worker_threads`. */
import process from "node:process";
import { Worker } from "node:worker_threads";
import type { StartWorker } from "../../mod.ts";
import type { MemorySizes } from "../home/parts.ts";
import type { HomeWorkerData } from "../home/worker.ts";

/**
 * Memory for JavaScript objects in a worker, in MB, where the runtime can limit it; a worker that needs more
 * is ended, alone.
 */
export const WORKER_HEAP_MEGABYTES = 1024;

/** Starts workers that read the storage in the folder `root`, with caches of the given sizes. */
export function homeWorkers(root: string, memory: MemorySizes = {}): StartWorker {
  return startBeside(import.meta.url, root, memory);
}

/**
 * As {@link homeWorkers}; the worker executes the file `home_worker` beside the module at `url`. Built, both
 * are JavaScript.
 */
export function startBeside(url: string, root: string, memory: MemorySizes): StartWorker {
  const { memoryBytes, cacheBytes } = memory;
  const sizes = {
    ...memoryBytes !== undefined && { memoryBytes },
    ...cacheBytes !== undefined && { cacheBytes },
  };
  const file = new URL(url.endsWith(".ts") ? "home_worker.ts" : "home_worker.js", url);
  return ({ message, end }) => {
    const worker = new Worker(file, {
      name: "xylem",
      workerData: { root, memory: sizes } satisfies HomeWorkerData,
      ...(process.execArgv.some(isInputType) &&
        { execArgv: process.execArgv.filter((text) => !isInputType(text)) }),
      resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MEGABYTES },
    });
    let failure: unknown;
    worker.on("message", message);
    worker.on("error", (error) => failure = error);
    worker.on("exit", (status) => end(failure ?? new Error(`It ended with status ${status}`)));
    return {
      post: (message) => worker.postMessage(message),
      hold: (isNeeded) => isNeeded ? worker.ref() : worker.unref(),
      terminate() {
        worker.unref();
        // Bun cannot interrupt WebAssembly: there, the worker ends as soon as that returns.
        void worker.terminate();
      },
    };
  };
}

/**
 * Whether an argument declares the syntax of a program on the command line: with it, the worker's file cannot
 * be read.
 */
function isInputType(argument: string): boolean {
  return argument.startsWith("--input-type");
}
