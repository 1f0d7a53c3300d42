/** Workers as on Node.js: Deno has `node:worker_threads`, too. */
import { fileURLToPath } from "node:url";
import type { StartWorker } from "../../mod.ts";
import { startBeside } from "../node/start_worker.ts";

/** Where the modules lie that a worker loads: unlike the program's own, they have to be readable for it. */
const FOLDERS = ["..", "../../src"].map((path) => new URL(path, import.meta.url));

/** How workers are started that read the storage in the folder `root`. */
export function homeWorkers(root: string): StartWorker {
  const start = startBeside(import.meta.url, root);
  return (events) => {
    // Asked first: a worker that fails over it would say so on standard error.
    const missing = FOLDERS.filter(isUnreadable).map((folder) => fileURLToPath(folder));
    if (missing.length > 0) throw new Error(`A worker needs --allow-read=${missing.join()}`);
    return start(events);
  };
}

function isUnreadable(folder: URL): boolean {
  return folder.protocol === "file:" &&
    Deno.permissions.querySync({ name: "read", path: folder }).state !== "granted";
}
