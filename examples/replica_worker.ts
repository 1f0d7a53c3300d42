// A replica in a Cloudflare worker. It serves an R2 bucket that `xylem publish s3://…` fills.
// Run: npx wrangler deploy examples/replica_worker.ts, with a binding RADICLE of the bucket in wrangler.toml
// deno-lint-ignore-file no-console -- it logs why it answers 503
import libgit2 from "wasm-git/lg2.wasm";
import { createR2Bucket, type R2LikeBucket } from "../extensions/replicas/bucket/mod.ts";
import { createReplica, type Replica } from "../extensions/replicas/replica/mod.ts";

/** The bindings of the worker. */
interface Bindings {
  readonly RADICLE: R2LikeBucket;
  /**
   * URL of the service on the home. Leave it out if clients other than the owner must not reach that service.
   */
  readonly ORIGIN?: string;
}

let replica: Promise<Replica> | undefined;

export default {
  /**
   * Serves a request. Until the bucket can be read, the response is 503, and the log contains the reason.
   * Without an origin, the replica refuses changes.
   */
  async fetch(
    request: Request,
    { RADICLE, ORIGIN }: Bindings,
    context: { waitUntil(promise: Promise<unknown>): void },
  ): Promise<Response> {
    replica ??= createReplica(createR2Bucket(RADICLE), {
      loadLibgit2: () => Promise.resolve(libgit2),
      // A worker has 128 MB of memory.
      memory: { totalBytes: 48 * 1024 * 1024 },
      environment: { log: (level, message, cause) => console.error(level, message, cause ?? "") },
      ...ORIGIN && { origin: ORIGIN },
    });
    const answer = replica.then(({ fetch }) => fetch(request));
    // The work on the response continues after this client has disconnected, because other requests may wait
    // for its result.
    context.waitUntil(answer);
    return await answer;
  },
};
