/** Workers as on Node.js: Bun has `node:worker_threads`, too. */
import type { StartWorker } from "../../mod.ts";
import { startAt } from "../node/start_worker.ts";

/** The name of the file that a worker executes; built, it is JavaScript. */
const FILE = import.meta.url.endsWith(".ts") ? "home_worker.ts" : "home_worker.js";

/** How workers are started that read the storage in the folder `root`. */
export function homeWorkers(root: string): StartWorker {
  return startAt(new URL(FILE, import.meta.url), root);
}
