/** The side of a worker in its own thread, through `node:worker_threads`. */
import { parentPort, workerData } from "node:worker_threads";
import { type HomeWorkerParts, workOnHome } from "../home/worker.ts";

/** Works for the thread that started this one, until that ends it. */
export function workInThread(parts: HomeWorkerParts): void {
  const port = parentPort;
  if (port === null) throw new TypeError("This file is for workers only");
  const take = workOnHome(workerData, parts, (message, transfer) => port.postMessage(message, transfer));
  port.on("message", take);
}
