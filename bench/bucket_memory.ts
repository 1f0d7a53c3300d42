// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Measures the memory of a replica with the settings of `examples/replica_worker.ts`, in a separate process
 * that `bucket.ts` starts: `node --max-old-space-size=… bench/bucket_memory.ts FOLDER PATH…`. Requests all
 * paths, some at a time, cold and again, and prints JSON. The memory of the process would not show how a
 * worker does: a worker's limit applies to the heap of V8 and to the memory next to it (bytes and compiled
 * modules). So the result is the sum of these two, sampled at each answer and each millisecond.
 */
import process from "node:process";
import { fileSystem, loadLibgit2 } from "../adapters/node/mod.ts";
import { createFolderBucket } from "../extensions/replicas/bucket/folder.ts";
import { createReplica } from "../extensions/replicas/replica/replica.ts";

/** The same as in the example. */
const MEMORY_BYTES = 48 * 1024 * 1024;
const AT_ONCE = 8;
const ROUNDS = 3;

/** The highest memory use, in bytes. */
export interface MemoryUse {
  /** The heap with its garbage, and the memory next to it. */
  readonly most: number;
  /** The heap's part of it. */
  readonly heap: number;
  readonly answers: number;
}

const [folder, ...paths] = process.argv.slice(2);
let [most, heap, answers] = [0, 0, 0];
const sample = () => {
  const { heapTotal, external } = process.memoryUsage();
  if (heapTotal + external > most) [most, heap] = [heapTotal + external, heapTotal];
};
const timer = setInterval(sample, 1);
const replica = await createReplica(createFolderBucket(folder!, { fileSystem }), {
  loadLibgit2,
  memory: { totalBytes: MEMORY_BYTES },
});
for (let round = 0; round < ROUNDS; round++) {
  const waiting = [...paths];
  const work = async () => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const response = await replica.fetch(new Request(`http://localhost${path}`));
      if (!response.ok) throw new Error(`${path}: ${response.status}`);
      await response.arrayBuffer();
      answers++;
      sample();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
clearInterval(timer);
await replica.close();
console.log(JSON.stringify({ most, heap, answers } satisfies MemoryUse));
