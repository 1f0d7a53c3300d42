/** Workers as on Node.js: Bun has `node:worker_threads`, too. */
import type { StartWorker } from "../../mod.ts";
import { startBeside } from "../node/start_worker.ts";

/** How workers are started that read the storage in the folder `root`. */
export function homeWorkers(root: string): StartWorker {
  return startBeside(import.meta.url, root);
}
