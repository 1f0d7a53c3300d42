/** What a worker does on a home: reads its storage and makes diffs of it. The same for every runtime. */
import { parentPort, workerData } from "node:worker_threads";
import { answerJobs, postLog, type WorkerParts } from "../src/diff_service/worker/worker.ts";
import type { ToWorker } from "../src/diff_service/worker/protocol.ts";
import type { FileSystem } from "../src/ports/file_system.ts";
import type { Inflate } from "../src/ports/inflate.ts";
import type { LoadLibgit2 } from "../src/ports/libgit2.ts";
import { createHomeStorage } from "../src/storage/home/storage.ts";

/** What a runtime brings to read a storage. */
export interface HomeWorkerParts {
  readonly fileSystem: FileSystem;
  readonly inflate: Inflate;
  readonly loadLibgit2: LoadLibgit2;
}

/** What a worker is told when it is started. */
export interface HomeWorkerData {
  /** Absolute path of the `storage` folder. */
  readonly root: string;
}

/** Works for the process that started this one's thread, until that ends it. */
export function workOnHome({ fileSystem, inflate, loadLibgit2 }: HomeWorkerParts): void {
  const port = parentPort;
  if (port === null) throw new TypeError("This file is for workers only");
  const post: WorkerParts["post"] = (message, transfer) => port.postMessage(message, transfer);
  const { root } = workerData as HomeWorkerData;
  // Without the calls that write.
  const { read, list, stat, open } = fileSystem;
  const storage = createHomeStorage({
    root,
    fileSystem: { read, list, stat, open },
    inflate,
    log: postLog((message) => post(message, [])),
  });
  const take = answerJobs({ storage, loadLibgit2, post, close: () => storage.close() });
  port.on("message", (message) => take(message as ToWorker));
}
