/** The code of a worker that runs in a thread, through `node:worker_threads`. */
import { parentPort, workerData } from "node:worker_threads";
import type { CompiledLibgit2 } from "../../src/ports/libgit2.ts";
import { type HomeWorkerParts, isThreadWorkerData, workOnHome, workThroughThread } from "../home/worker.ts";
import { answerSearches, isSearchWorkerData } from "./search_thread.ts";

export interface Libgit2Message {
  /** The compiled libgit2; `undefined` when it could not be compiled. */
  readonly libgit2: CompiledLibgit2 | undefined;
}

/** Runs jobs for the thread that started this thread. */
export function workInThread(parts: Omit<HomeWorkerParts, "loadLibgit2">): void {
  const port = parentPort;
  if (port === null) throw new TypeError("This file is for workers only");
  if (isSearchWorkerData(workerData)) {
    const search = answerSearches(workerData, (message) => port.postMessage(message));
    port.on("message", search);
    return;
  }
  const compiled = Promise.withResolvers<CompiledLibgit2>();
  compiled.promise.catch(() => {});
  const post = (message: unknown, transfer: ArrayBuffer[]) => port.postMessage(message, transfer);
  const allParts = { ...parts, loadLibgit2: () => compiled.promise };
  const take = isThreadWorkerData(workerData)
    ? workThroughThread(allParts, post)
    : workOnHome(workerData, allParts, post);
  port.on("message", (message: unknown) => {
    if (!isLibgit2(message)) return take(message);
    if (message.libgit2 !== undefined) compiled.resolve(message.libgit2);
    else compiled.reject(new Error("The thread of the service could not compile libgit2"));
  });
}

function isLibgit2(message: unknown): message is Libgit2Message {
  return typeof message === "object" && message !== null && "libgit2" in message;
}
