// A replica in a Cloudflare worker: serves an R2 bucket that `xylem publish s3://…` fills.
// Run: npx wrangler deploy examples/replica_worker.ts, with a binding RADICLE of the bucket in wrangler.toml
// deno-lint-ignore-file no-console -- it logs why it answers 503
import libgit2 from "wasm-git/lg2.wasm";
import { createR2Bucket, type R2LikeBucket } from "../extensions/replicas/bucket/mod.ts";
import { createReplica, type Replica } from "../extensions/replicas/replica/mod.ts";

/** The bindings of the worker. */
interface Bindings {
  readonly RADICLE: R2LikeBucket;
  /** URL of the service on the home. Leave it out if strangers must not reach that service. */
  readonly ORIGIN?: string;
}

let replica: Promise<Replica> | undefined;

export default {
  /**
   * Answers 503 until the bucket can be read. The log has the reason. Without an origin, changes are refused.
   */
  async fetch(
    request: Request,
    { RADICLE, ORIGIN }: Bindings,
    context: { waitUntil(promise: Promise<unknown>): void },
  ): Promise<Response> {
    replica ??= createReplica(createR2Bucket(RADICLE), {
      loadLibgit2: () => Promise.resolve(libgit2),
      // A worker has 128 MB.
      memory: { totalBytes: 48 * 1024 * 1024 },
      environment: { log: (level, message, cause) => console.error(level, message, cause ?? "") },
      ...ORIGIN && { origin: ORIGIN },
    });
    const answer = replica.then(({ fetch }) => fetch(request));
    // Other requests may wait for the same work after this client has disconnected.
    context.waitUntil(answer);
    return await answer;
  },
};
